import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { foldText } from '../../shared/rules/foldText.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { INSIDE_LENGTH_MIN, lettersOf, type Traits } from '../search/search.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';
import { sortValue, type VerdictPage, type VerdictPosition } from '../tokens/verdictPage.ts';
import type { TokenIndex } from './createTokenIndex.ts';
import { countTokens, listTokens } from './tokenReads.ts';

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

/** Tokens along the order that are looked at where the database must be asked for their features. */
const FEATURE_ROWS_MAX = 250;
/** The same where their names must be read: texts too short for trigrams. */
const SHORT_TEXT_ROWS_MAX = 1_000;

const FEATURES_SQL = `SELECT ${hexText('token')} AS address FROM token_verdicts FINAL
  WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}
    AND arrayAll((name, low, high) -> mapContains(features, name) AND features[name] >= low AND features[name] <= high,
      {names:Array(String)}, {lows:Array(Float64)}, {highs:Array(Float64)}) ${POINT_READ}`;

/** Those of the tokens whose features are within bounds. */
const withFeatures = async (
  { database, chainId }: TraitReader,
  tokens: readonly Hex[],
  features: NonNullable<Traits['features']>,
): Promise<ReadonlySet<Hex>> => {
  const bounds = Object.values(features);
  const params = {
    chainId,
    tokens: tokens.map(addressParam),
    names: Object.keys(features),
    lows: bounds.map(({ min }) => min ?? -Number.MAX_VALUE),
    highs: bounds.map(({ max }) => max ?? Number.MAX_VALUE),
  };
  const rows = await database.query(FEATURES_SQL, params, z.object({ address: addressSchema }));
  return new Set(rows.map(({ address }) => address));
};

/** What the index cannot filter by. */
interface Rest {
  readonly features: NonNullable<Traits['features']> | undefined;
  readonly shortText: string | undefined;
}

const having = async (
  reader: TraitReader,
  verdicts: readonly VerdictSummary[],
  { features, shortText = '' }: Rest,
): Promise<VerdictSummary[]> => {
  const named = verdicts.filter(({ name, symbol }) =>
    [name, symbol].some((term) => foldText(term).includes(shortText)),
  );
  if (!features || named.length === 0) return named;
  const kept = await withFeatures(
    reader,
    named.map(({ token }) => token),
    features,
  );
  return named.filter(({ token }) => kept.has(token));
};

const positionOf = (
  verdict: VerdictSummary | undefined,
  { sort }: VerdictPage,
): VerdictPosition | undefined =>
  verdict && { value: sortValue(verdict, sort), token: verdict.token };

/** Tokens of an order that have what the index cannot filter by: those of so many rows, and where to go on. */
const lookAlong = async (
  reader: TraitReader,
  page: VerdictPage,
  { rest, traits }: { readonly rest: Rest; readonly traits: Traits },
): Promise<Examined> => {
  const rows = rest.features ? FEATURE_ROWS_MAX : SHORT_TEXT_ROWS_MAX;
  const looked = await listTokens(reader.index, { ...page, traits, limit: rows, offset: 0 });
  const kept = await having(reader, looked, rest);
  const end = page.offset + page.limit;
  const found = kept.slice(page.offset, end);
  const isWhole = looked.length < rows;
  const last = kept.length > end ? found.at(-1) : isWhole ? undefined : looked.at(-1);
  const total = isWhole && !page.after ? kept.length : undefined;
  return { found, next: positionOf(last, page), total };
};

/** Tokens of a list that have some traits. */
export const examineTokens = async (
  reader: TraitReader,
  asked: VerdictPage,
  { features = {}, text, ...others }: Traits,
): Promise<Examined> => {
  const page = asked.after ? { ...asked, offset: 0 } : asked;
  const isShort = text !== undefined && lettersOf(text) < INSIDE_LENGTH_MIN;
  const traits = { ...others, text: isShort ? undefined : text };
  const rest = {
    features: Object.keys(features).length > 0 ? features : undefined,
    shortText: isShort ? text : undefined,
  };
  if (rest.features || isShort) return lookAlong(reader, page, { rest, traits });
  const { limit } = page;
  const [entries, total] = await Promise.all([
    listTokens(reader.index, { ...page, traits, limit: limit + 1 }),
    countTokens(reader.index, { ...page, traits }),
  ]);
  const found = entries.slice(0, limit);
  const next = entries.length > limit ? positionOf(found.at(-1), page) : undefined;
  return { found, next, total };
};
