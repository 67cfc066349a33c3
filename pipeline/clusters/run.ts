import type { NatsConnection } from 'nats';
import { consumeChain } from '../../shared/adapters/chainConsumer.ts';
import { createClickhouse } from '../../shared/adapters/clickhouse.ts';
import { connectNats, ensureStreams, JETSTREAM_TIMEOUT_MS } from '../../shared/adapters/nats.ts';
import { createPriceStore } from '../../shared/adapters/priceStore.ts';
import { clusterSubject } from '../../shared/messages/subjects.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { pricingOf, readConfig } from '../../shared/runtime/config.ts';
import { errorMessage, RetryableError } from '../../shared/runtime/errors.ts';
import { createLogger, type Logger } from '../../shared/runtime/logger.ts';
import { runService } from '../../shared/runtime/service.ts';
import { createChainIndex } from './chainIndex.ts';
import { Clusterer } from './clusterer.ts';
import { createClusterStore } from './clusterStore.ts';
import { clustersConfigSchema } from './config.ts';
import { NATIVE_DUST } from './facts/graphOfBlock.ts';
import { Flush, type FlushPorts } from './flush.ts';
import { createRingDetector } from './graph/createRingDetector.ts';
import { knownHubs } from './graph/knownHubs.ts';
import { createGraphStore } from './graphStore.ts';
import { createLossStore } from './lossStore.ts';
import { readOpenPieces } from './openBlock.ts';
import { readScores } from './scoreReader.ts';
import { createWalletReader } from './walletReader.ts';
import { createWalletStore } from './walletStore.ts';

const READER = 'clusters';
const COUNTS_EVERY_MS = 60_000;

/** Reads the chain and the verdicts until `signal` aborts or one of the two fails. */
const readBoth = async (
  parts: { connection: NatsConnection; chainId: number; clusterer: Clusterer; logger: Logger },
  signal: AbortSignal,
): Promise<void> => {
  const { clusterer, ...common } = parts;
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  const reading = [
    consumeChain(
      { ...common, clock: systemClock, reader: READER, handle: (batch) => clusterer.handle(batch) },
      stop,
    ),
    readScores(
      { ...common, clock: systemClock, judged: (messages) => clusterer.judged(messages) },
      stop,
    ),
  ];
  try {
    await Promise.all(reading);
  } finally {
    failure.abort();
    await Promise.allSettled(reading);
  }
};

/** Runs the clusters role as this process. */
export const run = (): Promise<never> => {
  const config = readConfig(clustersConfigSchema);
  const logger = createLogger(READER, config.LOG_LEVEL);
  const clickhouse = createClickhouse({ url: config.CLICKHOUSE_URL });
  let connection: NatsConnection | undefined;
  let isReading = false;

  const work = async (signal: AbortSignal): Promise<void> => {
    const [chainId, pricing] = [config.CHAIN_ID, pricingOf(config)];
    const { weth } = pricing;
    connection = await connectNats(config.NATS_URL, READER);
    await ensureStreams(connection, [chainId]);
    const prices = createPriceStore({ clickhouse, pricing, clock: systemClock });
    const hubs = [weth, ...knownHubs(chainId)];
    const detector = createRingDetector({ hubs, dustValue: NATIVE_DUST });
    const clusters = createClusterStore(clickhouse, chainId, () => systemClock.now());
    const reader = createWalletReader(clickhouse, chainId);
    const flush = new Flush({
      chainId,
      detector,
      clusters,
      losses: createLossStore(clickhouse, chainId, weth),
      reader,
      wallets: createWalletStore(clickhouse, chainId, () => systemClock.now()),
      nativePriceUsd: async () =>
        (await prices.prices(chainId)).get(weth)?.priceUsd ?? pricing.nativePriceUsd,
      publish: publisher(connection),
    });
    const clusterer = new Clusterer({
      bases: { weth, all: new Set([weth, ...pricing.stables]) },
      detector,
      graph: createGraphStore(clickhouse, chainId),
      index: createChainIndex(clickhouse, chainId),
      clusters,
      reader,
      flush: (dirty, moment) => flush.store(dirty, moment),
      clock: systemClock,
    });
    await clusterer.start();
    for (const piece of await readOpenPieces(connection, chainId, READER)) clusterer.recall(piece);
    logger.info(clusterer.counts(), 'ready');
    isReading = true;
    const timer = setInterval(() => logger.info(clusterer.counts(), 'counts'), COUNTS_EVERY_MS);
    try {
      await readBoth({ connection, chainId, clusterer, logger }, signal);
    } finally {
      isReading = false;
      clearInterval(timer);
      await connection.drain();
      await clickhouse.close();
    }
  };

  return runService({
    logger,
    healthPort: config.HEALTH_PORT,
    healthHost: config.HEALTH_HOST,
    checks: {
      nats: async () => connection !== undefined && (await connection.rtt()) >= 0,
      clickhouse: async () => {
        await clickhouse.ping();
        return true;
      },
      reading: async () => isReading,
    },
    run: work,
  });
};

/** Sends to the events stream; resolves when the server has the message on disk. */
const publisher = (connection: NatsConnection): FlushPorts['publish'] => {
  const jetstream = connection.jetstream({ timeout: JETSTREAM_TIMEOUT_MS });
  return async (message, messageId) => {
    try {
      const subject = clusterSubject(message.chainId, message.clusterId);
      await jetstream.publish(subject, JSON.stringify(message), { msgID: messageId });
    } catch (error) {
      throw new RetryableError(`ring not sent: ${errorMessage(error)}`, { cause: error });
    }
  };
};
