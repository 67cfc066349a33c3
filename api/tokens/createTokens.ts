import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import type { Database } from '../../shared/platform/clickhouse.ts';
import { type ListIndex, NO_INDEX } from '../index/createListIndex.ts';
import { type Examined, examineTokens } from '../index/examineTokens.ts';
import { countTokens, findTokens, listTokens } from '../index/tokenReads.ts';
import type { Traits } from '../search/search.ts';
import { decodeCursor, encodeCursor } from '../server/paging.ts';
import { joinLookups, type Share, unshared } from '../server/sharedReads.ts';
import { findDocuments, findRings, type Verdict, type VerdictSummary } from './verdict.ts';
import {
  countHistory,
  type HistoryPage,
  type PastVerdict,
  verdictHistory,
} from './verdictHistory.ts';
import {
  sortValue,
  type VerdictFilter,
  type VerdictPage,
  type VerdictPosition,
  type VerdictSort,
} from './verdictPage.ts';

/**
 * Look-ups of single tokens and of their creators' rings: one query of each kind at a time, so that requests arriving
 * meanwhile are batched. Two at a time cost the database a third more per token, on two cores.
 */
const TOKEN_LOOKUPS = { queriesMax: 1, keysMax: 64 };

/** The cache key of a token's verdict. */
export const tokenKey = (token: string): string => `token ${token}`;

/** Verdicts of one chain. Recent ones, lists and counts are shared between requests. */
export const createTokens = (
  database: Database,
  chainId: number,
  { share = unshared, index = NO_INDEX }: { share?: Share; index?: ListIndex } = {},
) => {
  const findDocument = joinLookups(
    (addresses: readonly Hex[]) => findDocuments(database, chainId, addresses),
    TOKEN_LOOKUPS,
  );
  const findRing = joinLookups(
    (wallets: readonly Hex[]) => findRings(database, chainId, wallets),
    TOKEN_LOOKUPS,
  );
  const find = async (token: Hex): Promise<Verdict | undefined> => {
    const stored = await findDocument(token);
    if (!stored) return undefined;
    const { creator, ...verdict } = stored;
    return { ...verdict, clusterId: (await findRing(creator)) ?? null };
  };
  return {
    /** As stored now. */
    find,
    /** The same, or a cached value no older than `SHARED_MS_MAX`. */
    findRecent: (token: Hex): Promise<Verdict | undefined> =>
      share(tokenKey(token), () => find(token)),
    /** Verdicts of those requested tokens that have one, in any order. */
    findMany: (tokens: readonly Hex[]): Promise<VerdictSummary[]> =>
      tokens.length === 0 ? Promise.resolve([]) : findTokens(index, tokens),
    list: (page: VerdictPage): Promise<VerdictSummary[]> =>
      share(`list ${JSON.stringify(page)}`, () => listTokens(index, page)),
    count: (filter: VerdictFilter): Promise<number> =>
      share(`count ${JSON.stringify(filter)}`, () => countTokens(index, filter)),
    /** Those entries of a list that match additional properties, or a part of them. */
    examine: (page: VerdictPage, traits: Traits): Promise<Examined> =>
      share(`examine ${JSON.stringify([page, traits])}`, () => examineTokens(index, page, traits)),
  };
};
/** Verdicts in force. */
export type Tokens = ReturnType<typeof createTokens>;

/** Past verdicts of one chain. */
export const createHistory = (database: Database, chainId: number) => ({
  /** Newest first. */
  list: (token: Hex, page: HistoryPage): Promise<PastVerdict[]> =>
    verdictHistory(database, chainId, token, page),
  /** Their number, up to the counting limit. */
  count: (token: Hex): Promise<number> => countHistory(database, chainId, token),
});
/** Verdicts of the past. */
export type History = ReturnType<typeof createHistory>;

/** Beyond any time in milliseconds, any score and any share. */
const VALUE_MAX = Number.MAX_SAFE_INTEGER;
/** Longer than any symbol that the index keeps. */
const SYMBOL_LENGTH_MAX = 128;

/** The cursor after `position`. */
export const encodePosition = (
  { sort, order }: Pick<VerdictPage, 'sort' | 'order'>,
  { value, token }: VerdictPosition,
): string => encodeCursor([sort, order, value, token]);

/**
 * The position that a cursor encodes.
 * @throws ApiError 400 for a text that is not a cursor, or one of another sort or order.
 */
export const decodePosition = (
  cursor: string,
  { sort, order }: Pick<VerdictPage, 'sort' | 'order'>,
  part: 'query' | 'body' = 'query',
): VerdictPosition => {
  const value =
    sort === 'symbol' ? z.string().max(SYMBOL_LENGTH_MAX) : z.number().min(0).max(VALUE_MAX);
  const schema = z.tuple([z.literal(sort), z.literal(order), value, addressSchema]);
  const position = decodeCursor(cursor, schema, part);
  return { value: position[2], token: position[3] };
};

/** Which part of the list of tokens is requested. */
interface TokenPageQuery {
  readonly filter: VerdictFilter;
  readonly sort: VerdictSort;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  /** Takes precedence over `offset`. */
  readonly cursor: string | undefined;
}

/** One page of the list of tokens. */
export interface TokenPage {
  /** The page, and the entry after it if there is one. */
  readonly verdicts: readonly VerdictSummary[];
  /** Of the whole list. */
  readonly total: number;
  /** Null at the end of the list. */
  readonly nextCursor: string | null;
}

/**
 * Reads a page of the list of tokens, for both styles and the search by filters.
 * @param part of the request that contained the cursor.
 * @throws ApiError 400 for a cursor of another list, sort or order.
 */
export const readTokenPage = async (
  tokens: Pick<Tokens, 'list' | 'count'>,
  page: TokenPageQuery,
  part: 'query' | 'body' = 'query',
): Promise<TokenPage> => {
  const { filter, sort, order, limit, offset, cursor } = page;
  const after = cursor === undefined ? undefined : decodePosition(cursor, page, part);
  const [verdicts, total] = await Promise.all([
    // One more than requested shows whether there is a next page.
    tokens.list({ ...filter, sort, order, limit: limit + 1, offset: after ? 0 : offset, after }),
    tokens.count(filter),
  ]);
  const last = verdicts[limit - 1];
  const hasMore = last !== undefined && verdicts.length > limit;
  return {
    verdicts,
    total,
    nextCursor: hasMore
      ? encodePosition(page, { value: sortValue(last, sort), token: last.token })
      : null,
  };
};
