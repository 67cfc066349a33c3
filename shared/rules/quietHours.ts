import { LRUCache } from 'lru-cache';
import type { Severity } from '../messages/alertMessage.ts';
import type { QuietHours } from '../messages/settingsMessage.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Formatters are cached because they are expensive to create: an event may go to thousands of targets. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 64 });

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  formats.set(timeZone, made);
  return made;
};

/** Local time in a time zone, represented as if it were UTC, to the minute; null for an unknown zone. */
const wallClockMs = (atMs: number, timeZone: string): number | null => {
  try {
    const parts = formatOf(timeZone).formatToParts(atMs);
    const of = (type: Intl.DateTimeFormatPartTypes): number =>
      Number(parts.find((part) => part.type === type)?.value);
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'));
  } catch {
    return null;
  }
};

/** Milliseconds since midnight. */
const msOfDay = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
};

/**
 * Whether an event of this severity must not be sent at a time (Unix milliseconds). Quiet from `from` up to, but not
 * including, `to`; over midnight if `to` is earlier; the whole day if both are equal. An unknown time zone silences
 * nothing.
 */
export const isQuiet = (
  quietHours: QuietHours | null | undefined,
  severity: Severity,
  atMs: number,
): boolean => {
  if (!quietHours) return false;
  const { timezone, except_critical: exceptCritical } = quietHours;
  if (exceptCritical && severity === 'critical') return false;
  const wallMs = wallClockMs(atMs, timezone);
  if (wallMs === null) return false;
  const [from, to] = [msOfDay(quietHours.from), msOfDay(quietHours.to)];
  const now = wallMs % DAY_MS;
  if (from === to) return true;
  return from < to ? now >= from && now < to : now >= from || now < to;
};

/**
 * The next time (Unix milliseconds) at which local time reaches a time of day; if a clock change skips it, as much
 * later as the change.
 */
export const nextTimeOfDay = (time: string, timeZone: string, atMs: number): number => {
  const offsetMs = (ms: number): number =>
    (wallClockMs(ms, timeZone) ?? ms) - Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  /** Candidates: local time rarely reaches it twice, and never if a clock change skips it. */
  const momentsOf = (wallMs: number): number[] => {
    const beforeMs = wallMs - offsetMs(wallMs - DAY_MS);
    const afterMs = wallMs - offsetMs(wallMs + DAY_MS);
    const shown = [beforeMs, afterMs].filter((ms) => ms + offsetMs(ms) === wallMs);
    return shown.length > 0 ? shown.toSorted((a, b) => a - b) : [beforeMs];
  };
  const today = Math.floor((atMs + offsetMs(atMs)) / DAY_MS) * DAY_MS + msOfDay(time);
  const moments = [0, 1, 2].flatMap((days) => momentsOf(today + days * DAY_MS));
  return moments.find((ms) => ms > atMs) ?? atMs;
};
