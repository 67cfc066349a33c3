import type { Redis } from 'ioredis';
import { RetryableError } from '../platform/errors.ts';
import { createScript, onRedis } from '../platform/redis.ts';
import { ANNOUNCE_LUA, CHANGE_KEYS, type ChangeKind } from './changes.ts';

/** A record before and after a change, undefined if absent, and the message that announces the change. */
export interface RecordChange {
  readonly family: string;
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly message: object;
  /** Maximum number of records; one more is not added. */
  readonly recordsMax?: number;
}

/** Result of a change: made, the record no longer equals `before`, or the family has too many. */
export type RecordOutcome =
  | { readonly kind: 'changed' }
  | { readonly kind: 'differs'; readonly stored: string | undefined }
  | { readonly kind: 'full' };

const CHANGE = `${ANNOUNCE_LUA}
local stored = redis.call('HGET', KEYS[3], ARGV[1])
if (stored or '') ~= ARGV[2] then return {'differs', stored} end
if not stored and redis.call('HLEN', KEYS[3]) >= tonumber(ARGV[4]) then return {'full'} end
if ARGV[3] == '' then redis.call('HDEL', KEYS[3], ARGV[1]) else redis.call('HSET', KEYS[3], ARGV[1], ARGV[3]) end
announce(ARGV[5], ARGV[6])
return {'changed'}
`;

/** Families per page: few, because chain events wait while a page is processed. */
const FAMILIES_AT_ONCE = 100;
/** Of several concurrent changes to one record, one succeeds in each round. */
const ROUNDS_MAX = 50;

/**
 * User data by key family: hashes in Redis whose key is `prefix` and the family, with one non-empty text per record,
 * announced as changes of one kind. Every method throws RetryableError while Redis is unavailable.
 */
export const createFamilyRecords = (
  redis: Redis,
  { prefix, kind }: { prefix: string; kind: ChangeKind },
) => {
  const script = createScript(redis, CHANGE);
  const keyOf = (family: string): string => `${prefix}${family}`;
  const all = async (family: string): Promise<ReadonlyMap<string, string>> =>
    new Map(Object.entries(await onRedis(() => redis.hgetall(keyOf(family)))));
  const find = async (family: string, name: string): Promise<string | undefined> =>
    (await onRedis(() => redis.hget(keyOf(family), name))) ?? undefined;
  const change = async (wanted: RecordChange): Promise<RecordOutcome> => {
    const { family, name, before = '', after = '', recordsMax = Number.MAX_SAFE_INTEGER } = wanted;
    const args = [name, before, after, recordsMax, kind, JSON.stringify(wanted.message)];
    const answer = await onRedis(() => script([...CHANGE_KEYS, keyOf(family)], args));
    const [outcome, stored] = answer as [RecordOutcome['kind'], (string | null)?];
    return outcome === 'differs'
      ? { kind: outcome, stored: stored ?? undefined }
      : { kind: outcome };
  };
  return {
    /** Texts by record name, unordered. */
    all,
    find,
    /** Changes and announces a record in one step, or does neither. */
    change,
    /**
     * Changes a record to the result of `edit`, and repeats that if it was changed concurrently.
     * @param edit returns undefined to leave the record unchanged; then this resolves to false.
     */
    edit: async (
      family: string,
      name: string,
      edit: (
        stored: string | undefined,
      ) => Pick<RecordChange, 'after' | 'message' | 'recordsMax'> | undefined,
    ): Promise<boolean> => {
      let before = await find(family, name);
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        const edited = edit(before);
        if (!edited) return false;
        const outcome = await change({ family, name, before, ...edited });
        if (outcome.kind === 'changed') return true;
        if (outcome.kind === 'full') return false;
        before = outcome.stored;
      }
      throw new RetryableError(`Redis: too many change ${keyOf(family)} at once`);
    },
    /** All records of all families, in pages. A record that exists throughout is in at least one page. */
    pages: async function* (): AsyncIterable<
      readonly { readonly family: string; readonly records: ReadonlyMap<string, string> }[]
    > {
      let cursor = '0';
      do {
        const [next, keys] = await onRedis(() =>
          redis.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', FAMILIES_AT_ONCE),
        );
        cursor = next;
        const families = keys.map((key) => key.slice(prefix.length));
        yield await Promise.all(
          families.map(async (family) => ({ family, records: await all(family) })),
        );
      } while (cursor !== '0');
    },
  };
};
