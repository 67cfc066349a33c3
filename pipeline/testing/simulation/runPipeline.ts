import type { WatchChanged } from '../../../shared/messages/watchMessage.ts';
import type { SequencedEvent } from '../../../shared/platform/chainConsumer.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import type { ChainSource } from '../../../shared/platform/rpc/createRpc.ts';
import { RpcError } from '../../../shared/platform/rpc/rpcError.ts';
import { slicesOf } from '../../../shared/platform/slicesOf.ts';
import { createWakeUp } from '../../../shared/platform/wakeUp.ts';
import { createAlerter } from '../../alerts/alerter.ts';
import { LOOK_BACK_S } from '../../alerts/pools/poolSeries.ts';
import type { Pricing } from '../../alerts/pools/poolSides.ts';
import { createWatchIndex } from '../../alerts/watch/watchIndex.ts';
import { Clusterer } from '../../clusters/clusterer.ts';
import { NATIVE_DUST } from '../../clusters/facts/graphOfBlock.ts';
import { flush } from '../../clusters/flush.ts';
import type { FlushPorts } from '../../clusters/flushPorts.ts';
import { createRingDetector, type RingDetector } from '../../clusters/graph/createRingDetector.ts';
import { createChainPublisher } from '../../watcher/chainPublisher.ts';
import { AppendError, type ChainStream } from '../../watcher/ports.ts';
import { createFakeSource } from '../../watcher/testing/fakeChain.ts';
import { type FakeMessage, NO_PROGRESS } from '../../watcher/testing/scriptedWatcher.ts';
import { createWatcher } from '../../watcher/watcher.ts';
import { createFakeAlertStore, createFakeIndexReader } from './fakeAlertStores.ts';
import {
  createFakeChainIndex,
  createFakeGraphStore,
  createFakeRingStore,
  createFakeWallets,
} from './fakeClusterStores.ts';
import { CHAIN_ID, REORG_DEPTH_MAX, WETH } from './programme.ts';
import { NATIVE_USD } from './runScorer.ts';
import {
  consumeFake,
  eventOf,
  type Life,
  statementsOf,
  untilHandled,
  type World,
} from './world.ts';

/** Blocks by which one of two nodes may be behind. */
const LAG_MAX = 4;
/** One in this many requests is answered by the lagging node. */
const LAG_ONE_IN = 12;
/** Blocks below the head read one by one when the history is read in ranges. */
const FULL_BLOCKS = 4;
const FULL_BLOCKS_ALWAYS = 100_000;

/** An answer in transit: if it is an error, its reader may be gone. */
const sent = <T>(answer: Promise<T>): { readonly answer: Promise<T> } => {
  answer.catch(() => undefined);
  return { answer };
};

/** One of two nodes of the chain: one is up to date, the other mostly not asked. */
const eitherNode = ({ programme, random }: World): (() => ChainSource) => {
  const finalityDepth = (): number => REORG_DEPTH_MAX;
  const upToDate = createFakeSource(programme.chain, missingBlock, { finalityDepth });
  const behind = createFakeSource(programme.chain, missingBlock, {
    finalityDepth,
    name: 'behind',
    lag: () => 1 + random.below(LAG_MAX),
  });
  return () => (random.oneIn(LAG_ONE_IN) ? behind : upToDate);
};

/** The answer of a node that does not have a block. */
export const missingBlock = (what: string): Error => new RpcError('behind', 'fake', what);

/** Environment of a watcher. */
type WatcherWorld = Pick<World, 'scheduler' | 'stream' | 'backfills'> & {
  /** The node that answers next. */
  readonly node: () => ChainSource;
  readonly finalityDepth: number;
};

const sourceOf = ({ node, scheduler }: WatcherWorld, life: Life): ChainSource => {
  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    const failure = (): Error => new RpcError('unreachable', 'fake', 'HTTP 503');
    return (await scheduler.io(life, failure, () => sent(call()))).answer;
  };
  return {
    follow: (next, count) => ask(() => node().follow(next, count)),
    header: (id) => ask(() => node().header(id)),
    range: (from, to) => ask(() => node().range(from, to)),
    blocks: (from, to) => ask(() => node().blocks(from, to)),
  };
};

/** The stream over a connection: requests arrive in order, answers may get lost. */
const connect = ({ stream, scheduler }: WatcherWorld, life: Life): ChainStream => {
  const read = async <T>(call: () => Promise<T>): Promise<T> => {
    const failure = (): Error => new RetryableError('fake JetStream: no answer');
    return (await scheduler.io(life, failure, () => sent(call()))).answer;
  };
  return {
    info: () => read(() => stream.info()),
    headersFrom: (seq) => read(() => stream.headersFrom(seq)),
    readersFloor: () => read(() => stream.readersFloor()),
    purge: (seq) => read(() => stream.purge(seq)),
    append: async (message, expectedLastSeq, expectedLastId) => {
      const unavailable = (): AppendError => new AppendError('unavailable', 'no answer');
      // Sent at once, so that overlapping calls keep their order; only the answer is awaited.
      const isSent = life.isAlive && !scheduler.troubles();
      const request = isSent
        ? sent(stream.append(message, expectedLastSeq, expectedLastId))
        : undefined;
      await scheduler.io(life, unavailable, () => undefined);
      if (!request) throw unavailable();
      return request.answer;
    },
  };
};

/** The watcher of the whole pipeline as a process: resolves or rejects where the process would exit. */
export const runWatcher = (world: World, life: Life): Promise<void> =>
  watchAs({ ...world, node: eitherNode(world), finalityDepth: REORG_DEPTH_MAX }, life);

/** A watcher as a process: resolves or rejects where the process would exit. */
export const watchAs = async (world: WatcherWorld, life: Life): Promise<void> => {
  const clock = world.scheduler.clock(life);
  const stream = connect(world, life);
  const { signal } = new AbortController();
  const publisher = createChainPublisher({ stream, clock, logger: silentLogger, signal });
  const watcher = createWatcher(
    {
      chainId: CHAIN_ID,
      startBlock: 0,
      fullBlocks: world.backfills ? FULL_BLOCKS : FULL_BLOCKS_ALWAYS,
      backfillDetail: 'full',
      finalityDepth: world.finalityDepth,
      pollIntervalMs: 10,
    },
    {
      source: sourceOf(world, life),
      stream,
      publisher,
      wakeUp: createWakeUp(clock),
      progress: NO_PROGRESS,
      clock,
      logger: silentLogger,
    },
  );
  await watcher.run(signal);
};

/** Messages per group when history is read again. */
const RECALLED_AT_ONCE = 7;

/** Chain time and height in a message. */
const placeOf = ({ data }: FakeMessage) => {
  const event = eventOf(data);
  if (event.kind === 'blocks' && event.chunk > 0) return undefined;
  if (event.kind === 'blocks') return { ...event.to, number: event.from - 1 };
  return event.kind === 'reorg' ? event.ancestor : undefined;
};

/** What `readHistory` reads again: the shortest sufficient history, so that a too short one shows. */
const historyOf = ({ stream, durables }: World): readonly FakeMessage[] => {
  const past = stream.messages().filter(({ seq }) => seq <= durables.alerts.acknowledged);
  const newest = past.map(placeOf).findLast((place) => place !== undefined);
  if (!newest) return past;
  const deepest = past
    .map(placeOf)
    .findLast((place) => place && newest.number - place.number >= REORG_DEPTH_MAX);
  const start = past.findLastIndex((message) => {
    const place = placeOf(message);
    if (!place || !deepest || message.seq > durables.scorer.acknowledged + 1) return false;
    return deepest.timestampS - place.timestampS >= LOOK_BACK_S && place.number <= deepest.number;
  });
  return past.slice(Math.max(0, start));
};

/** The quote tokens of the simulated chain. */
export const PRICING: Pricing = {
  weth: WETH,
  stables: [],
  nativePriceUsd: NATIVE_USD,
  stableDecimals: new Map(),
};

/** The alerts role as a process, on fakes of its ports. */
export const runAlerts = async (world: World, life: Life): Promise<void> => {
  const { database, scheduler, stream, durables, random, watchlists } = world;
  const run = statementsOf(scheduler, life);
  const watches = createWatchIndex();
  // As with the real stream, changes that occur while everything is read are applied afterwards.
  const missed: WatchChanged[] = [];
  let apply = (change: WatchChanged): void => void missed.push(change);
  await run(() => {
    watchlists.listeners.add((change) => {
      if (life.isAlive) apply(change);
    });
  });
  await watches.load(
    (async function* () {
      yield await run(() => [...watchlists.items.values()]);
    })(),
  );
  for (const change of missed) watches.apply(change);
  apply = (change) => watches.apply(change);
  const alerter = createAlerter({
    chainId: CHAIN_ID,
    pricing: PRICING,
    audience: { watchesOf: (address) => watches.find(address), settingsOf: () => ({}) },
    rings: { members: async () => [], rings: async () => [] },
    // Markets of other protocols are noise here: none comes from a known factory.
    factories: new Set(),
    index: {
      ...createFakeIndexReader(database, run),
      markets: async () => [],
      marketsOf: async () => [],
      counterparties: async () => [],
    },
    // There are no locks on the simulated chain.
    locks: {
      lockers: async () => [],
      ending: async () => [],
      ofTokens: async () => [],
      at: async () => [],
    },
    unlockNoticeS: 86_400,
    store: createFakeAlertStore(database, run),
    publish: (message) => run(() => void world.alertMessages.push(message)),
    clock: scheduler.clock(life),
  });
  const history = historyOf(world).map(({ seq, data }) => ({ seq, event: eventOf(data) }));
  for (const batch of slicesOf(history, RECALLED_AT_ONCE)) await alerter.recall(batch);
  const handle: typeof alerter.handle = (batch) => alerter.handle(batch);
  await consumeFake({ stream, durable: durables.alerts, scheduler, random, life, handle });
};

/** More than all contracts and all their movements. */
const [EDGES_MAX, WALLETS_MAX] = [20_000, 500];
/** Maximum verdicts handled at once. */
const VERDICTS_MAX = 5;

/** The tokens that stand for the native currency of the simulated chain. */
export const BASES = { weth: WETH, all: new Set([WETH]) };

/** A detector with room for the whole simulated chain. */
export const createSimulatedDetector = (): RingDetector =>
  createRingDetector({
    hubs: [WETH],
    dustValue: NATIVE_DUST,
    edgesMax: EDGES_MAX,
    walletsMax: WALLETS_MAX,
  });

/** Pieces of the last range that was acknowledged in part: see `readOpenPieces` of run.ts. */
const openPieces = ({ stream, durables }: World): SequencedEvent[] => {
  const messages = stream.messages();
  const last = durables.clusters.acknowledged;
  const pieces: SequencedEvent[] = [];
  if (last > (messages.at(-1)?.seq ?? 0)) return pieces;
  for (const { seq, data } of messages.filter((message) => message.seq <= last).toReversed()) {
    const event = eventOf(data);
    if (event.kind !== 'blocks' || event.last) break;
    pieces.unshift({ seq, event });
    if (event.chunk === 0) break;
  }
  return pieces;
};

/**
 * The contract of `readScores` in memory: in order, each verdict again until it is handled and acknowledged.
 */
const readScores = async (world: World, life: Life, clusterer: Clusterer): Promise<never> => {
  const { scheduler, random, scores } = world;
  for (;;) {
    await scheduler.pause(life);
    const from = scores.acknowledged;
    const batch = scores.messages.slice(from, from + 1 + random.below(VERDICTS_MAX));
    if (batch.length === 0) continue;
    await untilHandled(() => clusterer.onVerdicts(batch), scheduler, life);
    await scheduler.pause(life);
    scores.acknowledged = from + batch.length;
  }
};

/** The clusters role as a process, on fakes of its ports. */
export const runClusters = async (world: World, life: Life): Promise<void> => {
  const { database, scheduler, stream, durables, random } = world;
  const run = statementsOf(scheduler, life);
  const detector = createSimulatedDetector();
  const rings = createFakeRingStore(database, run);
  const { losses, reader, wallets } = createFakeWallets(database, run);
  const flushPorts: FlushPorts = {
    chainId: CHAIN_ID,
    detector,
    rings,
    losses,
    reader,
    wallets,
    nativePriceUsd: async () => NATIVE_USD,
    publish: () => run(() => undefined),
  };
  const clusterer = new Clusterer({
    bases: BASES,
    detector,
    graph: createFakeGraphStore(database, run),
    index: createFakeChainIndex(database, run),
    rings,
    reader,
    flush: (dirty, moment) => flush(flushPorts, dirty, moment),
    clock: scheduler.clock(life),
  });
  await clusterer.start();
  for (const piece of openPieces(world)) clusterer.recall(piece);
  const handle: Clusterer['handle'] = (batch) => clusterer.handle(batch);
  await Promise.all([
    consumeFake({ stream, durable: durables.clusters, scheduler, random, life, handle }),
    readScores(world, life, clusterer),
  ]);
};
