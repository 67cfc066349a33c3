import { z } from 'zod';
import { addressSchema } from '../../shared/messages/schemas.ts';
import { VERDICT_SORTS, type VerdictPosition, type VerdictSort } from '../tokens/listVerdicts.ts';
import { invalidRequest } from './apiError.ts';

/** Values of query parameters; absent ones are left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

const link = (url: string, query: QueryValues, relation: string): string => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.set(name, String(value));
  }
  return `<${url}?${params.toString()}>; rel="${relation}"`;
};

/** `Link` and `X-Total-Count` of a list. `next` and `prev` are absent at its ends. */
export const pageHeaders = (args: {
  url: string;
  query: QueryValues;
  total: number;
  next?: QueryValues | undefined;
  prev?: QueryValues | undefined;
}): Record<string, string> => {
  const links = [
    ...(args.next ? [link(args.url, { ...args.query, ...args.next }, 'next')] : []),
    ...(args.prev ? [link(args.url, { ...args.query, ...args.prev }, 'prev')] : []),
  ];
  return {
    'X-Total-Count': String(args.total),
    ...(links.length > 0 ? { Link: links.join(', ') } : {}),
  };
};

/** Steps of an offset list, as far as there are entries. */
export const offsetSteps = (args: {
  total: number;
  limit: number;
  offset: number;
  offsetMax: number;
}): { next?: QueryValues; prev?: QueryValues } => {
  const { total, limit, offset, offsetMax } = args;
  const nextOffset = offset + limit;
  return {
    ...(nextOffset < total && nextOffset <= offsetMax
      ? { next: { offset: nextOffset, limit } }
      : {}),
    ...(offset > 0 ? { prev: { offset: Math.max(0, offset - limit), limit } } : {}),
  };
};

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
