import type { Hex } from '../../shared/chain/block.ts';
import {
  CLOSENESS_MAX,
  INSIDE_LENGTH_MIN,
  lettersOf,
  type NameQuestion,
  RELEVANCE,
  RELEVANCE_DIGITS,
} from '../search/search.ts';
import {
  beginningWith,
  type Condition,
  condition,
  type IndexReader,
  joined,
  LISTED_ROWS,
  LISTED_TOKENS,
  listOf,
} from './indexReader.ts';
import { similarNames } from './similarNames.ts';
import { bytesOf } from './sortColumns.ts';
import { textMatch } from './textMatch.ts';

/** Hits examined per kind of match. */
const HITS_MAX = 1_000;
/** If this many names begin with the text, names that contain it elsewhere are not searched. */
const STARTING_ENOUGH = 100;

type Field = 'symbol' | 'name';
const FIELDS: readonly Field[] = ['symbol', 'name'];

const ADDRESS_RELEVANCE = RELEVANCE.prefix.symbol + CLOSENESS_MAX;

const ADDRESS_DIGITS = 40;

/** Subqueries of (id, token, relevance, match). */
const addressHits = (digits: string): Condition => {
  const relevance = digits.length === ADDRESS_DIGITS ? 1 : ADDRESS_RELEVANCE;
  const filledWith = (digit: string) => bytesOf(`0x${digits.padEnd(ADDRESS_DIGITS, digit)}`);
  return condition(
    `SELECT * FROM (SELECT id, token, ${relevance}, 'address' FROM tokens WHERE token BETWEEN ? AND ? ORDER BY token LIMIT ${HITS_MAX})`,
    filledWith('0'),
    filledWith('f'),
  );
};
const closeness = (base: number, term: string): string =>
  `round(${base} + ${CLOSENESS_MAX} * ? / length(${term}), ${RELEVANCE_DIGITS})`;
const startingHits = (folded: string, field: Field): Condition =>
  condition(
    `SELECT id, token, CASE term WHEN ? THEN ${RELEVANCE.exact[field]} ELSE ${closeness(RELEVANCE.prefix[field], 'term')} END, '${field}'
     FROM (SELECT * FROM ${field}s WHERE term BETWEEN ? AND ? ORDER BY term, token LIMIT ${HITS_MAX})`,
    folded,
    lettersOf(folded),
    ...beginningWith(folded),
  );
const insideHits = (folded: string, match: string, field: Field): Condition =>
  condition(
    `SELECT * FROM (SELECT t.id, t.token, ${closeness(RELEVANCE.inside[field], `t.${field}_term`)}, '${field}'
       FROM parts JOIN tokens AS t ON t.id = parts.rowid WHERE parts MATCH ? AND instr(t.${field}_term, ?) > 1 LIMIT ${HITS_MAX})`,
    lettersOf(folded),
    `${field}_term : (${match})`,
    folded,
  );
/** Sorts after every other match. */
const tradedHits = (traded: readonly Hex[]): Condition =>
  condition(
    `SELECT id, token, 0, 'pool' FROM tokens WHERE ${LISTED_TOKENS}`,
    JSON.stringify(traded),
  );

/** Whether to search names that contain the text elsewhere: only few begin with it. */
const wantsInside = (reader: IndexReader, folded: string): boolean => {
  if (lettersOf(folded) < INSIDE_LENGTH_MIN) return false;
  const starting = (field: Field): string =>
    `SELECT * FROM (SELECT 1 FROM ${field}s WHERE term BETWEEN ?1 AND ?2 LIMIT ${STARTING_ENOUGH})`;
  const counted = `SELECT CAST(count(*) AS TEXT) FROM (${FIELDS.map(starting).join(' UNION ALL ')})`;
  return Number(reader.read(counted, beginningWith(folded))) < STARTING_ENOUGH;
};

/** Properties of names that nearly match. */
const similarHits = (reader: IndexReader, folded: string): Condition => {
  const hits = similarNames(reader, folded).map(({ id, match, mistakes }) => [
    id,
    RELEVANCE.similar[match] / mistakes,
    match,
  ]);
  return condition(
    `SELECT tokens.id, token, round(value ->> 1, ${RELEVANCE_DIGITS}), value ->> 2 FROM json_each(?) JOIN tokens ON tokens.id = value ->> 0`,
    JSON.stringify(hits),
  );
};

const NOTHING = '{"total":0,"hits":[]}';

/** Whether a kind has hits, if the first is found quickly. */
const hasHits = (reader: IndexReader, { sql, values }: Condition): boolean =>
  reader.read(`SELECT CAST(EXISTS (${sql}) AS TEXT)`, values) === '1';

/**
 * Each token once, the most relevant first, ties by address; as JSON, with the total. No kind has a token twice, and
 * looking for tokens that several kinds have takes two thirds of the time for a thousand hits.
 */
const rank = (
  reader: IndexReader,
  { limit, offset }: Pick<NameQuestion, 'limit' | 'offset'>,
  kinds: readonly Condition[],
): string => {
  if (kinds.length === 0) return NOTHING;
  const hits = joined(kinds, ' UNION ALL ');
  const once =
    kinds.length === 1
      ? 'SELECT * FROM hits'
      : 'SELECT id, token, max(relevance) AS relevance, match FROM hits GROUP BY id';
  const shown = `SELECT '[' || iif(match = 'pool', 1, relevance) || ',"' || match || '",' || entry || ']' AS hit
    FROM (SELECT * FROM ranked ORDER BY relevance DESC, token LIMIT ? OFFSET ?) JOIN shown USING (id)
    ORDER BY relevance DESC, token`;
  return reader.read(
    `WITH hits (id, token, relevance, match) AS (${hits.sql}),
       ranked AS MATERIALIZED (${once})
     SELECT '{"total":' || (SELECT count(*) FROM ranked) || ',"hits":' || (${listOf('hit', shown)}) || '}'`,
    [...hits.values, limit, offset],
  );
};

/** Tokens with a name that contains a text, but not at its beginning: at most one more than a search examines. */
const FEW_INSIDE = `SELECT json_group_array(id) FROM (SELECT t.id FROM parts JOIN tokens AS t ON t.id = parts.rowid
  WHERE parts MATCH ? AND (instr(t.symbol_term, ?) > 1 OR instr(t.name_term, ?) > 1) LIMIT ${HITS_MAX + 1})`;

/** The same as hits: a symbol is more relevant than a name. */
const fewHits = (folded: string, rows: string): Condition =>
  condition(
    `SELECT id, token, iif(instr(symbol_term, ?) > 1, ${closeness(RELEVANCE.inside.symbol, 'symbol_term')},
       ${closeness(RELEVANCE.inside.name, 'name_term')}), iif(instr(symbol_term, ?) > 1, 'symbol', 'name')
     FROM tokens WHERE ${LISTED_ROWS}`,
    folded,
    lettersOf(folded),
    lettersOf(folded),
    folded,
    rows,
  );

/** Names that contain a text, but not at their beginning. If few tokens match, symbols and names are searched together. */
const insideNames = (reader: IndexReader, folded: string): Condition[] => {
  const compared = (rows: number): number => Math.min(rows, HITS_MAX);
  const { match, found = Number.POSITIVE_INFINITY } = textMatch(reader, folded, compared);
  if (found <= HITS_MAX) {
    const rows = reader.read(FEW_INSIDE, [match, folded, folded]);
    const count = (JSON.parse(rows) as number[]).length;
    if (count === 0) return [];
    if (count <= HITS_MAX) return [fewHits(folded, rows)];
  }
  return FIELDS.map((field) => insideHits(folded, match, field));
};

/** The hits of a text as JSON; near matches if there is nothing else. */
export const searchNames = (reader: IndexReader, question: NameQuestion): string => {
  const { folded, digits, traded } = question;
  const starting = folded === undefined ? [] : FIELDS.map((field) => startingHits(folded, field));
  const found = rank(reader, question, [
    ...(digits === undefined ? [] : [addressHits(digits)]),
    ...starting.filter((kind) => hasHits(reader, kind)),
    ...(folded !== undefined && wantsInside(reader, folded) ? insideNames(reader, folded) : []),
    ...(traded.length > 0 ? [tradedHits(traded)] : []),
  ]);
  const isNothing = found.startsWith('{"total":0,');
  return isNothing && folded !== undefined && digits === undefined
    ? rank(reader, question, [similarHits(reader, folded)])
    : found;
};
