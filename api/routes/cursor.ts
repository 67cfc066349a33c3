import { z } from 'zod';
import { addressSchema } from '../../shared/messages/schemas.ts';
import { invalidRequest } from '../apiError.ts';
import { VERDICT_SORTS, type VerdictPosition, type VerdictSort } from '../queries/listVerdicts.ts';

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
