import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { RISK_LEVELS } from '../../shared/rules/riskLevel.ts';
import { HITS_MAX, INSIDE_LENGTH_MIN, STARTING_ENOUGH, type TermHit } from '../search/search.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';
import { type VerdictFilter, type VerdictPage } from '../tokens/verdictPage.ts';
import type { TokenIndex } from './createTokenIndex.ts';
import { bytesOf, type IndexValue } from './openIndex.ts';

// One row for all that is found: to cross from the engine costs more than to find.

/** A condition in SQL and the values of its placeholders, in their order. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly IndexValue[];
}

export const condition = (sql: string, ...values: readonly IndexValue[]): Condition => ({
  sql,
  values,
});

export const all = (conditions: readonly (Condition | undefined)[]): Condition => {
  const given = conditions.filter((one) => one !== undefined);
  return {
    sql: ['1', ...given.map(({ sql }) => sql)].join(' AND '),
    values: given.flatMap(({ values }) => values),
  };
};

const bound = (column: string, sign: '>=' | '<=' | '=', value: number | undefined) =>
  value === undefined ? undefined : condition(`${column} ${sign} ?`, value);

export const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

/** Of the columns that `totals` has too. */
const kindCondition = ({ prediction, minConfidence, maxConfidence, riskLevels }: VerdictFilter) => {
  const levels = riskLevels?.map((level) => RISK_LEVELS.indexOf(level));
  return all([
    bound('scam', '=', prediction === undefined ? undefined : prediction === 'SCAM' ? 1 : 0),
    bound('percent', '>=', minConfidence),
    bound('percent', '<=', maxConfidence),
    levels && condition(`level IN (${marks(levels)})`, ...levels),
  ]);
};

const hundredths = (risk: number | undefined): number | undefined =>
  risk === undefined ? undefined : Math.round(risk * 100);

export const filterCondition = (filter: VerdictFilter): Condition =>
  all([
    kindCondition(filter),
    bound('risk', '>=', hundredths(filter.minRisk)),
    bound('risk', '<=', hundredths(filter.maxRisk)),
    bound('created_at', '>=', filter.createdFromS),
    bound('created_at', '<=', filter.createdToS),
  ]);

export const startCondition = ({ sort, order, after }: VerdictPage): Condition | undefined =>
  after &&
  condition(
    `(${sort}, token) ${order === 'asc' ? '>' : '<'} (?, ?)`,
    after.value,
    bytesOf(after.token),
  );

const inOrder = ({ sort, order }: Pick<VerdictPage, 'sort' | 'order'>): string =>
  `ORDER BY ${sort} ${order}, token ${order}`;

/** What `summarySchema` reads of a row: the summary is JSON already, whose numbers stay as they are. */
const ENTRY = `'["' || lower(hex(token)) || '",' || scam || ',' || summary || ']'`;
const entriesOf = (rows: string): string =>
  `SELECT '[' || coalesce(group_concat(entry, ','), '') || ']' FROM (${rows})`;

const entriesSchema = z.array(
  z
    .tuple([
      z.string(),
      z.number(),
      z.tuple([
        z.string(),
        z.string(),
        z.number(),
        z.number(),
        z.string(),
        z.coerce.number(),
        z.coerce.number(),
        z.coerce.number(),
      ]),
    ])
    .transform(([digits, isScam, summary]): VerdictSummary => {
      const [name, symbol, confidence, riskScore, model, createdAtS, analyzedAtMs, blockNumber] =
        summary;
      const prediction = isScam === 1 ? 'SCAM' : 'LEGIT';
      const scores = { prediction, confidence, riskScore, model } as const;
      const token: Hex = `0x${digits}`;
      return { token, name, symbol, ...scores, createdAtS, analyzedAtMs, blockNumber };
    }),
);

const readEntries = async (
  index: TokenIndex,
  sql: string,
  values: readonly IndexValue[],
): Promise<VerdictSummary[]> =>
  entriesSchema.parse(await index.read({ sql: entriesOf(sql), values }));

export const countRows = async (index: TokenIndex, { sql, values }: Condition): Promise<number> =>
  countSchema.parse(
    await index.read({ sql: `SELECT CAST(count(*) AS TEXT) FROM tokens WHERE ${sql}`, values }),
  );

/** Tokens that fail a check, or all where its id is empty. */
export const sumKinds = async (
  index: TokenIndex,
  checkId: string,
  filter: VerdictFilter,
): Promise<number> => {
  const { sql, values } = all([condition('check_id = ?', checkId), kindCondition(filter)]);
  const summed = `SELECT CAST(coalesce(sum(tokens), 0) AS TEXT) FROM totals WHERE ${sql}`;
  return countSchema.parse(await index.read({ sql: summed, values }));
};

export const listRows = (
  index: TokenIndex,
  { sql, values }: Condition,
  page: Pick<VerdictPage, 'sort' | 'order' | 'limit' | 'offset'>,
): Promise<VerdictSummary[]> =>
  readEntries(
    index,
    `SELECT ${ENTRY} AS entry FROM tokens WHERE ${sql} ${inOrder(page)} LIMIT ? OFFSET ?`,
    [...values, page.limit, page.offset],
  );

/** The entries of one page; equal sort values are ordered by address, so pages are stable. */
export const listTokens = (index: TokenIndex, page: VerdictPage): Promise<VerdictSummary[]> =>
  listRows(index, all([filterCondition(page), startCondition(page)]), {
    ...page,
    offset: page.after ? 0 : page.offset,
  });

/** How many tokens a filter leaves. */
export const countTokens = (index: TokenIndex, filter: VerdictFilter): Promise<number> => {
  const { minRisk, maxRisk, createdFromS, createdToS } = filter;
  const isCounted = [minRisk, maxRisk, createdFromS, createdToS].every((one) => one === undefined);
  return isCounted ? sumKinds(index, '', filter) : countRows(index, filterCondition(filter));
};

/** Verdicts of those tokens that have one, in any order. */
export const findTokens = (index: TokenIndex, tokens: readonly Hex[]): Promise<VerdictSummary[]> =>
  readEntries(
    index,
    `SELECT ${ENTRY} AS entry FROM tokens WHERE token IN (SELECT unhex(substr(value, 3)) FROM json_each(?))`,
    [JSON.stringify(tokens)],
  );

/** Beyond any letter: the end of all texts that begin alike. */
const LAST_LETTER = '\u{10ffff}';
const FIELDS = ['symbol', 'name'] as const;
const hitsOf = (rows: string): string =>
  `SELECT json_group_array(json_array('0x' || lower(hex(token)), length(term), term = ?1)) FROM (${rows})`;
const starting = (field: TermHit['field']): string =>
  hitsOf(`SELECT token, ${field}_term AS term FROM tokens WHERE ${field}_term BETWEEN ?1 AND ?2
    ORDER BY ${field}_term, token LIMIT ${HITS_MAX}`);
const holding = (field: TermHit['field']): string =>
  hitsOf(`SELECT t.token AS token, t.${field}_term AS term FROM parts JOIN tokens AS t ON t.id = parts.rowid
    WHERE parts MATCH ?2 AND instr(t.${field}_term, ?1) > 1 LIMIT ${HITS_MAX}`);
const hitsSchema = z.array(z.tuple([addressSchema, z.number(), z.number()]));

export const phrase = (text: string): string => `"${text.replaceAll('"', '""')}"`;
export const lettersOf = (text: string): number => Array.from(text).length;

const readTerms = async (
  index: TokenIndex,
  { field, folded, place }: { field: TermHit['field']; folded: string; place: 'prefix' | 'inside' },
): Promise<TermHit[]> => {
  const isPrefix = place === 'prefix';
  const second = isPrefix ? `${folded}${LAST_LETTER}` : `${field}_term : ${phrase(folded)}`;
  const sql = isPrefix ? starting(field) : holding(field);
  const hits = hitsSchema.parse(await index.read({ sql, values: [folded, second] }));
  return hits.map(([token, length, isExact]) => ({
    token,
    field,
    place: isExact === 1 ? 'exact' : place,
    length,
  }));
};

/** As `Search.terms`. */
export const findTerms = async (index: TokenIndex, folded: string): Promise<TermHit[]> => {
  const read = async (place: 'prefix' | 'inside') =>
    (await Promise.all(FIELDS.map((field) => readTerms(index, { field, folded, place })))).flat();
  const found = await read('prefix');
  const isEnough = found.length >= STARTING_ENOUGH || lettersOf(folded) < INSIDE_LENGTH_MIN;
  return isEnough ? found : [...found, ...(await read('inside'))];
};

const ADDRESS_DIGITS = 40;

/** As `Search.tokensAt`. */
export const findAddresses = async (index: TokenIndex, digits: string): Promise<Hex[]> =>
  z.array(addressSchema).parse(
    await index.read({
      sql: `SELECT json_group_array('0x' || lower(hex(token))) FROM
        (SELECT token FROM tokens WHERE token BETWEEN ? AND ? ORDER BY token LIMIT ${HITS_MAX})`,
      values: ['0', 'f'].map((digit) => bytesOf(`0x${digits.padEnd(ADDRESS_DIGITS, digit)}`)),
    }),
  );
