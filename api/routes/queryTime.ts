import { z } from '../schema/zod.ts';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
/** Unix milliseconds of the last second that fits 32 bits. */
const TIME_MS_MAX = 4_294_967_295_000;

/** Unix milliseconds of an ISO 8601 date or time; without a zone it is UTC. */
const parseTime = (text: string): number => {
  if (!ISO_TIME.test(text)) return Number.NaN;
  const hasZone = /(Z|[+-]\d{2}:\d{2})$/.test(text.slice(10));
  return Date.parse(text.length > 10 && !hasZone ? `${text}Z` : text);
};

/** A moment, ISO 8601; parsed to Unix milliseconds. */
export const moment = z
  .string()
  .transform((text, context) => {
    const atMs = parseTime(text);
    if (atMs >= 0 && atMs <= TIME_MS_MAX) return atMs;
    context.addIssue({
      code: 'custom',
      message: 'must be an ISO 8601 date or time between 1970 and 2106',
    });
    return z.NEVER;
  })
  .openapi({ type: 'string', description: 'ISO 8601 date or time, UTC unless a zone is given' });

/** An optional moment of a query. */
export const queryTime = moment.optional();

/** A moment as links repeat it. */
export const isoOf = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();
