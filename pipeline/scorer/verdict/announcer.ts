import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { scoreMessageId } from './eventPublisher.ts';

/** How far facts were behind the present when they were stored. */
export interface Behind {
  /** Blocks that the chain is ahead of them. */
  readonly lagBlocks: number;
  /** Milliseconds since they were read from the node. */
  readonly lateMs: number;
}

/** Blocks behind the head from which the node's state of now says nothing about the facts at hand. */
const LIVE_LAG_BLOCKS_MAX = 32;
/** From this age on facts, and verdicts that nobody was told of, are of the past, milliseconds. */
export const NEWS_AGE_MS_MAX = 3_600_000;

/** Whether facts reach the head of the chain, as far as the node had shown it when they were read. */
export const isAtHead = ({ lagBlocks }: Behind): boolean => lagBlocks <= LIVE_LAG_BLOCKS_MAX;

/**
 * Whether verdicts on facts are news. Old verdicts must not alert anybody: those made while a scorer catches up with
 * the chain, or with a stream that filled while it was away, are stored and nobody is told.
 */
export const isNews = (behind: Behind): boolean =>
  isAtHead(behind) && behind.lateMs <= NEWS_AGE_MS_MAX;

interface AnnouncerPorts {
  /** The announcements stored with verdicts in force since a moment (Unix milliseconds), the latest of them. */
  readonly stored: (sinceMs: number) => Promise<ScoreMessage[]>;
  /** Ids of the verdicts that were told since a moment (Unix milliseconds). */
  readonly toldSince: (sinceMs: number) => Promise<ReadonlySet<string>>;
  /** Tells of verdicts; resolves when all of them are on disk. */
  readonly publish: (messages: readonly ScoreMessage[]) => Promise<void>;
  /** Whether verdicts on the facts at hand are news: see `verdict/news.ts`. */
  readonly isNews: () => boolean;
  /** Counts verdicts by what became of their announcement. */
  readonly count: (outcome: Announced, verdicts: number) => void;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info'>;
}

/** Told at once, told by a later work than the one that stored it, or never: a verdict of the past. */
export type Announced = 'told' | 'told_late' | 'past';

/**
 * Tells of verdicts: see ANNOUNCEMENTS.md. Each is stored with its announcement, then told; nothing more is stored until
 * all that is stored is told. So whatever a death or a failure left untold is the latest, and the next one tells it.
 */
export interface Announcer {
  /** Tells what an earlier work stored and may not have told; what was told is not told again. */
  settle(): Promise<void>;
  /**
   * Stores verdicts and tells of them, if that is news. Comes after `settle`.
   * @param store stores the verdicts, with the announcements it is given: none where nobody is to be told
   */
  tell(
    messages: readonly ScoreMessage[],
    store: (news: readonly ScoreMessage[]) => Promise<void>,
  ): Promise<void>;
}

/** Clocks of scorers and of NATS differ by less, milliseconds. */
const CLOCKS_DIFFER_MS_MAX = 60_000;

export const createAnnouncer = (ports: AnnouncerPorts): Announcer => {
  const { stored, toldSince, publish, isNews, count, clock, logger } = ports;
  /** Nobody knows what the process before this one left. */
  let isSettled = false;

  const untold = async (): Promise<ScoreMessage[]> => {
    const latest = await stored(clock.now() - NEWS_AGE_MS_MAX);
    if (latest.length === 0) return [];
    const firstMs = Math.min(...latest.map(({ analyzedAtMs }) => analyzedAtMs));
    const told = await toldSince(firstMs - CLOCKS_DIFFER_MS_MAX);
    return latest.filter((message) => !told.has(scoreMessageId(message)));
  };

  return {
    settle: async () => {
      if (isSettled) return;
      const messages = await untold();
      if (messages.length > 0) {
        await publish(messages);
        count('told_late', messages.length);
        logger.info({ verdicts: messages.length }, 'verdicts told that were stored only');
      }
      isSettled = true;
    },
    tell: async (messages, store) => {
      if (!isNews()) {
        await store([]);
        count('past', messages.length);
        return;
      }
      isSettled = false;
      await store(messages);
      await publish(messages);
      isSettled = true;
      count('told', messages.length);
    },
  };
};
