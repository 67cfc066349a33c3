import { errorMessage } from '../../shared/platform/errors.ts';
import { createWakeUp } from '../../shared/platform/wakeUp.ts';
import { unavailable } from '../server/apiError.ts';
import { type IndexThread, startIndexThread } from './indexThread.ts';
import type { IndexRead, OpenIndex } from './openIndex.ts';
import type { FeedPorts } from './rowFeed.ts';
import { createTokenFeed } from './tokenFeed.ts';
import { createWalletFeed } from './walletFeed.ts';

/** Milliseconds in which messages gather: those about a block are followed together. */
const GATHER_MS = 25;
/** Milliseconds between two looks for rows that no message told of: deletions, and what came while NATS was away. */
const LOOK_MS = 200;
/** The same where nothing new was found for some time: each costs the database two queries. */
const QUIET_LOOK_MS = 1_000;
/** That time, milliseconds: what belongs to a block is not stored at once. */
const BUSY_MS = 2_000;
/** Milliseconds before an index that failed is built anew, or what could not be read is read again. */
const RETRY_MS = 2_000;

/** Reads from the index. */
export interface ListIndex {
  /**
   * The answer to a question, parsed from its JSON.
   * @throws ApiError 503 while the index is built.
   */
  ask<M extends IndexRead>(method: M, question: Parameters<OpenIndex[M]>[0]): Promise<unknown>;
  /**
   * Resolves once tokens can be filtered by these features, which are read when they are first asked for.
   * @throws ApiError 503 where they cannot be read.
   */
  know(features: readonly string[]): Promise<void>;
}

const notReady = (): Promise<never> =>
  Promise.reject(unavailable('lists and searches are being prepared'));

/** An index that is never ready. */
export const NO_INDEX: ListIndex = {
  ask: notReady,
  know: notReady,
};

/** How the index is, for metrics and health. */
export interface IndexState {
  readonly isReady: boolean;
  /** Times it was given up because of an error. */
  readonly failures: number;
  /** Seconds since all that was stored was last followed; undefined before that. */
  readonly lagS: number | undefined;
}

interface IndexPorts extends FeedPorts {
  readonly startThread?: () => Promise<IndexThread>;
}

/** A thread that answers, and what keeps it up to date. */
interface Serving {
  readonly thread: IndexThread;
  readonly tokens: ReturnType<typeof createTokenFeed>;
  readonly wallets: ReturnType<typeof createWalletFeed>;
}

/** Follows what is stored; messages wake it. */
const createFollower = ({ clock, logger }: IndexPorts) => {
  const wake = createWakeUp(clock);
  let [followedMs, newMs]: (number | undefined)[] = [];
  /** Returns whether anything was new lately. */
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
    /** Seconds since all that was stored was last followed; undefined before that. */
    lagS: (): number | undefined =>
      followedMs === undefined ? undefined : (clock.now() - followedMs) / 1_000,
    /** Follows until aborted, at once and from then on. Rejects when the thread has ended; what cannot be read is read again. */
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
 * An index of the verdicts and wallets of one chain in this process, built when it starts from those in force. It follows the numbers of stored
 * rows; messages tell it when to look.
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
      const [tokens, wallets] = [await own.tokens.load(signal), await own.wallets.load(signal)];
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
    /** A message told of verdicts or wallets. */
    changed: follower.changed,
    state: (): IndexState => ({
      isReady: serving !== undefined,
      failures,
      lagS: follower.lagS(),
    }),
    /** Builds and follows until aborted; anew after an error. */
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
    /** Follows at once all that is stored, for tests. */
    followNow: async (): Promise<void> => {
      if (serving) await follower.look(serving);
    },
  };
};
