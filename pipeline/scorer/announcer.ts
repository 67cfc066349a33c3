import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { scoreMessageId } from './eventPublisher.ts';
import { NEWS_AGE_MS_MAX } from './verdict/news.ts';

export interface AnnouncerPorts {
  /** The announcements stored with verdicts in force since a moment (Unix milliseconds), the latest of them. */
  readonly stored: (sinceMs: number) => Promise<ScoreMessage[]>;
  /** Ids of the verdicts that were told since a moment (Unix milliseconds). */
  readonly toldSince: (sinceMs: number) => Promise<ReadonlySet<string>>;
  /** Tells of verdicts; resolves when all of them are on disk. */
  readonly publish: (messages: readonly ScoreMessage[]) => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info'>;
}

/**
 * Tells of verdicts: see ANNOUNCEMENTS.md. Each is stored with its announcement, then told; nothing more is stored until
 * all that is stored is told. So whatever a death or a failure left untold is the latest, and the next one tells it.
 */
export interface Announcer {
  /** Tells what an earlier work stored and may not have told; what was told is not told again. */
  settle(): Promise<void>;
  /** Stores verdicts by `store`, with the announcements `news`, and tells them. Comes after `settle`. */
  tell(news: readonly ScoreMessage[], store: () => Promise<void>): Promise<void>;
}

/** Clocks of scorers and of NATS differ by less, milliseconds. */
const CLOCKS_DIFFER_MS_MAX = 60_000;

export const createAnnouncer = (ports: AnnouncerPorts): Announcer => {
  const { stored, toldSince, publish, clock, logger } = ports;
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
        logger.info({ verdicts: messages.length }, 'verdicts told that were stored only');
      }
      isSettled = true;
    },
    tell: async (news, store) => {
      if (news.length > 0) isSettled = false;
      await store();
      if (news.length === 0) return;
      await publish(news);
      isSettled = true;
    },
  };
};
