import type { Clock } from '../../shared/platform/clock.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { type ActivityStore, type Progress, positionOf } from './ingest/activityStore.ts';
import type { IngestProgress } from './ingest/ingestor.ts';
import { isAtHead, isRecent, type Lag } from './verdict/verdictOutbox.ts';

/** Facts of an empty chain. */
const PRESENT: Lag = { lagBlocks: 0, lateMs: 0 };

/**
 * How far the facts of a chain are stored: read once, then followed, because only the leading scorer advances it.
 */
export const trackProgress = (
  activity: Pick<ActivityStore, 'progress'>,
  { chainId, clock }: { readonly chainId: number; readonly clock: Pick<Clock, 'now'> },
) => {
  let latest: Lag | undefined;
  let furthest: Progress | undefined;
  let isRead = false;
  const follow = (progress: Progress): void => {
    if (!furthest || positionOf(progress) > positionOf(furthest)) furthest = progress;
  };
  const begin = async (): Promise<void> => {
    const last = await activity.progress(chainId);
    if (last) {
      const lagBlocks = last.head - last.block.number;
      latest ??= { lagBlocks, lateMs: clock.now() - last.updatedAtMs };
      follow(last);
    }
    isRead = true;
  };
  const current = async (): Promise<Progress | undefined> => {
    if (!isRead) await begin();
    return furthest;
  };
  return {
    /** Up to where facts are stored in full; undefined before the first block. */
    current,
    /** Records what is stored now, or is about to be. */
    update: ({ lag, reached }: Pick<IngestProgress, 'lag' | 'reached'>): void => {
      latest = lag ?? latest;
      if (reached) follow(reached);
    },
    lagBlocks: (): number => (latest ?? PRESENT).lagBlocks,
    isLive: (): boolean => isAtHead(latest ?? PRESENT),
    isRecent: (): boolean => isRecent(latest ?? PRESENT),
    /** The last block whose facts are stored in full, with its position; undefined before the first. */
    stored: async () => {
      const progress = await current();
      if (!progress) return undefined;
      const { number, timestampS } = progress.block;
      return { number, timestampS, position: positionOf(progress) };
    },
  };
};
export type ChainProgress = ReturnType<typeof trackProgress>;

/** Milliseconds between two log lines about the scoring backlog during catch-up. */
const REPORT_EVERY_MS = 5_000;

/** Logs how many tokens are left to score. */
export const reportWaiting = (
  {
    clock,
    logger,
    waiting,
  }: {
    readonly clock: Pick<Clock, 'now'>;
    readonly logger: Pick<Logger, 'info'>;
    readonly waiting: ((tokens: number) => void) | undefined;
  },
  { isLive, lagBlocks }: ChainProgress,
) => {
  let reportedMs = clock.now();
  return (tokens: number): void => {
    waiting?.(tokens);
    if (isLive() || clock.now() - reportedMs < REPORT_EVERY_MS) return;
    reportedMs = clock.now();
    logger.info({ lag: lagBlocks(), tokensToScore: tokens }, 'catching up');
  };
};
