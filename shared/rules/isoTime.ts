/** The end of the year 9999: years have four digits, and a lock can end later. */
export const TIME_MS_MAX = 253_402_300_799_000;

/** ISO 8601 UTC with whole seconds, from Unix milliseconds; capped at `TIME_MS_MAX`. */
export const isoTime = (ms: number): string =>
  `${new Date(Math.min(ms, TIME_MS_MAX)).toISOString().slice(0, 19)}Z`;
