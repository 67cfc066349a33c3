import { LRUCache } from 'lru-cache';
import { Events, type NatsConnection } from 'nats';
import type { Hex } from '../../shared/chain/block.ts';
import { clusterMessageSchema } from '../../shared/messages/clusterMessage.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import { clusterSubjects, scoreSubjects } from '../../shared/messages/subjects.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { CacheMeter } from '../../shared/platform/metrics.ts';
import type { Tokens } from './createTokens.ts';
import type { Verdict } from './verdict.ts';

/**
 * Milliseconds a verdict is answered from memory at the most, counted from the start of the query that
 * read it. Changes that are published end it at once; this bounds those that are not: verdicts made while the
 * scorer catches up, and rows of wallets, which are written after the message about their ring.
 */
export const VERDICT_KEPT_MS_MAX = 2_000;
/** Bytes of the verdicts kept, as `bytesOf` reckons them. */
const BYTES_MAX = 16 * 1024 * 1024;
/** A verdict as objects and as the text of an answer takes about so much of its length as JSON. */
const BYTES_PER_CHARACTER = 5;

interface Kept {
  readonly verdict: Verdict;
  readonly readAtMs: number;
}

/** Verdicts in memory for a moment. */
interface VerdictCache extends Pick<Tokens, 'find' | 'findRecent'> {
  /** The token has, or may have, another verdict from now on. */
  forget(token: Hex): void;
  /** The same of all tokens made by these wallets. */
  forgetMadeBy(wallets: readonly Hex[]): void;
  /** The same of every token. */
  forgetAll(): void;
  /** Whether changes are reported; while they are not, as at first, nothing is answered from memory. */
  setConnected(isConnected: boolean): void;
}

const bytesOf = ({ verdict }: Kept): number => JSON.stringify(verdict).length * BYTES_PER_CHARACTER;

/**
 * Keeps what `find` reads. Only tokens that have a verdict are kept. A query that was running when its token
 * was forgotten answers those who asked before, and is not kept.
 * @param args.now monotonic milliseconds.
 */
export const createVerdictCache = (args: {
  find: Tokens['find'];
  now: () => number;
  meter?: CacheMeter;
}): VerdictCache => {
  const { find, now, meter } = args;
  const kept = new LRUCache<Hex, Kept>({ maxSize: BYTES_MAX, sizeCalculation: bytesOf });
  /** The latest query of each token, unless the token was forgotten since it began. */
  const running = new Map<Hex, { answer: Promise<Verdict | undefined>; readAtMs: number }>();
  let isConnected = false;

  const read = (token: Hex): Promise<Verdict | undefined> => {
    const query = { answer: find(token), readAtMs: now() };
    if (!isConnected) return query.answer;
    running.set(token, query);
    const keep = (verdict: Verdict | undefined): void => {
      if (running.get(token) !== query) return;
      running.delete(token);
      if (verdict) kept.set(token, { verdict, readAtMs: query.readAtMs });
      else kept.delete(token);
    };
    query.answer.then(keep, () => keep(undefined));
    return query.answer;
  };
  const isRecent = ({ readAtMs }: { readAtMs: number }): boolean =>
    now() - readAtMs < VERDICT_KEPT_MS_MAX;
  const forgetAll = (): void => {
    kept.clear();
    running.clear();
  };
  return {
    find: read,
    findRecent: async (token) => {
      const known = kept.get(token);
      if (known && isRecent(known)) {
        meter?.hit();
        return known.verdict;
      }
      meter?.miss();
      const query = running.get(token);
      return query && isRecent(query) ? query.answer : read(token);
    },
    forget: (token) => {
      kept.delete(token);
      running.delete(token);
    },
    forgetMadeBy: (wallets) => {
      const makers = new Set(wallets);
      for (const [token, { verdict }] of kept.entries()) {
        if (makers.has(verdict.doc.creator.address as Hex)) kept.delete(token);
      }
      // Who made the tokens asked for is not known yet.
      running.clear();
    },
    forgetAll,
    setConnected: (next) => {
      isConnected = next;
      if (!next) forgetAll();
    },
  };
};

type Forgetting = Omit<VerdictCache, 'find' | 'findRecent'>;

/** A subject `score.<chain>.<token>` says which token changed. */
const forgetScored = (cache: Forgetting, subject: string): void => {
  cache.forget(addressSchema.parse(subject.split('.').at(-1)));
};

/** A verdict names the ring of its token's creator. */
const forgetRing = (cache: Forgetting, data: Uint8Array): void => {
  const message = clusterMessageSchema.parse(JSON.parse(Buffer.from(data).toString()));
  const wallets = [...message.joined, ...message.left];
  if (message.joinedCount + message.leftCount > wallets.length) cache.forgetAll();
  else if (wallets.length > 0) cache.forgetMadeBy(wallets);
};

/** Invalidates what the other roles change on a chain. */
export const followChanges = (
  chainId: number,
  { cache, logger }: { cache: Forgetting; logger: Logger },
): Subscriber => ({
  subjects: [scoreSubjects(chainId), clusterSubjects(chainId)],
  onMessage: (subject, data) => {
    try {
      if (subject.startsWith('score.')) forgetScored(cache, subject);
      else forgetRing(cache, data);
    } catch (error) {
      logger.error({ subject }, `change cannot be read: ${errorMessage(error)}`);
      cache.forgetAll();
    }
  },
  onConnected: (isConnected) => cache.setConnected(isConnected),
});

/** What receives messages while connected. */
export interface Subscriber {
  readonly subjects: readonly string[];
  /** Every message of the subjects while the connection is up; those sent while it is down are lost. */
  onMessage(subject: string, data: Uint8Array): void;
  /** Whether messages arrive from now on; none do before the first call. */
  onConnected(isConnected: boolean): void;
}

/**
 * Delivers messages as they are published, sooner than a reader of the stream that keeps them and without its
 * guarantees: for caches, which are cleared when messages may have been missed. Ends with the connection.
 */
export const subscribe = async (
  connection: NatsConnection,
  subscriber: Subscriber,
  logger: Logger,
): Promise<void> => {
  for (const subject of subscriber.subjects) {
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error) subscriber.onMessage(message.subject, message.data);
      },
    });
  }
  let connections = 1;
  // The answer comes after the server has taken the subscriptions, which the client makes again by itself.
  const confirm = async (): Promise<void> => {
    const current = connections;
    try {
      await connection.flush();
      if (current === connections) subscriber.onConnected(true);
    } catch (error) {
      logger.warn(`NATS: ${errorMessage(error)}`);
    }
  };
  await confirm();
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) {
      connections += 1;
      subscriber.onConnected(false);
    } else if (type === Events.Reconnect) {
      await confirm();
    }
  }
};
