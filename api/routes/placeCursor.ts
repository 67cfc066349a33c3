import { z } from 'zod';
import { invalidRequest } from '../apiError.ts';

/** The place of an entry in a list: what the list is sorted by, then what tells equals apart. */
export interface Place {
  /** A whole number. */
  readonly value: number;
  readonly id: string;
}

const ID_LENGTH_MAX = 80;
const placeSchema = z.tuple([
  z.string(),
  z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  z.string().max(ID_LENGTH_MAX),
]);

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The place after an entry of the list with this name, opaque to clients. */
export const encodePlace = (list: string, { value, id }: Place): string =>
  Buffer.from(JSON.stringify([list, value, id])).toString('base64url');

/**
 * The place a cursor stands for; undefined without a cursor.
 * @throws ApiError 400 for a text that is no cursor of this list.
 */
export const decodePlace = (
  list: string,
  cursor: string | undefined,
  idPattern: RegExp,
): Place | undefined => {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const parsed = placeSchema.safeParse(parseJson(text));
  if (parsed.success && parsed.data[0] === list && idPattern.test(parsed.data[2])) {
    return { value: parsed.data[1], id: parsed.data[2] };
  }
  const message = 'is not a cursor of this list';
  throw invalidRequest(`cursor: ${message}`, {
    details: [{ in: 'query', path: 'cursor', message }],
  });
};
