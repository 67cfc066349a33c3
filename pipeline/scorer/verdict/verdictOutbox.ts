import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { scoreMessageId } from './eventPublisher.ts';

/** How far facts lagged when they were stored. */
export interface Lag {
  /** Blocks between them and the head of the chain. */
  readonly lagBlocks: number;
  /** Milliseconds since they were read from the node. */
  readonly lateMs: number;
}

/** From this lag on the node's current state is no evidence for the facts at hand. */
const LIVE_LAG_BLOCKS_MAX = 32;
/** Older facts, and older verdicts that are unpublished, are never published, milliseconds. */
export const PUBLISH_AGE_MS_MAX = 3_600_000;

/** Whether facts reach the head of the chain, as far as the node had shown it when they were read. */
export const isAtHead = ({ lagBlocks }: Lag): boolean => lagBlocks <= LIVE_LAG_BLOCKS_MAX;

/**
 * Whether verdicts on facts are published. Old verdicts must not raise alerts: those made while a scorer catches up with
 * the chain, or with a stream that filled during an outage, are stored only.
 */
export const isRecent = (lag: Lag): boolean => isAtHead(lag) && lag.lateMs <= PUBLISH_AGE_MS_MAX;

interface VerdictOutboxPorts {
  /** Messages stored with verdicts in force since a time (Unix milliseconds), a bounded number of the latest. */
  readonly stored: (sinceMs: number) => Promise<ScoreMessage[]>;
  /** Ids of the messages published since a time (Unix milliseconds). */
  readonly publishedSince: (sinceMs: number) => Promise<ReadonlySet<string>>;
  /** Publishes messages; resolves when the stream has all of them on disk. */
  readonly publish: (messages: readonly ScoreMessage[]) => Promise<void>;
  /** Whether verdicts on the facts at hand are published: see `isRecent`. */
  readonly isRecent: () => boolean;
  /** Counts verdicts by outcome. */
  readonly count: (outcome: PublishOutcome, verdicts: number) => void;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info'>;
}

/** Published when stored, published after a crash or an outage, or too old to be published. */
export type PublishOutcome = 'published' | 'published_late' | 'past';

/**
 * The transactional outbox of verdicts, see OUTBOX.md: each is stored with its message, then published; nothing more is
 * stored until all that is stored is published. So what a crash left unpublished is always the latest.
 */
export interface VerdictOutbox {
  /** Publishes what is stored and unpublished; does nothing where the last `publish` succeeded. */
  flush(): Promise<void>;
  /**
   * Stores verdicts and publishes them if they are recent. Call `flush` first.
   * @param store stores the verdicts with the messages it is given: none where nothing is to be published
   */
  publish(
    messages: readonly ScoreMessage[],
    store: (messages: readonly ScoreMessage[]) => Promise<void>,
  ): Promise<void>;
}

/** Clocks of scorers and of NATS differ by less, milliseconds. */
const CLOCKS_DIFFER_MS_MAX = 60_000;

export const createVerdictOutbox = (ports: VerdictOutboxPorts): VerdictOutbox => {
  const { stored, publishedSince, publish, isRecent, count, clock, logger } = ports;
  /** False at first: the process before this one may have left something unpublished. */
  let isFlushed = false;

  const unpublished = async (): Promise<ScoreMessage[]> => {
    const latest = await stored(clock.now() - PUBLISH_AGE_MS_MAX);
    if (latest.length === 0) return [];
    const firstMs = Math.min(...latest.map(({ analyzedAtMs }) => analyzedAtMs));
    const published = await publishedSince(firstMs - CLOCKS_DIFFER_MS_MAX);
    return latest.filter((message) => !published.has(scoreMessageId(message)));
  };

  return {
    flush: async () => {
      if (isFlushed) return;
      const messages = await unpublished();
      if (messages.length > 0) {
        await publish(messages);
        count('published_late', messages.length);
        logger.info({ verdicts: messages.length }, 'stored verdicts published late');
      }
      isFlushed = true;
    },
    publish: async (messages, store) => {
      if (!isRecent()) {
        await store([]);
        count('past', messages.length);
        return;
      }
      isFlushed = false;
      await store(messages);
      await publish(messages);
      isFlushed = true;
      count('published', messages.length);
    },
  };
};
