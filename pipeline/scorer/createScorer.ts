import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import { chainPosition } from '../../shared/chain/version.ts';
import type { PricingConfig } from '../../shared/platform/config.ts';
import type { CacheMeters } from '../../shared/platform/metrics.ts';
import { type ChainProgress, reportWaiting, trackProgress } from './chainProgress.ts';
import { createContractCache } from './contract/contractCache.ts';
import { createContractReader } from './contract/contractReader.ts';
import { createHorizonSchedule, createHorizonScorer } from './horizon/horizonSchedule.ts';
import { createMarketStarts } from './horizon/horizonStore.ts';
import type { Activity } from './ingest/activityStore.ts';
import { createDiscovery } from './ingest/discovery.ts';
import { createIngestor, type Ingestor } from './ingest/ingestor.ts';
import { type Analyzer, createAnalyzer } from './jobs/analyzer.ts';
import { createDeploymentFinder, createHistoryReader } from './jobs/historyReader.ts';
import type { Learner } from './learning/learner.ts';
import { type Learning, type LearningParts, openLearning } from './learning/openLearning.ts';
import { createLockProber } from './locks/lockProber.ts';
import type { Model } from './model/model.ts';
import { openStores, type Stores } from './openStores.ts';
import { createOutcomeRecorder, type OutcomeRecorder } from './outcome/outcomeRecorder.ts';
import { createKnownPairs } from './pool/knownPairs.ts';
import { createMarketSides, createMarketSidesStore } from './pool/marketSides.ts';
import { createPoolReader } from './pool/poolStore.ts';
import type { ScorerMeter } from './scorerMetrics.ts';
import type { Simulations } from './simulation/simulations.ts';
import { type ChainNode, createTokenReader } from './token/tokenReader.ts';
import { createScoringLoop, type ScoringLoop } from './verdict/scoringLoop.ts';
import { createTokenScorer, type TokenScorer } from './verdict/tokenScorer.ts';
import { createVerdictOutbox, type VerdictOutboxPorts } from './verdict/verdictOutbox.ts';

/** Dependencies of a scorer. */
export interface ScorerParts extends LearningParts, Pick<VerdictOutboxPorts, 'publish' | 'log'> {
  readonly node: ChainNode;
  /** Contracts known to create pools; null if none is. */
  readonly factories: ReadonlySet<Hex> | null;
  /** Scores the code of contracts. */
  readonly codeModel: Model;
  readonly pricing: PricingConfig;
  readonly simulations: Simulations;
  readonly meter?: Pick<ScorerMeter, 'stored' | 'published' | 'waiting'>;
  readonly caches?: CacheMeters;
}

/** The scorer of one chain: ingests chain events and scores the tokens they touch. Only one works at a time. */
export interface Scorer {
  readonly ingestor: Ingestor;
  readonly loop: ScoringLoop;
  readonly outcomes: OutcomeRecorder;
  readonly learner: Learner;
  /** Creates verdicts that clients request. */
  readonly analyzer: Analyzer;
}

/** The wrapped native coin, then the stablecoins in which tokens are priced. */
const basesOf = ({ weth, stables }: PricingConfig): Hex[] => [weth, ...stables];

/** Computes verdicts from all known data of tokens. */
const openTokenScorer = (
  parts: ScorerParts,
  stores: Stores,
  { models, priors }: Learning,
  { isLive, isRecent }: ChainProgress,
): TokenScorer => {
  const { node, pricing, caches, clock, meter } = parts;
  const reader = createContractReader({ node, weth: pricing.weth, caches });
  return createTokenScorer({
    ...parts,
    ...stores,
    ...parts.simulations,
    knownPairs: createKnownPairs(node, parts.factories),
    locks: createLockProber({ store: stores.locks, node, isLive }),
    contracts: createContractCache({ store: stores.contracts, reader, clock, isLive }),
    models: () => models.current(),
    priors,
    bases: basesOf(pricing),
    isLive,
    count: (made) => meter?.stored(made, clock.now(), isLive()),
    outbox: createVerdictOutbox({
      ...parts,
      verdicts: stores.verdicts,
      isRecent,
      count: (outcome, made) => meter?.published(outcome, made),
    }),
  });
};

export const createScorer = (parts: ScorerParts): Scorer => {
  const { chainId, clickhouse, node, pricing, clock, logger } = parts;
  const bases = basesOf(pricing);
  const stores = openStores(parts);
  const { activity, cache } = stores;
  const progress = trackProgress(activity, parts);
  const { stored, isLive } = progress;
  const learning = openLearning(parts, progress);
  const scorer = openTokenScorer(parts, stores, learning, progress);
  const horizons = createHorizonSchedule({
    chainId,
    bases: [...bases, ZERO_ADDRESS],
    store: stores.horizons,
    clock,
  });
  const loop = createScoringLoop({
    scorer,
    due: (limit) => activity.due(chainId, limit),
    scoreHorizons: createHorizonScorer({ scorer, horizons, stored }),
    stored,
    isCatchingUp: () => !isLive(),
    onWaiting: reportWaiting({ clock, logger, waiting: parts.meter?.waiting }, progress),
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
    starts: createMarketStarts({ chainId, horizons: stores.horizons }),
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
      await scorer.score(requests, block);
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
      progress: progress.current,
      deployments: createDeploymentFinder(node),
      history: createHistoryReader(node),
      score,
      clock,
    }),
  };
};
