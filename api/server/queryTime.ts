import { z } from './schema.ts';

/** A day from 1970 to 2105. */
const DAY =
  '(?:19[7-9]\\d|20\\d\\d|210[0-5])-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-9]))';
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const ISO_TIME = new RegExp(
  `^${DAY}(?:T${CLOCK}(?::[0-5]\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]${CLOCK})?)?$`,
);

/** Unix milliseconds of an ISO 8601 date or time; without a zone it is UTC. Not before 1970, whatever the zone. */
const parseTime = (text: string): number => {
  const hasZone = /(Z|[+-]\d{2}:\d{2})$/.test(text.slice(10));
  return Math.max(0, Date.parse(text.length > 10 && !hasZone ? `${text}Z` : text));
};

/** A moment, ISO 8601; parsed to Unix milliseconds. The 29th of February counts as the 1st of March where there is none. */
export const moment = z
  .string()
  .regex(ISO_TIME, 'must be an ISO 8601 date or time between 1970 and 2105')
  .transform(parseTime)
  .openapi({
    type: 'string',
    pattern: ISO_TIME.source,
    description: 'ISO 8601 date or time from 1970 to 2105, UTC unless a zone is given',
    example: '2026-11-21T05:30:00Z',
  });

/** An optional moment of a query. */
export const queryTime = moment.optional();

/** A moment as links repeat it. */
export const isoOf = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();
