import { type ActivityStore, followProgress } from './ingest/activityStore.ts';
import type { IngestProgress } from './ingest/ingestor.ts';
import type { ScorerParts } from './scorerParts.ts';
import { isAtHead, isRecent, type Lag } from './verdict/verdictOutbox.ts';

/** Facts of which nothing is known yet: there are none. */
const PRESENT: Lag = { lagBlocks: 0, lateMs: 0 };

/** Remembers how far the facts progress: as of the last message, else of the last run. */
export const trackProgress = (activity: ActivityStore, { chainId, clock }: ScorerParts) => {
  let latest: Lag | undefined;
  const { follow, stored } = followProgress(
    {
      progress: async () => {
        const last = await activity.progress(chainId);
        if (last) {
          const lagBlocks = last.head - last.block.number;
          latest ??= { lagBlocks, lateMs: clock.now() - last.updatedAtMs };
        }
        return last;
      },
    },
    chainId,
  );
  return {
    update: ({ lag, reached }: IngestProgress): void => {
      latest = lag ?? latest;
      if (reached) follow(reached);
    },
    lagBlocks: (): number => (latest ?? PRESENT).lagBlocks,
    isLive: (): boolean => isAtHead(latest ?? PRESENT),
    isRecent: (): boolean => isRecent(latest ?? PRESENT),
    stored,
  };
};
export type ChainProgress = ReturnType<typeof trackProgress>;

/** Milliseconds between two lines on what is left to score while facts of the past are taken in. */
const REPORT_EVERY_MS = 5_000;

/** Tells how many tokens are left to score. */
export const reportWaiting = (
  { clock, logger, meter }: ScorerParts,
  { isLive, lagBlocks }: ChainProgress,
) => {
  let reportedMs = clock.now();
  return (tokens: number): void => {
    meter?.waiting(tokens);
    if (isLive() || clock.now() - reportedMs < REPORT_EVERY_MS) return;
    reportedMs = clock.now();
    logger.info({ lag: lagBlocks(), tokensToScore: tokens }, 'catching up');
  };
};
