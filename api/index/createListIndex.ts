import { errorMessage } from '../../shared/platform/errors.ts';
import { createWakeUp } from '../../shared/platform/wakeUp.ts';
import { unavailable } from '../server/apiError.ts';
import { type IndexThread, startIndexThread } from './indexThread.ts';
import type { IndexRead, OpenIndex } from './openIndex.ts';
import type { FeedPorts } from './rowFeed.ts';
import { createTokenFeed } from './tokenFeed.ts';
import { createWalletFeed } from './walletFeed.ts';

/** Milliseconds for which messages are collected, so that those about one block are handled together. */
const GATHER_MS = 25;
/**
 * Milliseconds between two polls for rows that no message announced: deletions, and rows stored while NATS was
 * unavailable.
 */
const LOOK_MS = 200;
/** The same if nothing new was found for some time: each poll costs the database two queries. */
const QUIET_LOOK_MS = 1_000;
/** That time in milliseconds: rows of one block are not all stored at once. */
const BUSY_MS = 2_000;
/** Milliseconds before a failed index is rebuilt, or a failed read is repeated. */
const RETRY_MS = 2_000;

/** Queries of the index. */
export interface ListIndex {
  /**
   * The answer to a query, parsed from its JSON.
   * @throws ApiError 503 while the index is being built.
   */
  ask<M extends IndexRead>(method: M, question: Parameters<OpenIndex[M]>[0]): Promise<unknown>;
  /**
   * Resolves once tokens can be filtered by these features, which are loaded when first requested.
   * @throws ApiError 503 if they cannot be read.
   */
  know(features: readonly string[]): Promise<void>;
}

const notReady = (): Promise<never> =>
  Promise.reject(unavailable('lists and searches are being prepared'));

/** An index that never becomes ready. */
export const NO_INDEX: ListIndex = {
  ask: notReady,
  know: notReady,
};

/** State of the index, for metrics and health. */
export interface IndexState {
  readonly isReady: boolean;
  /** How often it was rebuilt because of an error. */
  readonly failures: number;
  /** Seconds since it was last up to date; undefined before that. */
  readonly lagS: number | undefined;
}

interface IndexPorts extends FeedPorts {
  readonly startThread?: () => Promise<IndexThread>;
}

/** The index thread, and what keeps it up to date. */
interface Serving {
  readonly thread: IndexThread;
  readonly tokens: ReturnType<typeof createTokenFeed>;
  readonly wallets: ReturnType<typeof createWalletFeed>;
}

/** Follows the stored rows; a message makes it poll at once. */
const createFollower = ({ clock, logger }: IndexPorts) => {
  const wake = createWakeUp(clock);
  let [followedMs, newMs]: (number | undefined)[] = [];
  /** Returns whether there was anything new recently. */
  const look = async ({ tokens, wallets }: Serving): Promise<boolean> => {
    const startMs = clock.now();
    const found = await Promise.all([tokens.follow(), wallets.follow()]);
    followedMs = startMs;
    if (found.includes(true)) newMs = startMs;
    return newMs !== undefined && startMs - newMs <= BUSY_MS;
  };
  return {
    look,
    changed: (): void => wake.notify(),
    /** Seconds since the index was last up to date; undefined before that. */
    lagS: (): number | undefined =>
      followedMs === undefined ? undefined : (clock.now() - followedMs) / 1_000,
    /**
     * Follows until aborted, starting at once. Rejects when the thread has ended; failed reads are repeated.
     */
    follow: async (
      serving: Serving,
      signal: AbortSignal,
      onFollowed: () => void,
    ): Promise<void> => {
      while (!signal.aborted) {
        try {
          const lookMs = (await look(serving)) ? LOOK_MS : QUIET_LOOK_MS;
          onFollowed();
          await wake.wait(lookMs, signal);
          await clock.sleep(GATHER_MS, signal);
        } catch (error) {
          if (serving.thread.hasEnded()) throw error;
          logger.warn({ error: errorMessage(error) }, 'index: not read, tried again');
          await clock.sleep(RETRY_MS, signal);
        }
      }
    },
  };
};

/**
 * An index of the verdicts and wallets of one chain in this process, built from the current ones when it starts: while one of both waits for the database, the
 * other is stored. It follows the numbers of stored rows; messages tell it when to look.
 */
export const createListIndex = (ports: IndexPorts) => {
  const { clock, logger, startThread = startIndexThread } = ports;
  const follower = createFollower(ports);
  let serving: Serving | undefined;
  let failures = 0;
  const serve = async (signal: AbortSignal): Promise<void> => {
    const thread = await startThread();
    try {
      const startMs = clock.now();
      const own = {
        thread,
        tokens: createTokenFeed(ports, thread),
        wallets: createWalletFeed(ports, thread),
      };
      const loading = [own.tokens.load(signal), own.wallets.load(signal)];
      const [tokens, wallets] = await Promise.all(loading);
      await follower.follow(own, signal, () => {
        if (serving) return;
        serving = own;
        const tookMs = Math.round(clock.now() - startMs);
        logger.info({ tokens, wallets, tookMs }, 'index: ready');
      });
    } finally {
      serving = undefined;
      await thread.close();
    }
  };
  const read = async <T>(from: (serving: Serving) => Promise<T>): Promise<T> => {
    if (!serving) return notReady();
    try {
      return await from(serving);
    } catch (error) {
      logger.warn({ error: errorMessage(error) }, 'index: a read failed');
      return notReady();
    }
  };
  return {
    ask: <M extends IndexRead>(
      method: M,
      question: Parameters<OpenIndex[M]>[0],
    ): Promise<unknown> =>
      read(async ({ thread }) => JSON.parse(await thread.call(method, question))),
    know: (features: readonly string[]): Promise<void> =>
      read(({ tokens }) => tokens.know(features)),
    /** A message announced verdicts or wallets. */
    changed: follower.changed,
    state: (): IndexState => ({
      isReady: serving !== undefined,
      failures,
      lagS: follower.lagS(),
    }),
    /** Builds and follows until aborted; starts over after an error. */
    run: async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        try {
          await serve(signal);
        } catch (error) {
          if (signal.aborted) return;
          failures += 1;
          logger.warn({ error: errorMessage(error) }, 'index: given up, built anew');
          await clock.sleep(RETRY_MS, signal);
        }
      }
    },
    /** Applies all stored rows at once, for tests. */
    followNow: async (): Promise<void> => {
      if (serving) await follower.look(serving);
    },
  };
};
