import type { NatsConnection } from 'nats';
import { CHAIN_PROFILES } from '../../shared/chain/chains.ts';
import { type Clock, systemClock } from '../../shared/platform/clock.ts';
import { readConfig } from '../../shared/platform/config.ts';
import { errorMessage, FatalError, RetryableError } from '../../shared/platform/errors.ts';
import { beat } from '../../shared/platform/heartbeat.ts';
import { withLeadership } from '../../shared/platform/lease.ts';
import { createLogger, type Logger } from '../../shared/platform/logger.ts';
import {
  createNodeMetrics,
  createRegistry,
  createSpanMetrics,
  exportDependencies,
  exportLeadership,
} from '../../shared/platform/metrics.ts';
import { connectNats, ensureStreams } from '../../shared/platform/nats.ts';
import { createRpc, type Rpc } from '../../shared/platform/rpc/createRpc.ts';
import { listenNewHeads } from '../../shared/platform/rpc/newHeads.ts';
import { runConcurrently } from '../../shared/platform/runConcurrently.ts';
import { readiness, runService } from '../../shared/platform/service.ts';
import { createTracer, type Tracer } from '../../shared/platform/tracer.ts';
import { createWakeUp } from '../../shared/platform/wakeUp.ts';
import { createChainPublisher } from './chainPublisher.ts';
import { type WatcherConfig, watcherConfigSchema } from './config.ts';
import { createJetStreamChain } from './jetStreamChain.ts';
import type { ChainStream } from './ports.ts';
import { createProgress, type Progress } from './progress.ts';
import { createWatcher, type WatcherOptions } from './watcher.ts';
import { createWatcherMetrics } from './watcherMetrics.ts';

/** Chain ids of development nodes: anvil and hardhat, ganache. They are read from their genesis. */
const DEVNETS: ReadonlySet<number> = new Set([31337, 1337]);
/** Finality depth of a chain without a profile, if its node does not report finality. */
const FINALITY_DEPTH_ELSE = 64;
/** Polls of the head per block time. */
const POLLS_PER_BLOCK = 24;
const POLL_MS_MIN = 25;
const POLL_MS_MAX = 1_000;
/** With heads by WebSocket, polling only covers for lost messages. */
const POLL_MS_BESIDE_WEBSOCKET = 1_000;
const CONNECT_RETRY_MS_MAX = 5_000;

/**
 * The interval from the environment, else from the chain's block time: an unknown chain is assumed to be fast.
 */
const pollIntervalMs = (config: WatcherConfig): number => {
  if (config.POLL_INTERVAL_MS !== undefined) return config.POLL_INTERVAL_MS;
  if (config.RPC_URL.some((url) => url.startsWith('ws'))) return POLL_MS_BESIDE_WEBSOCKET;
  const blockTimeS = CHAIN_PROFILES.get(config.CHAIN_ID)?.blockTimeS ?? 0;
  return Math.min(POLL_MS_MAX, Math.max(POLL_MS_MIN, (blockTimeS * 1000) / POLLS_PER_BLOCK));
};

/** Reading options from the configuration. */
const watcherOptions = (config: WatcherConfig): WatcherOptions => ({
  chainId: config.CHAIN_ID,
  startBlock: config.START_BLOCK ?? (DEVNETS.has(config.CHAIN_ID) ? 0 : undefined),
  fullBlocks: config.BACKFILL_FULL_BLOCKS,
  backfillDetail: config.BACKFILL_DETAIL,
  finalityDepth:
    config.FINALITY_DEPTH ??
    CHAIN_PROFILES.get(config.CHAIN_ID)?.finalityBlocks ??
    FINALITY_DEPTH_ELSE,
  pollIntervalMs: pollIntervalMs(config),
});

const nodeChainId = (rpc: Rpc): Promise<number> =>
  rpc.pool.run(async (endpoint) => {
    const [outcome] = await endpoint.call([{ method: 'eth_chainId', params: [] }]);
    if (!outcome?.ok)
      throw new RetryableError(`node ${endpoint.name} does not report its chain id`);
    return Number(outcome.result);
  });

/** Waits for a dependency to become available, without a time limit. */
const whenUp = async <T>(
  what: string,
  connect: () => Promise<T>,
  { clock, logger, signal }: { clock: Clock; logger: Logger; signal: AbortSignal },
): Promise<T | undefined> => {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      return await connect();
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      if (attempt === 0) logger.warn({ err: error }, `waiting for ${what}: ${errorMessage(error)}`);
      await clock.sleep(Math.min(100 * 2 ** attempt, CONNECT_RETRY_MS_MAX), signal);
    }
  }
  return undefined;
};

/** @throws FatalError if a node serves another chain than CHAIN_ID. */
const checkChain = async (rpc: Rpc, chainId: number): Promise<void> => {
  const found = await nodeChainId(rpc);
  if (found !== chainId) {
    throw new FatalError(`CHAIN_ID is ${chainId}, but RPC_URL serves chain ${found}`);
  }
};

const watch = async (
  config: WatcherConfig,
  rpc: Rpc,
  stream: ChainStream,
  { logger, progress }: { logger: Logger; progress: Progress },
  signal: AbortSignal,
): Promise<void> => {
  const clock = systemClock;
  // A watcher that waits for its node holds the lease too, so that health reports the node as unavailable.
  await whenUp('the node', () => checkChain(rpc, config.CHAIN_ID), { clock, logger, signal });
  if (signal.aborted) return;
  const wakeUp = createWakeUp(clock);
  const publisher = createChainPublisher({ stream, clock, logger, signal });
  const parts = { source: rpc.source, stream, publisher, wakeUp, progress, clock, logger };
  const onHead = (): void => wakeUp.notify();
  const heads = config.RPC_URL.filter((url) => url.startsWith('ws'));
  await runConcurrently(
    (stop) => [
      createWatcher(watcherOptions(config), parts).run(stop),
      ...heads.map((url) => listenNewHeads({ url, onHead, clock, logger }, stop)),
    ],
    signal,
  );
};

/** Dependencies of the watcher that holds a chain's lease. */
type Leader = {
  readonly config: WatcherConfig;
  readonly logger: Logger;
  readonly rpc: Rpc;
  readonly metrics: ReturnType<typeof createWatcherMetrics>;
  readonly tracer: Tracer;
  readonly chain: ChainStream;
  readonly connection: NatsConnection;
};

/** Watches and reports progress while the lease is held; the status of an earlier term is out of date. */
const lead = (leader: Leader, held: AbortSignal): Promise<void> => {
  const { config, logger, rpc, metrics, tracer, chain, connection } = leader;
  const { startBlock } = watcherOptions(config);
  const progress = createProgress({ startBlock, clock: systemClock, logger, metrics, tracer });
  const sign = { connection, role: 'watcher', chainId: config.CHAIN_ID, logger } as const;
  const everyMs = config.HEARTBEAT_MS;
  return runConcurrently(
    (stop) => [
      beat({ ...sign, everyMs, clock: systemClock, chain: () => progress.status() }, stop),
      watch(config, rpc, chain, { logger, progress }, stop),
    ],
    held,
  );
};

/**
 * The watcher's process: follows the chain of CHAIN_ID and publishes its facts. Of several watchers of a chain one
 * holds the lease. Late messages of a former leader are rejected because of the expected sequence.
 */
export const run = async (): Promise<never> => {
  const config = readConfig(watcherConfigSchema);
  const logger = createLogger('watcher', config.LOG_LEVEL, config.CHAIN_ID);
  const registry = createRegistry({ chain: String(config.CHAIN_ID) });
  const rpc = createRpc(config.RPC_URL, systemClock, createNodeMetrics(registry));
  const metrics = createWatcherMetrics(registry);
  const tracer = createTracer({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    role: 'watcher',
    chainId: config.CHAIN_ID,
    logger,
    meter: createSpanMetrics(registry),
  });
  let stream: ChainStream | undefined;
  const ensure = (connection: NatsConnection): Promise<void> =>
    ensureStreams(connection, [config.CHAIN_ID], config.NATS_REPLICAS);
  const checks = {
    node: async () => (await nodeChainId(rpc)) === config.CHAIN_ID,
    stream: async () => stream !== undefined && (await stream.info()).lastSeq >= 0,
  };
  exportDependencies(registry, () => readiness(checks));
  return runService({
    logger,
    healthPort: config.HEALTH_PORT,
    healthHost: config.HEALTH_HOST,
    metrics: registry,
    checks,
    run: async (signal) => {
      const waiting = { clock: systemClock, logger, signal };
      const connection = await whenUp(
        'NATS',
        () => connectNats(config.NATS_URL, 'watcher'),
        waiting,
      );
      if (!connection) return;
      try {
        await whenUp('streams', () => ensure(connection), waiting);
        const chain = createJetStreamChain(connection, config.CHAIN_ID);
        stream = chain;
        await withLeadership(
          { connection, clock: systemClock, logger },
          `watcher.${config.CHAIN_ID}`,
          signal,
          exportLeadership(registry, (held) =>
            lead({ config, logger, rpc, metrics, tracer, chain, connection }, held),
          ),
        );
      } finally {
        await connection.close();
        await tracer.close();
        rpc.close();
      }
    },
  });
};
