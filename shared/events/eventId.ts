import { createHash } from 'node:crypto';
import { decodeTime, ulid } from 'ulid';

const BYTE_RANGE = 256;
const PREFIX = 'msg_';
/** What an event's id looks like. */
export const EVENT_ID_PATTERN = /^msg_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** A ULID that is the same for the same name and moment: its random part is a hash of the name. */
export const ulidOf = (name: string, atMs: number): string => {
  const hash = createHash('sha256').update(name).digest();
  let next = 0;
  return ulid(atMs, () => {
    const byte = hash[next % hash.length] ?? 0;
    next += 1;
    return byte / BYTE_RANGE;
  });
};

/** The id of an event, from what names it and the Unix milliseconds it came about at. */
export const eventId = (name: string, atMs: number): string => PREFIX + ulidOf(name, atMs);

/** Unix milliseconds in an event's id; undefined for a text that is none. */
export const timeOfEventId = (id: string): number | undefined =>
  EVENT_ID_PATTERN.test(id) ? decodeTime(id.slice(PREFIX.length)) : undefined;
