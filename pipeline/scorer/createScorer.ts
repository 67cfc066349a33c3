import type { Hex } from '../../shared/chain/block.ts';
import { chainPosition } from '../../shared/chain/version.ts';
import { createPriceStore } from '../../shared/market/priceStore.ts';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { PricingConfig } from '../../shared/platform/config.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { CacheMeters } from '../../shared/platform/metrics.ts';
import { sentence } from '../../shared/sentences/sentence.ts';
import type { TradeSimulation } from './checks/checkInput.ts';
import { createContractCache } from './contract/contractCache.ts';
import { createContractReader } from './contract/contractReader.ts';
import { createContractStore } from './contract/contractStore.ts';
import { createFeatureStore } from './features/featureStore.ts';
import { createHolderSalesStore } from './features/holderSalesStore.ts';
import { createWalletStore } from './features/walletStore.ts';
import { createHorizonSchedule, createHorizonScorer } from './horizon/horizonSchedule.ts';
import { createFirstSyncs, createHorizonStore } from './horizon/horizonStore.ts';
import {
  type Activity,
  type ActivityStore,
  createActivityStore,
  followProgress,
} from './ingest/activityStore.ts';
import { createDiscovery } from './ingest/discovery.ts';
import { createFactStore } from './ingest/factStore.ts';
import { createIngestor, type Ingestor, type IngestProgress } from './ingest/ingestor.ts';
import { noteChanges } from './ingest/noteChanges.ts';
import { type Analyzer, createAnalyzer } from './jobs/analyzer.ts';
import { createDeploymentFinder, createHistoryReader } from './jobs/historyReader.ts';
import { createDriftStore } from './learning/driftStore.ts';
import {
  createLearner,
  createPriors,
  type Learner,
  type LearningReport,
  type PriorScamRates,
} from './learning/learner.ts';
import { createModelChoice, type ModelChoice } from './learning/modelChoice.ts';
import { createModelStore } from './learning/modelStore.ts';
import { createShadowStore } from './learning/shadowStore.ts';
import { createLockProber } from './locks/lockProber.ts';
import { createLockStore } from './locks/lockStore.ts';
import { openModel } from './model/loadModel.ts';
import type { Model } from './model/model.ts';
import { createOutcomeRecorder, type OutcomeRecorder } from './outcome/outcomeRecorder.ts';
import { createOutcomeStore } from './outcome/outcomeStore.ts';
import { createKnownPairs } from './pool/knownPairs.ts';
import { createLaunchStore } from './pool/launchStore.ts';
import { createMarketSides, createMarketSidesStore } from './pool/marketSides.ts';
import { createPoolReader, createPoolStore } from './pool/poolStore.ts';
import { createTokenMarketStore } from './pool/tokenMarkets.ts';
import { createReadCache } from './readCache.ts';
import type { ScorerMeter } from './scorerMetrics.ts';
import type { Simulations } from './simulation/simulations.ts';
import { type ChainNode, createTokenReader } from './token/tokenReader.ts';
import { createTokenStore } from './token/tokenStore.ts';
import type { EventPublisher } from './verdict/eventPublisher.ts';
import { createScoringLoop, type ScoringLoop } from './verdict/scoringLoop.ts';
import { createTokenScorer, type TokenScorer } from './verdict/tokenScorer.ts';
import {
  createVerdictOutbox,
  isAtHead,
  isRecent,
  type Lag,
  type VerdictOutbox,
} from './verdict/verdictOutbox.ts';
import { createVerdictStore } from './verdict/verdictStore.ts';

/** The wrapped native coin, then the stablecoins that tokens are priced in. */
const basesOf = ({ weth, stables }: PricingConfig): Hex[] => [weth, ...stables];

/** What a scorer depends on. */
export interface ScorerParts {
  readonly chainId: number;
  readonly clickhouse: Clickhouse;
  readonly node: ChainNode;
  /** Contracts that are known to make pools; null where none is. */
  readonly factories: ReadonlySet<Hex> | null;
  /** The model of the market that the release ships. */
  readonly model: Model;
  /** Scores markets that are older than a day. */
  readonly lifeModel: Model;
  /** Scores the code of contracts. */
  readonly codeModel: Model;
  readonly pricing: PricingConfig;
  /** Share of scams expected among the tokens of this deployment, 0 to 1; undefined: as the chain's own outcomes have it. */
  readonly priorScamRate: number | undefined;
  readonly simulations: Simulations;
  readonly events: Pick<EventPublisher, 'scores' | 'scoresSince'>;
  readonly meter?: Pick<ScorerMeter, 'stored' | 'published' | 'waiting'>;
  readonly caches?: CacheMeters;
  /** Takes how the models of the chain do. */
  readonly learned?: (report: LearningReport) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The scorer of one chain: ingests chain events and scores the tokens they touch. Only one works at a time. */
export interface Scorer {
  readonly ingestor: Ingestor;
  readonly loop: ScoringLoop;
  readonly outcomes: OutcomeRecorder;
  readonly learner: Learner;
  /** Makes verdicts that clients ask for. */
  readonly analyzer: Analyzer;
}

const CATCHING_UP: TradeSimulation = {
  kind: 'unknown',
  reason: sentence('behindHead'),
};

/** Facts of which nothing is known yet: there are none. */
const PRESENT: Lag = { lagBlocks: 0, lateMs: 0 };

/** Remembers how far the facts progress: as of the last message, else of the last run. */
const trackProgress = (activity: ActivityStore, { chainId, clock }: ScorerParts) => {
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
type ChainProgress = ReturnType<typeof trackProgress>;

/** All stores of a scorer. Those that share `cache` keep what was read until they write something else. */
const openStores = ({ clickhouse, pricing, clock }: ScorerParts) => {
  const cache = createReadCache();
  return {
    cache,
    facts: noteChanges(createFactStore(clickhouse), cache),
    tokens: createTokenStore(clickhouse, cache),
    pools: createPoolStore(clickhouse, cache),
    activity: createActivityStore(clickhouse),
    verdicts: createVerdictStore(clickhouse, cache),
    outcomes: createOutcomeStore(clickhouse),
    horizons: createHorizonStore(clickhouse),
    features: createFeatureStore(clickhouse, cache),
    markets: createTokenMarketStore(clickhouse, cache),
    locks: createLockStore(clickhouse, cache),
    launches: createLaunchStore(clickhouse, cache),
    holderSales: createHolderSalesStore(clickhouse, cache),
    wallets: createWalletStore(clickhouse, cache),
    contracts: createContractStore(clickhouse, cache),
    prices: createPriceStore({ clickhouse, pricing, clock }),
  };
};
type Stores = ReturnType<typeof openStores>;

/** Verdicts that say something new; unchanged ones are logged at debug level. */
const logVerdicts = (messages: readonly ScoreMessage[], logger: Logger): void => {
  for (const message of messages) {
    const { token, blockNumber: block, blockHash, prediction, previousPrediction } = message;
    const line = { token, block, blockHash, prediction, previousPrediction };
    if (prediction === previousPrediction) logger.debug(line, 'verdict kept');
    else logger.info(line, 'verdict');
  }
};

const openOutbox = (
  { chainId, events, meter, clock, logger }: ScorerParts,
  { verdicts }: Stores,
  { isRecent }: ChainProgress,
): VerdictOutbox =>
  createVerdictOutbox({
    stored: (sinceMs) => verdicts.unpublished(chainId, sinceMs),
    publishedSince: (sinceMs) => events.scoresSince(chainId, sinceMs),
    publish: async (messages) => {
      await events.scores(messages);
      logVerdicts(messages, logger);
    },
    isRecent,
    count: (outcome, made) => meter?.published(outcome, made),
    clock,
    logger,
  });

/** What makes verdicts; without a live head, the node's current state says nothing. */
const openTokenScorer = (
  parts: ScorerParts,
  stores: Stores,
  { models, priors }: Learning,
  progress: ChainProgress,
): TokenScorer => {
  const { node, pricing, caches, clock, meter } = parts;
  const { isLive } = progress;
  const reader = createContractReader({ node, weth: pricing.weth, caches });
  return createTokenScorer({
    ...stores,
    knownPairs: createKnownPairs(node, parts.factories),
    locks: createLockProber({ store: stores.locks, node, isLive }),
    model: () => models.current(),
    lifeModel: parts.lifeModel,
    codeModel: parts.codeModel,
    verdicts: {
      ...stores.verdicts,
      insert: async (verdicts, messages, last) => {
        await stores.verdicts.insert(verdicts, messages, last);
        meter?.stored(verdicts, clock.now(), isLive());
      },
    },
    simulate: async (requests, head) =>
      isLive() ? parts.simulations.simulate(requests, head) : requests.map(() => CATCHING_UP),
    tryHolders: async (held, head) => (isLive() ? parts.simulations.tryHolders(held, head) : []),
    contracts: createContractCache({ store: stores.contracts, reader, clock, isLive }),
    outbox: openOutbox(parts, stores, progress),
    priors,
    bases: basesOf(pricing),
    clock,
  });
};

/** Milliseconds between two lines on what is left to score while facts of the past are taken in. */
const REPORT_EVERY_MS = 5_000;

const reportWaiting = (
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

/** The models of a chain and what follows how they do. */
interface Learning {
  readonly models: ModelChoice;
  readonly priors: () => Promise<PriorScamRates>;
  readonly learner: Learner;
}

const openLearning = (parts: ScorerParts, { stored }: ChainProgress): Learning => {
  const { clickhouse, priorScamRate } = parts;
  const models = createModelChoice({
    ...parts,
    shipped: parts.model,
    store: createModelStore(clickhouse),
    open: openModel,
  });
  const ports = {
    ...parts,
    models,
    shadows: createShadowStore(clickhouse),
    drift: createDriftStore(clickhouse),
    chainTimeS: async () => (await stored())?.timestampS,
    report: (report: LearningReport) => parts.learned?.(report),
  };
  const fixed = async (rate: number) => ({ pooled: rate, others: rate });
  const priors = priorScamRate === undefined ? createPriors(ports) : () => fixed(priorScamRate);
  return { models, priors, learner: createLearner(ports) };
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
