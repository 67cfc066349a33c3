import type { JsMsg, NatsConnection } from 'nats';
import { createPriceStore } from '../../shared/market/priceStore.ts';
import { decodeChainEvent } from '../../shared/messages/chainMessage.ts';
import { scoreMessageSchema } from '../../shared/messages/scoreMessage.ts';
import {
  type ChainReader,
  chainStream,
  clusterSubject,
  scoreSubjects,
  walletsSubject,
} from '../../shared/messages/subjects.ts';
import {
  type ChainConsumerOptions,
  consumeChain,
  type SequencedEvent,
} from '../../shared/platform/chainConsumer.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { pricingOf, readConfig } from '../../shared/platform/config.ts';
import { consumeEvents, durableEvents, readMessages } from '../../shared/platform/eventConsumer.ts';
import { createDeadLetterMetrics, createReaderMetrics } from '../../shared/platform/metrics.ts';
import { jetStreamManager, onNats } from '../../shared/platform/nats.ts';
import {
  createPublish,
  createPublishDeadLetter,
  type PublishDeadLetter,
} from '../../shared/platform/publish.ts';
import { runConcurrently } from '../../shared/platform/runConcurrently.ts';
import {
  leading,
  type ReaderPorts,
  type Reading,
  runReader,
} from '../../shared/platform/runReader.ts';
import { createChainIndex } from './chainIndex.ts';
import { Clusterer } from './clusterer.ts';
import { exportGraphSizes } from './clusterMetrics.ts';
import { clustersConfigSchema } from './config.ts';
import { NATIVE_DUST } from './facts/graphOfBlock.ts';
import { flush } from './flush.ts';
import type { FlushPorts } from './flushPorts.ts';
import { createRingDetector } from './graph/createRingDetector.ts';
import { createGraphStore } from './graph/graphStore.ts';
import { knownHubs } from './graph/hubs.ts';
import { retryStart } from './retryStart.ts';
import { createRingStore } from './rings/ringStore.ts';
import { createTurnsSince, readTurns, type TurnReaderPorts } from './turnReader.ts';
import { createLossStore } from './wallets/lossStore.ts';
import { createWalletReader } from './wallets/walletReader.ts';
import { createWalletStore } from './wallets/walletStore.ts';

/**
 * Milliseconds between two rounds at the head. Reads and writes of a round cost ClickHouse some 120 CPU ms, whether
 * for one block or several. If blocks follow faster, rings and wallets are late by as much.
 */
const REST_MS = 1_000;

/** Maximum pieces of one range that are read again. */
const PIECES_MAX = 10_000;

/**
 * The pieces of the last range that a reader acknowledged only in part, in order: a block may have begun in an
 * acknowledged piece.
 */
const readOpenPieces = (
  connection: NatsConnection,
  chainId: number,
  reader: ChainReader,
): Promise<SequencedEvent[]> => {
  const stream = chainStream(chainId);
  return onNats(`open block of ${stream}`, async () => {
    const jsm = await jetStreamManager(connection);
    const [{ state }, { ack_floor }] = await Promise.all([
      jsm.streams.info(stream),
      jsm.consumers.info(stream, reader),
    ]);
    const last = ack_floor.stream_seq;
    if (last < state.first_seq || last > state.last_seq || last === 0) return [];
    const pieces: SequencedEvent[] = [];
    for (let seq = last; seq >= state.first_seq && pieces.length < PIECES_MAX; seq -= 1) {
      const { data } = await jsm.streams.getMessage(stream, { seq });
      const event = decodeChainEvent(data);
      if (event.kind !== 'blocks' || event.last) break;
      pieces.unshift({ seq, event });
      if (event.chunk === 0) break;
    }
    return pieces;
  });
};

const READER = 'clusters';

type Config = ReturnType<typeof readClustersConfig>;
const readClustersConfig = () => readConfig(clustersConfigSchema);

/** Runs the clusters role as this process: of several on a chain one maintains the graph. */
export const run = (): Promise<never> => {
  const config = readClustersConfig();
  return runReader({
    role: READER,
    config,
    prepare: async (ports): Promise<Reading> => {
      const { connection, logger, registry, tracer } = ports;
      const chainId = config.CHAIN_ID;
      let clusterer: Clusterer | undefined;
      const counts = () => clusterer?.counts() ?? {};
      exportGraphSizes(registry, counts);
      const publish = createPublish(connection);
      const common = {
        connection,
        chainId,
        clock: systemClock,
        logger,
        tracer,
        turnsSince: createTurnsSince(ports.clickhouse, chainId),
        meter: createReaderMetrics(registry),
        deadLetter: createPublishDeadLetter(publish, READER, createDeadLetterMetrics(registry)),
      };
      const create = (): Clusterer => {
        clusterer = createClusterer(config, ports);
        return clusterer;
      };
      const start = leading(ports, `${READER}.${chainId}`, (held) => detect(create, common, held));
      return { start, counts };
    },
  });
};

interface DetectPorts extends Omit<ChainConsumerOptions, 'reader' | 'handle'> {
  readonly deadLetter: PublishDeadLetter;
  readonly turnsSince: TurnReaderPorts['turnsSince'];
}

/** Reads verdicts until `signal` aborts; each is acknowledged after its effects are stored. */
const readScores = (
  ports: DetectPorts,
  onVerdicts: Clusterer['onVerdicts'],
  signal: AbortSignal,
): Promise<void> => {
  const { connection, chainId, clock, logger } = ports;
  const events = durableEvents(`${READER}-${chainId}`, [scoreSubjects(chainId)]);
  // Invalid messages do no harm: the tables contain the verdict, and the next start reads it.
  const handle = async (batch: readonly JsMsg[]) =>
    onVerdicts(await readMessages(batch, scoreMessageSchema, ports));
  return consumeEvents({ connection, ...events, handle, clock, logger }, signal);
};

/** Builds the graph from stored data, then follows the chain until `signal` aborts. */
const detect = async (
  create: () => Clusterer,
  ports: DetectPorts,
  signal: AbortSignal,
): Promise<void> => {
  const { connection, chainId, logger } = ports;
  // Building the graph takes minutes, and verdicts are read before it: verdicts that reverse meanwhile are applied
  // afterwards.
  const fromMs = systemClock.now();
  const build = async (): Promise<Clusterer> => {
    const built = create();
    await built.start();
    for (const piece of await readOpenPieces(connection, chainId, READER)) built.recall(piece);
    return built;
  };
  const clusterer = await retryStart(build, ports, signal);
  if (!clusterer) return;
  logger.info(clusterer.counts(), 'leading');
  const handle = (batch: readonly SequencedEvent[]) => clusterer.handle(batch);
  await runConcurrently(
    (stop) => [
      consumeChain({ ...ports, reader: READER, restMs: REST_MS, handle }, stop),
      readScores(ports, (messages) => clusterer.onVerdicts(messages), stop),
      readTurns({ ...ports, fromMs, turned: (tokens) => clusterer.turned(tokens) }, stop),
    ],
    signal,
  );
};

const createClusterer = (
  config: Config,
  { connection, clickhouse, logger }: ReaderPorts,
): Clusterer => {
  const [chainId, pricing] = [config.CHAIN_ID, pricingOf(config)];
  const { weth } = pricing;
  const prices = createPriceStore({ clickhouse, pricing, clock: systemClock });
  const hubs = [weth, ...knownHubs(chainId)];
  const detector = createRingDetector({ hubs, dustValue: NATIVE_DUST });
  const rings = createRingStore(clickhouse, chainId, () => systemClock.now());
  const reader = createWalletReader(clickhouse, chainId);
  const publish = createPublish(connection);
  const flushPorts: FlushPorts = {
    chainId,
    detector,
    rings,
    losses: createLossStore(clickhouse, chainId, weth),
    reader,
    wallets: createWalletStore(clickhouse, chainId),
    nativePriceUsd: async () =>
      (await prices.prices(chainId)).get(weth)?.priceUsd ?? pricing.nativePriceUsd,
    publish: async (message, messageId) => {
      const { clusterId: ring, blockNumber: block, blockHash } = message;
      await publish(clusterSubject(message.chainId, ring), message, messageId);
      logger.info({ ring, block, blockHash }, 'ring published');
    },
  };
  return new Clusterer({
    bases: { weth, all: new Set([weth, ...pricing.stables]) },
    detector,
    graph: createGraphStore(clickhouse, chainId),
    index: createChainIndex(clickhouse, chainId),
    rings,
    reader,
    flush: async (dirty, moment) => {
      const stored = await flush(flushPorts, dirty, moment);
      connection.publish(walletsSubject(chainId));
      return stored;
    },
    clock: systemClock,
  });
};
