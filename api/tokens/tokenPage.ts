import { z } from 'zod';
import { addressSchema } from '../../shared/messages/schemas.ts';
import { invalidRequest } from '../server/apiError.ts';
import type { Tokens } from './createTokens.ts';
import {
  sortValue,
  VERDICT_SORTS,
  type VerdictPosition,
  type VerdictSort,
} from './listVerdicts.ts';
import type { VerdictFilter } from './tokenFilter.ts';
import type { VerdictSummary } from './verdict.ts';

/** Beyond any moment in milliseconds, any score and any share. */
const VALUE_MAX = Number.MAX_SAFE_INTEGER;
/** Longer than any symbol the index keeps. */
const SYMBOL_LENGTH_MAX = 128;

/** Sort, order, sort value and address of the last entry of a page. */
const cursorSchema = z.tuple([
  z.enum(VERDICT_SORTS),
  z.enum(['asc', 'desc']),
  z.union([z.number().finite(), z.string().max(SYMBOL_LENGTH_MAX)]),
  addressSchema,
]);

/** The place after `position`, opaque to clients. */
export const encodeCursor = (
  sort: VerdictSort,
  order: 'asc' | 'desc',
  position: VerdictPosition,
): string =>
  Buffer.from(JSON.stringify([sort, order, position.value, position.token])).toString('base64url');

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * The place a cursor stands for.
 * @throws ApiError 400 for a text that is no cursor, or one of another sort or order.
 */
export const decodeCursor = (
  cursor: string,
  sort: VerdictSort,
  order: 'asc' | 'desc',
  part: 'query' | 'body' = 'query',
): VerdictPosition => {
  const refuse = (message: string): never => {
    throw invalidRequest(`cursor: ${message}`, {
      details: [{ in: part, path: 'cursor', message }],
    });
  };
  const parsed = cursorSchema.safeParse(
    parseJson(Buffer.from(cursor, 'base64url').toString('utf8')),
  );
  if (!parsed.success) return refuse('is not a cursor of this list');
  const [cursorSort, cursorOrder, value, token] = parsed.data;
  const isText = typeof value === 'string';
  if (isText !== (sort === 'symbol') || (!isText && !(value >= 0 && value <= VALUE_MAX))) {
    return refuse('is not a cursor of this list');
  }
  if (cursorSort !== sort || cursorOrder !== order) {
    return refuse('belongs to another sort or order');
  }
  return { value, token };
};

/** Which part of the list of tokens is requested. */
interface TokenPageQuery {
  readonly filter: VerdictFilter;
  readonly sort: VerdictSort;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  /** Wins over `offset`. */
  readonly cursor: string | undefined;
}

/** One page of the list of tokens. */
export interface TokenPage {
  /** The page, and the entry after it where there is one. */
  readonly verdicts: readonly VerdictSummary[];
  /** Of the whole list. */
  readonly total: number;
  /** Null at the end of the list. */
  readonly nextCursor: string | null;
}

/**
 * Reads a page of the list of tokens: what both styles and the search by filters present.
 * @param part of the request that the cursor came in.
 * @throws ApiError 400 for a cursor of another list, sort or order.
 */
export const readTokenPage = async (
  tokens: Pick<Tokens, 'list' | 'count'>,
  { filter, sort, order, limit, offset, cursor }: TokenPageQuery,
  part: 'query' | 'body' = 'query',
): Promise<TokenPage> => {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, sort, order, part);
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
      ? encodeCursor(sort, order, { value: sortValue(last, sort), token: last.token })
      : null,
  };
};
