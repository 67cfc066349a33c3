import type { Redis } from 'ioredis';
import type { Clock } from '../platform/clock.ts';
import { errorMessage, RetryableError } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { onRedis } from '../platform/redis.ts';

/** Kinds of user data that roles hold in memory. */
export type ChangeKind = 'watch' | 'settings' | 'webhooks' | 'keys';

const STREAM = 'changes';
const COUNT = 'changes:count';
/**
 * Minimum number of entries kept: readers are at most seconds behind, and one that misses an entry reloads
 * everything.
 */
const KEPT_ENTRIES = 10_000;
const ENTRIES_AT_ONCE = 1_000;
/** Milliseconds that a read waits for the next entry; less than the command time limit. */
const WAIT_MS = 1_000;
const RETRY_MS = 1_000;
/** Milliseconds that a caller waits until the stored changes are applied, and between two checks. */
const CATCH_UP_MS_MAX = 3_000;
const CATCH_UP_POLL_MS = 2;

/** The keys of a script that calls `announce`; the script's own keys follow them. */
export const CHANGE_KEYS: readonly string[] = [STREAM, COUNT];

/**
 * A Lua function that appends a change to the stream `changes`. A script calls it together with the write that it
 * announces, so that both happen or neither. Entries are numbered without gaps.
 */
export const ANNOUNCE_LUA = `
local function announce(kind, message)
  local id = string.format('%d-0', redis.call('INCR', KEYS[2]))
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ${KEPT_ENTRIES}, id, kind, message)
end
`;

/** Loads and updates what a follower holds in memory. */
export interface ChangeFollower {
  /**
   * Reads everything again. Changes that arrive meanwhile are passed on afterwards, in order, whether or not the read
   * already included them.
   */
  readonly load: () => Promise<void>;
  /** Applies one change, given as JSON text; must be idempotent. Kinds without a handler are ignored. */
  readonly apply: Readonly<Partial<Record<ChangeKind, (message: string) => void | Promise<void>>>>;
}

/** The state of a follower. */
export interface Following {
  /** Whether the last read succeeded, so that the data in memory is at most about a second old. */
  isCurrent(): boolean;
  /**
   * Resolves once every change stored before the call is applied. @throws RetryableError if that takes too long.
   */
  caughtUp(): Promise<void>;
}

const numberOf = (id: string): number => Number(id.split('-')[0]);

interface FollowPorts {
  readonly redis: Redis;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Loads a follower, and passes changes on to it. */
const createReader = ({ redis, clock, logger }: FollowPorts, follower: ChangeFollower) => {
  /** Number of the last applied change. */
  let last = -1;
  const lastStored = async (): Promise<number> =>
    Number((await onRedis(() => redis.get(COUNT))) ?? 0);
  const apply = async (kind: string | undefined, message: string): Promise<void> => {
    try {
      await follower.apply[kind as ChangeKind]?.(message);
    } catch (error) {
      if (error instanceof RetryableError) throw error;
      logger.error({ err: error, kind }, 'change cannot be read');
    }
  };
  return {
    load: async (): Promise<void> => {
      const stored = await lastStored();
      await follower.load();
      last = stored;
    },
    /**
     * Applies the changes after the last one; if there are none, waits for them on the connection `waiting`.
     */
    readOn: async (waiting: Redis): Promise<void> => {
      const read = await onRedis(() =>
        waiting.xread('COUNT', ENTRIES_AT_ONCE, 'BLOCK', WAIT_MS, 'STREAMS', STREAM, `${last}-0`),
      );
      const entries = read?.[0]?.[1] ?? [];
      // A restored or replaced server may restart its numbering.
      if (entries.length === 0 && (await lastStored()) < last) {
        throw new RetryableError(`Redis: changes up to ${last} are not there any more`);
      }
      for (const [id, [kind, message = '']] of entries) {
        if (numberOf(id) !== last + 1) {
          throw new RetryableError(`Redis: changes ${last + 1} to ${numberOf(id) - 1} are trimmed`);
        }
        await apply(kind, message);
        last += 1;
      }
    },
    caughtUp: async (): Promise<void> => {
      const stored = await lastStored();
      const giveUpAtMs = clock.now() + CATCH_UP_MS_MAX;
      while (last < stored) {
        if (clock.now() > giveUpAtMs) throw new RetryableError('Redis: changes are not followed');
        await clock.sleep(CATCH_UP_POLL_MS);
      }
    },
  };
};

/**
 * Loads `follower`, then passes on every change until `signal` aborts. Resolves once it is loaded, which takes until
 * Redis is available. If Redis fails later, the data stays in memory and is reloaded when Redis is back. Reads of the
 * stream wait on a connection of their own.
 */
export const followChanges = (
  ports: FollowPorts,
  follower: ChangeFollower,
  signal: AbortSignal,
): Promise<Following> => {
  const { redis, clock, logger } = ports;
  const reader = createReader(ports, follower);
  const waiting = redis.duplicate();
  waiting.on('error', (error) => logger.debug({ err: error }, 'Redis is away'));
  signal.addEventListener('abort', () => waiting.disconnect());
  let isCurrent = false;
  return new Promise((resolve) => {
    const following = { isCurrent: () => isCurrent, caughtUp: () => reader.caughtUp() };
    const loadAndFollow = async (): Promise<void> => {
      await reader.load();
      isCurrent = true;
      resolve(following);
      while (!signal.aborted) await reader.readOn(waiting);
    };
    void (async () => {
      await waiting.connect().catch(() => undefined);
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
