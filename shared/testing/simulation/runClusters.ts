import { Clusterer } from '../../../pipeline/clusters/clusterer.ts';
import { NATIVE_DUST } from '../../../pipeline/clusters/facts/graphOfBlock.ts';
import { Flush } from '../../../pipeline/clusters/flush.ts';
import { createRingDetector } from '../../../pipeline/clusters/graph/createRingDetector.ts';
import type { RingDetector } from '../../../pipeline/clusters/graph/ringDetector.ts';
import type { SequencedEvent } from '../../platform/chainConsumer.ts';
import { RetryableError } from '../../platform/errors.ts';
import { CHAIN_ID, WETH } from './cast.ts';
import {
  createFakeChainIndex,
  createFakeClusterStore,
  createFakeGraphStore,
  createFakeWallets,
} from './fakeClusterStores.ts';
import { consumeFake, eventOf, untilHandled } from './fakeConsumer.ts';
import type { Statement } from './fakeFactStores.ts';
import { NATIVE_USD } from './runScorer.ts';
import type { Life } from './scheduler.ts';
import type { World } from './world.ts';

/** More than the cast and all that it ever moves. */
const [EDGES_MAX, WALLETS_MAX] = [20_000, 500];
/** Verdicts handled at once, at the most. */
const VERDICTS_MAX = 5;

/** What the native currency of the simulated chain is traded as. */
export const BASES = { weth: WETH, all: new Set([WETH]) };

/** A detector that has room for the whole simulated chain. */
export const createSimulatedDetector = (): RingDetector =>
  createRingDetector({
    hubs: [WETH],
    dustValue: NATIVE_DUST,
    edgesMax: EDGES_MAX,
    walletsMax: WALLETS_MAX,
  });

/** Pieces of the range that was acknowledged last, where it has not come to its end: see `readOpenPieces` of run.ts. */
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

/** The contract of `readScores` in memory: in order, each verdict again until it is handled and acknowledged. */
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

/** The clusters role as a process, on the fakes of its ports. */
export const runClusters = async (world: World, life: Life): Promise<void> => {
  const { database, scheduler, stream, durables, random } = world;
  const away = (): Error => new RetryableError('fake ClickHouse: no answer');
  const run: Statement = (effect) => scheduler.io(life, away, effect);
  const detector = createSimulatedDetector();
  const clusters = createFakeClusterStore(database, run);
  const { losses, reader, wallets } = createFakeWallets(database, run);
  const flush = new Flush({
    chainId: CHAIN_ID,
    detector,
    clusters,
    losses,
    reader,
    wallets,
    nativePriceUsd: async () => NATIVE_USD,
    publish: () => run(() => undefined),
  });
  const clusterer = new Clusterer({
    bases: BASES,
    detector,
    graph: createFakeGraphStore(database, run),
    index: createFakeChainIndex(database, run),
    clusters,
    reader,
    flush: (dirty, moment) => flush.store(dirty, moment),
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
