import { chainPosition } from '../../shared/chain/version.ts';
import { reportWaiting, trackProgress } from './chainProgress.ts';
import { createHorizonSchedule, createHorizonScorer } from './horizon/horizonSchedule.ts';
import { createFirstSyncs } from './horizon/horizonStore.ts';
import type { Activity } from './ingest/activityStore.ts';
import { createDiscovery } from './ingest/discovery.ts';
import { createIngestor, type Ingestor } from './ingest/ingestor.ts';
import { type Analyzer, createAnalyzer } from './jobs/analyzer.ts';
import { createDeploymentFinder, createHistoryReader } from './jobs/historyReader.ts';
import type { Learner } from './learning/learner.ts';
import { openLearning } from './learning/openLearning.ts';
import { openStores } from './openStores.ts';
import { createOutcomeRecorder, type OutcomeRecorder } from './outcome/outcomeRecorder.ts';
import { createMarketSides, createMarketSidesStore } from './pool/marketSides.ts';
import { createPoolReader } from './pool/poolStore.ts';
import { basesOf, type ScorerParts } from './scorerParts.ts';
import { createTokenReader } from './token/tokenReader.ts';
import { openTokenScorer } from './verdict/openTokenScorer.ts';
import { createScoringLoop, type ScoringLoop } from './verdict/scoringLoop.ts';

/** The scorer of one chain: ingests chain events and scores the tokens they touch. Only one works at a time. */
export interface Scorer {
  readonly ingestor: Ingestor;
  readonly loop: ScoringLoop;
  readonly outcomes: OutcomeRecorder;
  readonly learner: Learner;
  /** Makes verdicts that clients ask for. */
  readonly analyzer: Analyzer;
}

export const createScorer = (parts: ScorerParts): Scorer => {
  const { chainId, clickhouse, node, pricing, clock, logger } = parts;
  const bases = basesOf(pricing);
  const stores = openStores(parts);
  const { activity, cache } = stores;
  const progress = trackProgress(activity, parts);
  const { stored, isLive } = progress;
  const learning = openLearning(parts, progress);
  const scorer = openTokenScorer(parts, stores, learning, progress);
  const horizons = createHorizonSchedule({ chainId, bases, store: stores.horizons, clock });
  const loop = createScoringLoop({
    chainId,
    scorer,
    due: (limit) => activity.due(chainId, limit),
    scoreHorizons: createHorizonScorer({ chainId, scorer, horizons, stored }),
    stored,
    isCatchingUp: () => !isLive(),
    onWaiting: reportWaiting(parts, progress),
    bases,
    clock,
    logger,
  });
  const exclusive = (work: () => Promise<void>): Promise<void> => loop.exclusive(work);
  const tokenReader = createTokenReader(node);
  const poolReader = createPoolReader(node);
  const sides = createMarketSidesStore(clickhouse);
  const ingestor = createIngestor({
    ...stores,
    firstSyncs: createFirstSyncs({ chainId, horizons: stores.horizons }),
    horizons,
    discovery: createDiscovery({ ...parts, ...stores, tokenReader, poolReader }),
    cache,
    marketSides: createMarketSides({ chainId, store: sides, poolReader }),
    clock,
    betweenVerdicts: exclusive,
    onActivity: (activities, latest) => {
      progress.update(latest);
      loop.add(activities, chainPosition(latest.epoch, latest.storedUpTo));
    },
  });
  const score = (activities: readonly Activity[]): Promise<void> =>
    exclusive(async () => {
      const block = await stored();
      if (!block) return;
      const requests = activities.map((one) => ({ ...one, isRequested: true }));
      await scorer.score(chainId, requests, block);
    });
  return {
    ingestor,
    loop,
    outcomes: createOutcomeRecorder({ ...parts, ...stores, weth: pricing.weth, exclusive }),
    learner: learning.learner,
    analyzer: createAnalyzer({
      ...stores,
      chainId,
      bases,
      tokenReader,
      poolReader,
      deployments: createDeploymentFinder(node),
      history: createHistoryReader(node),
      score,
      clock,
    }),
  };
};
