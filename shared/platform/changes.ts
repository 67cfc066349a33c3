import type { Redis } from 'ioredis';
import type { Clock } from './clock.ts';
import { errorMessage, RetryableError } from './errors.ts';
import type { Logger } from './logger.ts';
import { onRedis } from './redis.ts';

/** What people change, and roles hold in memory. */
export type ChangeKind = 'watch';

const STREAM = 'changes';
const COUNT = 'changes:count';
/** Entries kept at least: readers are seconds behind at most, and one that misses an entry loads everything anew. */
const KEPT_ENTRIES = 10_000;
const ENTRIES_AT_ONCE = 1_000;
/** Milliseconds a read waits for the next entry; less than a command may take. */
const WAIT_MS = 1_000;
const RETRY_MS = 1_000;

/** The keys of a script that calls `announce`, which expects them first. */
export const CHANGE_KEYS: readonly string[] = [STREAM, COUNT];

/**
 * A Lua function that appends a change to the stream `changes`: a script calls it beside the write that it announces, so that
 * both happen or neither. Entries are numbered without gaps.
 */
export const ANNOUNCE_LUA = `
local function announce(kind, message)
  local id = string.format('%d-0', redis.call('INCR', KEYS[2]))
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ${KEPT_ENTRIES}, id, kind, message)
end
`;

/** What a follower holds in memory, and how it comes to it. */
export interface ChangeFollower {
  /** Reads everything anew. Changes that come meanwhile are passed on after it, in order, whether it saw them or not. */
  readonly load: () => Promise<void>;
  /** Takes over one change, a JSON text; repeating it must change nothing. Kinds without a handler are passed over. */
  readonly apply: Readonly<Partial<Record<ChangeKind, (message: string) => void>>>;
}

/** How a follower stands. */
export interface Following {
  /** Whether the last read succeeded, so that what is in memory is at most about a second old. */
  isCurrent(): boolean;
}

const numberOf = (id: string): number => Number(id.split('-')[0]);

/**
 * Fills `follower` and then passes on every change until `signal` aborts. Resolves once it is filled: while Redis is away
 * at the start, that takes until it is back. Later everything in memory stays while Redis is away, and is loaded anew when it is back.
 * @param redis a connection of its own: reads wait on it.
 */
export const followChanges = (
  ports: { redis: Redis; clock: Clock; logger: Logger },
  follower: ChangeFollower,
  signal: AbortSignal,
): Promise<Following> => {
  const { redis, clock, logger } = ports;
  let isCurrent = false;
  const lastNumber = async (): Promise<number> =>
    Number((await onRedis(() => redis.get(COUNT))) ?? 0);

  /** Passes on what follows the entry `last`, and resolves to the number of the last one of these. */
  const readOn = async (last: number): Promise<number> => {
    const read = await onRedis(() =>
      redis.xread('COUNT', ENTRIES_AT_ONCE, 'BLOCK', WAIT_MS, 'STREAMS', STREAM, `${last}-0`),
    );
    const entries = read?.[0]?.[1] ?? [];
    // A restored or replaced server may number anew.
    if (entries.length === 0 && (await lastNumber()) < last) {
      throw new RetryableError(`Redis: changes up to ${last} are not there any more`);
    }
    let number = last;
    for (const [id, [kind, message = '']] of entries) {
      if (numberOf(id) !== number + 1) {
        throw new RetryableError(`Redis: changes ${number + 1} to ${numberOf(id) - 1} are trimmed`);
      }
      number += 1;
      try {
        follower.apply[kind as ChangeKind]?.(message);
      } catch (error) {
        logger.error({ err: error, kind, number }, 'change cannot be read');
      }
    }
    return number;
  };

  return new Promise((resolve) => {
    const following = { isCurrent: () => isCurrent };
    const loadAndFollow = async (): Promise<void> => {
      let last = await lastNumber();
      await follower.load();
      isCurrent = true;
      resolve(following);
      while (!signal.aborted) last = await readOn(last);
    };
    void (async () => {
      while (!signal.aborted) {
        try {
          await loadAndFollow();
        } catch (error) {
          isCurrent = false;
          if (signal.aborted) break;
          logger.warn(`changes are not followed: ${errorMessage(error)}`);
          await clock.sleep(RETRY_MS, signal);
        }
      }
      resolve(following);
    })();
  });
};
