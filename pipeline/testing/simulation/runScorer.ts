import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import { factoriesOf } from '../../../shared/chain/chains.ts';
import { chainPosition } from '../../../shared/chain/version.ts';
import { FEATURE_NAMES } from '../../../shared/messages/featureNames.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import { scoreSubject } from '../../../shared/messages/subjects.ts';
import type { SequencedEvent } from '../../../shared/platform/chainConsumer.ts';
import type { LoggedMessage } from '../../../shared/platform/eventLog.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import type { Publish } from '../../../shared/platform/publish.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { blocksEvent } from '../../../shared/testing/blocksEvent.ts';
import { trackProgress } from '../../scorer/chainProgress.ts';
import type { WalletStore } from '../../scorer/features/walletStore.ts';
import {
  createHorizonSchedule,
  createHorizonScorer,
} from '../../scorer/horizon/horizonSchedule.ts';
import { createMarketStarts } from '../../scorer/horizon/horizonStore.ts';
import { createDiscovery } from '../../scorer/ingest/discovery.ts';
import { createIngestor } from '../../scorer/ingest/ingestor.ts';
import { type Model, probabilityOf } from '../../scorer/model/model.ts';
import type { Pool } from '../../scorer/pool/poolStore.ts';
import { NO_CACHE } from '../../scorer/readCache.ts';
import type { ReadToken, TokenReader } from '../../scorer/token/tokenReader.ts';
import { createScoringLoop, type ScoringLoop } from '../../scorer/verdict/scoringLoop.ts';
import { createTokenScorer, type TokenScorerPorts } from '../../scorer/verdict/tokenScorer.ts';
import { createVerdictOutbox, scoreMessageId } from '../../scorer/verdict/verdictOutbox.ts';
import { rangeOfBlocks } from '../../watcher/blockRange.ts';
import { sampleToken } from '../sampleToken.ts';
import { createDatabase, type Database } from './database.ts';
import { createFakeHorizonStore } from './fakeAlertStores.ts';
import {
  createFakeActivityStore,
  createFakeFactStore,
  createFakePoolStore,
  createFakeTokenStore,
} from './fakeFactStores.ts';
import { createFakeFeatureStore, createFakeVerdictStore } from './fakeVerdictStores.ts';
import { CHAIN_ID, POOLS, TOKENS, WETH } from './programme.ts';
import {
  consumeFake,
  immediate,
  type Life,
  type Scheduler,
  statementsOf,
  type World,
} from './world.ts';

/** One ether in dollars, in the simulated world. */
export const NATIVE_USD = 2_000;
const NATIVE = { decimals: 18, priceUsd: NATIVE_USD, priceNative: 1, route: [] };

/** More than all contracts, and small enough to be rebuilt at every start. */
const REMEMBERED_MAX = 64;

/** Log-odds by which the simulated model leans to either side. */
const LEANING = 4;

/** A model whose output changes arbitrarily with the facts: only its inputs matter here. */
const MODEL: Model = {
  name: 'fickle',
  sha256: ZERO_HASH.slice(2),
  featureNames: FEATURE_NAMES,
  rugShareByAgeS: {},
  predict: async (vectors) =>
    vectors.map((vector) => {
      const sum = vector.reduce((all, value) => all + (Number.isFinite(value) ? value : 0), 0);
      const margin = Math.floor(Math.abs(sum)) % 3 === 0 ? -LEANING : LEANING;
      const contributions = { [FEATURE_NAMES[0] ?? '']: margin };
      return { margin, probability: probabilityOf(margin), baseValue: 0, contributions };
    }),
};

type FirstSeen = Parameters<TokenReader['read']>[1][number];

/** The contract's results, as of the block in which it was seen. */
const readOne = ({ programme }: World, seen: FirstSeen): ReadToken => {
  const token = TOKENS.find(({ address }) => address === seen.token);
  if (!token) return { kind: 'notAToken' };
  const isThere = token.nature === 'factory' || programme.exists(token.address, seen.blockHash);
  if (!isThere) return { kind: 'notAContract' };
  const isShy = token.nature === 'silent' && seen.source === 'creation';
  if (token.nature === 'notToken' || isShy) return { kind: 'notAToken' };
  return {
    kind: 'token',
    record: sampleToken(token.address, {
      chainId: CHAIN_ID,
      creator: token.creator,
      creatorSource: seen.creator ? 'deployment' : 'first_transfer',
      createdBlock: seen.blockNumber,
      createdBlockHash: seen.blockHash,
      createdTx: seen.txHash,
      createdAtS: seen.timestampS,
    }),
  };
};

/** The results of a contract that may be a pool. */
const poolOf = (asked: Hex): Pool[] =>
  POOLS.filter(({ address }) => address === asked).map(({ address: pool, token0, token1 }) => {
    return { pool, token0, token1 };
  });

const NO_WALLETS: WalletStore = { read: async () => new Map() };

/** The stream of verdicts, each with its message id. */
async function* replayOf({ scores }: World): AsyncGenerator<LoggedMessage> {
  for (const [i, message] of [...scores.messages].entries()) {
    const { chainId, token } = message;
    const data = Buffer.from(JSON.stringify(message));
    yield {
      seq: i + 1,
      subject: scoreSubject(chainId, token),
      data,
      messageId: scoreMessageId(message),
    };
  }
}

/** All dependencies of one scorer process. */
const openPorts = (world: World, life: Life) => {
  const { database, scheduler, scores } = world;
  const run = statementsOf(scheduler, life);
  const clock = scheduler.clock(life);
  const tokenReader: TokenReader = {
    read: (_chainId, candidates) => run(() => candidates.map((one) => readOne(world, one))),
  };
  const horizonStore = createFakeHorizonStore(database, run);
  const activity = createFakeActivityStore(database, run);
  const horizons = createHorizonSchedule({
    chainId: CHAIN_ID,
    bases: [WETH],
    store: horizonStore,
    clock,
  });
  return {
    clock,
    publish: ((_subject, message) =>
      run(() => void scores.messages.push(message as ScoreMessage))) satisfies Publish,
    log: { replay: () => replayOf(world) },
    facts: createFakeFactStore(database, run),
    features: createFakeFeatureStore(database, run),
    activity,
    progress: trackProgress(activity, { chainId: CHAIN_ID, clock }),
    verdicts: createFakeVerdictStore(database, run),
    directory: {
      chainId: CHAIN_ID,
      factories: factoriesOf(CHAIN_ID),
      tokens: createFakeTokenStore(database, run),
      pools: createFakePoolStore(database, run),
      tokenReader,
      poolReader: { read: (asked: readonly Hex[]) => run(() => asked.flatMap(poolOf)) },
      logger: silentLogger,
      rememberedMax: REMEMBERED_MAX,
    },
    starts: createMarketStarts({
      chainId: CHAIN_ID,
      horizons: horizonStore,
      rememberedMax: REMEMBERED_MAX,
    }),
    horizons,
  };
};
type Ports = ReturnType<typeof openPorts>;

const openLoop = (
  { features, verdicts, activity, progress, horizons, publish, log, clock }: Ports,
  { random }: World,
): ScoringLoop => {
  const scoring = {
    chainId: CHAIN_ID,
    isLive: () => true,
    features,
    launches: { read: async () => new Map() },
    holderSales: { read: async () => new Map() },
    tryHolders: async () => [],
    knownPairs: { among: async () => undefined },
    wallets: NO_WALLETS,
    prices: { prices: async () => new Map([[WETH, NATIVE]]), routed: async () => new Map() },
    models: async () => ({ model: MODEL, lifeModel: MODEL }),
    codeModel: MODEL,
    verdicts,
    simulate: async (requests) =>
      requests.map(() => ({ kind: 'unknown', reason: sentence('nodeSilent') })),
    contracts: {
      read: async () => new Map(),
      beyondRound: () => new Set(),
      study: async () => ({ known: new Map(), postponed: new Set() }),
      label: async () => undefined,
    },
    markets: { find: async () => [], states: async () => [], peaks: async () => new Map() },
    locks: { study: async () => new Map() },
    priors: async () => ({ pooled: 0.5, others: 0.5 }),
    bases: [],
    clock,
  } satisfies Omit<TokenScorerPorts, 'outbox'>;
  const outbox = createVerdictOutbox({
    chainId: CHAIN_ID,
    verdicts,
    publish,
    log,
    isRecent: () => true,
    count: () => undefined,
    clock,
    logger: silentLogger,
  });
  const scorer = createTokenScorer({ ...scoring, outbox });
  const { stored } = progress;
  return createScoringLoop({
    scorer,
    due: (limit) => activity.due(CHAIN_ID, limit),
    scoreHorizons: createHorizonScorer({ scorer, horizons, stored }),
    stored,
    isCatchingUp: () => random.oneIn(3),
    bases: [],
    clock,
    logger: silentLogger,
  });
};

/** A scorer on fakes of its ports, which has read nothing yet. */
const openScorer = (world: World, life: Life) => {
  const ports = openPorts(world, life);
  const { facts, activity, progress, verdicts, starts, horizons, directory, clock } = ports;
  const loop = openLoop(ports, world);
  const ingestor = createIngestor({
    facts,
    tokens: directory.tokens,
    pools: directory.pools,
    activity,
    verdicts,
    // Outcomes are a week old: no simulated process lives that long.
    outcomes: { insertTombstones: async () => undefined },
    starts,
    horizons,
    discovery: createDiscovery(directory),
    // No verdict reads what it stores.
    marketSides: { resolve: async () => undefined, forget: () => undefined },
    locks: { touchedBy: async () => new Map(), touchedByReorg: async () => [] },
    cache: NO_CACHE,
    clock,
    betweenVerdicts: (work) => loop.exclusive(work),
    onActivity: (activities, { epoch, storedUpTo, reached }) => {
      progress.update({ reached, lag: undefined });
      loop.add(activities, chainPosition(epoch, storedUpTo));
    },
  });
  return { ingestor, loop };
};

/** The scorer as a process, on fakes of its ports. */
export const runScorer = async (world: World, life: Life): Promise<void> => {
  const { scheduler, stream, durables, random } = world;
  const { ingestor, loop } = openScorer(world, life);
  const handle: typeof ingestor.handle = (batch) => ingestor.handle(batch);
  await Promise.all([
    consumeFake({ stream, durable: durables.scorer, scheduler, random, life, handle }),
    loop.run(new AbortController().signal),
  ]);
};

/** Nothing fails or waits, and idle work sleeps until there is something to do. */
const CALM: Scheduler = {
  pause: async () => undefined,
  io: async (_life, _failure, effect) => effect(),
  troubles: () => false,
  step: async () => false,
  calm: () => undefined,
  clock: () => ({
    now: () => 0,
    sleep: async (_ms, signal) => {
      if (!signal?.aborted) await once(signal ?? assert.fail('sleeps for ever'), 'abort');
    },
  }),
};

/**
 * Results of a scorer that reads the canonical chain once and without failures. It scores each block for which the
 * world's history has a verdict before it reads the next one.
 */
export const scoreOnce = async (world: World): Promise<Database> => {
  const database = createDatabase(true);
  const scores = { messages: [], acknowledged: 0 };
  // It never catches up.
  const random = { ...world.random, oneIn: () => false };
  const calm = { ...world, database, scores, random, scheduler: CALM };
  const { ingestor, loop } = openScorer(calm, { role: 'scorer', isAlive: true });
  const { chain } = world.programme;
  const judged = new Set<string>([chain.head().hash]);
  for (const { verdict } of world.database.verdictHistory.final()) {
    judged.add(verdict.doc.provenance.block_hash);
  }
  const end = new AbortController();
  const scoring = loop.run(end.signal);
  let batch: SequencedEvent[] = [];
  for (const block of chain.canonical()) {
    const { from, to, blocks } = rangeOfBlocks([block]);
    const event = blocksEvent(blocks, { chainId: CHAIN_ID, from, to, head: to.number });
    batch.push({ seq: to.number + 1, event });
    if (!judged.has(to.hash)) continue;
    await ingestor.handle(batch);
    batch = [];
    await Promise.race([scoring, immediate()]);
  }
  end.abort();
  await scoring;
  return database;
};
