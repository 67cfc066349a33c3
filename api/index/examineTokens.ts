import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { slicesOf } from '../../shared/platform/slicesOf.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { INSIDE_LENGTH_MIN, type Traits } from '../search/search.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';
import { sortValue, type VerdictPage, type VerdictPosition } from '../tokens/verdictPage.ts';
import type { TokenIndex } from './createTokenIndex.ts';
import { bytesOf } from './openIndex.ts';
import {
  all,
  type Condition,
  condition,
  countRows,
  filterCondition,
  lettersOf,
  listRows,
  marks,
  phrase,
  startCondition,
  sumKinds,
} from './tokenReads.ts';

// Searches by failed checks, features, parts of names and creators. Features alone are not in the index: the database is asked for them.

/** What searches read from. */
export interface TraitReader {
  readonly index: TokenIndex;
  readonly database: Database;
  readonly chainId: number;
}

/** Part of what a search finds. */
export interface Examined {
  readonly found: VerdictSummary[];
  /** Where the next part begins; undefined at the end. */
  readonly next: VerdictPosition | undefined;
  /** All there are; undefined where only a part was looked at. */
  readonly total: number | undefined;
}

/** Tokens of a check, a creator or a text that are all looked at, and tokens of an order. */
const ROWS_MAX = 20_000;
/** The same along an order where each costs a look at its name. */
const TEXT_ROWS_MAX = 4_000;
/** The same where each costs the database a look-up of its features. */
const FEATURE_ROWS_MAX = 250;
/** Tokens whose features are looked up in one query. */
const FEATURES_TOKENS = 1_000;

const hasFeatures = ({ features = {} }: Traits): boolean => Object.keys(features).length > 0;
const isInside = (text: string | undefined): text is string =>
  text !== undefined && lettersOf(text) >= INSIDE_LENGTH_MIN;

const anyOf = (ids: readonly string[]): Condition =>
  condition(`check_id IN (${marks(ids)})`, ...ids);
const failsAny = (ids: readonly string[], isNot = ''): Condition => {
  const { sql, values } = anyOf(ids);
  return condition(
    `${isNot} EXISTS (SELECT 1 FROM failed_checks WHERE ${sql} AND id = tokens.id)`,
    ...values,
  );
};

/** What a token must satisfy beside its features. */
const traitCondition = ({ checks = {}, text, creator }: Traits): Condition => {
  const { all: required = [], any = [], none = [] } = checks;
  return all([
    creator && condition('creator = ?', bytesOf(creator)),
    ...required.map((id) => failsAny([id])),
    any.length > 0 ? failsAny(any) : undefined,
    none.length > 0 ? failsAny(none, 'NOT') : undefined,
    text === undefined
      ? undefined
      : condition('(instr(symbol_term, ?) > 0 OR instr(name_term, ?) > 0)', text, text),
  ]);
};

/** Queries of ids, each of which finds all tokens that can be found. */
const sourcesOf = ({ checks = {}, text, creator }: Traits): Condition[] => {
  const { all: required = [], any = [] } = checks;
  const ofChecks = (ids: readonly string[]): Condition => {
    const { sql, values } = anyOf(ids);
    return condition(`SELECT id FROM failed_checks WHERE ${sql}`, ...values);
  };
  return [
    ...(creator ? [condition('SELECT id FROM tokens WHERE creator = ?', bytesOf(creator))] : []),
    ...[...required.map((id) => [id]), ...(any.length > 0 ? [any] : [])].map(ofChecks),
    ...(isInside(text)
      ? [condition('SELECT rowid FROM parts WHERE parts MATCH ?', phrase(text))]
      : []),
  ];
};

/** The first source that is short enough for all its tokens to be looked at. */
const shortSource = async (index: TokenIndex, traits: Traits): Promise<Condition | undefined> => {
  for (const { sql, values } of sourcesOf(traits)) {
    const counted = `SELECT CAST(count(*) AS TEXT) FROM (${sql} LIMIT ${ROWS_MAX + 1})`;
    const tokens = countSchema.parse(await index.read({ sql: counted, values }));
    if (tokens <= ROWS_MAX) return condition(`id IN (${sql})`, ...values);
  }
  return undefined;
};

const FEATURES_SQL = `SELECT ${hexText('token')} AS address FROM token_verdicts FINAL
  WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}
    AND arrayAll((name, low, high) -> mapContains(features, name) AND features[name] >= low AND features[name] <= high,
      {names:Array(String)}, {lows:Array(Float64)}, {highs:Array(Float64)}) ${POINT_READ}`;

/** Those of the tokens that a condition leaves whose features are within bounds, as a condition. */
const withFeatures = async (
  { index, database, chainId }: TraitReader,
  { sql, values }: Condition,
  { features = {} }: Traits,
): Promise<Condition> => {
  const listed = `SELECT json_group_array('0x' || lower(hex(token))) FROM tokens WHERE ${sql}`;
  const tokens = z.array(addressSchema).parse(await index.read({ sql: listed, values }));
  const bounds = Object.values(features);
  const params = {
    chainId,
    names: Object.keys(features),
    lows: bounds.map(({ min }) => min ?? -Number.MAX_VALUE),
    highs: bounds.map(({ max }) => max ?? Number.MAX_VALUE),
  };
  const kept: Hex[] = [];
  for (const some of slicesOf(tokens, FEATURES_TOKENS)) {
    const rows = await database.query(
      FEATURES_SQL,
      { ...params, tokens: some.map(addressParam) },
      z.object({ address: addressSchema }),
    );
    kept.push(...rows.map(({ address }) => address));
  }
  return condition(
    'token IN (SELECT unhex(substr(value, 3)) FROM json_each(?))',
    JSON.stringify(kept),
  );
};

const positionOf = (verdict: VerdictSummary, { sort }: VerdictPage): VerdictPosition => ({
  value: sortValue(verdict, sort),
  token: verdict.token,
});

const rowsMaxOf = (traits: Traits): number => {
  if (hasFeatures(traits)) return FEATURE_ROWS_MAX;
  return traits.text === undefined ? ROWS_MAX : TEXT_ROWS_MAX;
};

/** The last of so many tokens along the order from the page's start on; undefined where there are fewer. */
const placeAt = async (
  index: TokenIndex,
  page: VerdictPage,
  rows: number,
): Promise<VerdictPosition | undefined> => {
  const along = all([filterCondition(page), startCondition(page)]);
  const [last] = await listRows(index, along, { ...page, limit: 1, offset: rows - 1 });
  return last && positionOf(last, page);
};

const upTo = ({ sort, order }: VerdictPage, { value, token }: VerdictPosition): Condition =>
  condition(`(${sort}, token) ${order === 'asc' ? '<=' : '>='} (?, ?)`, value, bytesOf(token));

/** How many there are of one check, which counters know, and what they are kept by. */
const knownTotal = async (
  index: TokenIndex,
  page: VerdictPage,
  traits: Traits,
): Promise<number | undefined> => {
  const { checks = {}, text, creator } = traits;
  const ids = [...(checks.all ?? []), ...(checks.any ?? [])];
  const [id] = ids;
  const { minRisk, maxRisk, createdFromS, createdToS } = page;
  const others = [minRisk, maxRisk, createdFromS, createdToS, text, creator, checks.none?.[0]];
  const isMore = hasFeatures(traits) || others.some((other) => other !== undefined);
  return id === undefined || ids.length > 1 || isMore ? undefined : sumKinds(index, id, page);
};

/**
 * Tokens of a list that have some traits: all of a creator, a rare check or a rare text; otherwise those of so many tokens along the
 * order, and the answer says where to go on.
 */
export const examineTokens = async (
  reader: TraitReader,
  asked: VerdictPage,
  traits: Traits,
): Promise<Examined> => {
  const { index } = reader;
  const page = asked.after ? { ...asked, offset: 0 } : asked;
  const source = await shortSource(index, traits);
  const end = source ? undefined : await placeAt(index, page, rowsMaxOf(traits));
  const start = startCondition(page);
  const looked = all([source ?? start, end && upTo(page, end)]);
  const own = all([looked, filterCondition(page), traitCondition(traits)]);
  const matching = hasFeatures(traits) ? await withFeatures(reader, own, traits) : own;
  const [entries, total] = await Promise.all([
    listRows(index, all([matching, start]), { ...page, limit: page.limit + 1 }),
    source || !(end || page.after) ? countRows(index, matching) : knownTotal(index, page, traits),
  ]);
  const found = entries.slice(0, page.limit);
  const last = entries.length > page.limit ? found.at(-1) : undefined;
  return { found, next: last ? positionOf(last, page) : end, total };
};
