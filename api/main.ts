import type { Redis } from 'ioredis';
import { analyzeSubject, WATCH_CHANGED_SUBJECT } from '../shared/messages/subjects.ts';
import { type Clickhouse, createClickhouse } from '../shared/platform/clickhouse.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { readConfig } from '../shared/platform/config.ts';
import { errorMessage } from '../shared/platform/errors.ts';
import { createEventLog } from '../shared/platform/eventLog.ts';
import { createLogger, type Logger } from '../shared/platform/logger.ts';
import { createCacheMetrics } from '../shared/platform/metrics/cacheMetrics.ts';
import { createClickhouseMetrics } from '../shared/platform/metrics/clickhouseMetrics.ts';
import { exportDependencies } from '../shared/platform/metrics/dependencyMetrics.ts';
import { createRegistry, type MetricsRegistry } from '../shared/platform/metrics/registry.ts';
import { exportStreams } from '../shared/platform/metrics/streamMetrics.ts';
import { connectNats, ensureStreams } from '../shared/platform/nats.ts';
import { createPipelineReader } from '../shared/platform/pipelineState.ts';
import { connectRedis } from '../shared/platform/redis.ts';
import { runService } from '../shared/platform/service.ts';
import { createStreamStates } from '../shared/platform/streamStates.ts';
import { createSecretBox } from '../shared/webhooks/secretBox.ts';
import { createGatekeeper } from './accounts/createGatekeeper.ts';
import { createKeyStore } from './accounts/keyStore.ts';
import { plansWith } from './accounts/plans.ts';
import { createUsage } from './accounts/usage.ts';
import { createDashboard } from './dashboard/createDashboard.ts';
import { createDashboardPorts } from './dashboard/createDashboardPorts.ts';
import { createLiveFeed } from './dashboard/liveFeed.ts';
import { createFeedback } from './feedback/feedback.ts';
import { createHealth } from './health/createHealth.ts';
import { createReports } from './reports/queries.ts';
import { createSearch } from './search/queries.ts';
import { createRequestMetrics, exportStreamClients } from './server/apiMetrics.ts';
import { type AppPorts, createApp } from './server/app.ts';
import { type ApiConfig, apiConfigSchema } from './server/config.ts';
import { createNetworkPorts } from './server/createNetworkPorts.ts';
import { createAlerts, createHistory, createStats, createTokens } from './server/createPorts.ts';
import { callDependency, PUBLISH_TIMEOUT_MS } from './server/dependency.ts';
import { listen } from './server/listen.ts';
import type { Concurrency } from './server/middleware/concurrency.ts';
import { createIdempotency } from './server/middleware/idempotency.ts';
import { readValidationAccuracy } from './server/modelCard.ts';
import type { Tokens } from './server/ports.ts';
import { createSharedReads, type SharedReads } from './server/sharedReads.ts';
import { createStreams } from './streams/createStreams.ts';
import { subscribe } from './streams/subscribe.ts';
import { createJobs } from './tokens/jobs.ts';
import { createVerdictCache, followChanges } from './tokens/verdictCache.ts';
import { createWatchlist } from './watchlist/createWatchlist.ts';

/** Milliseconds a query of the API may take. */
const QUERY_TIMEOUT_MS = 10_000;
const CONNECTIONS_MAX = 20;
/** Milliseconds for running requests and what follows them, once no more are taken. */
const DRAIN_MS_MAX = 12_000;

/** The dashboard, fed by what the other roles tell. */
const serveDashboard = (
  config: ApiConfig,
  { nats, redis, database }: Connections,
  ports: Omit<AppPorts, 'dashboard'>,
) => {
  const { baseUrl, clock, logger } = ports;
  const streams = createStreamStates(nats);
  const own = createDashboardPorts({ config, baseUrl, redis, database, streams, clock, logger });
  const feed = createLiveFeed(logger);
  for (const subject of ['score.>', 'alert.>']) {
    nats.subscribe(subject, {
      callback: (error, message) => {
        if (!error) feed.tell({ subject: message.subject, text: message.string() });
      },
    });
  }
  return {
    middleware: (concurrency: Pick<Concurrency, 'runDashboard'>) =>
      createDashboard({ ...ports, ...own, feed }, concurrency),
    /** Ends all open feeds. */
    end: () => feed.end(),
    close: () => own.mailer.drain(),
  };
};

/** What the API is connected to. */
interface Connections {
  readonly nats: Awaited<ReturnType<typeof connectNats>>;
  readonly redis: Redis;
  readonly database: Clickhouse;
}

const connect = async (
  config: ApiConfig,
  logger: Logger,
  registry: MetricsRegistry,
): Promise<Connections> => {
  const nats = await connectNats(config.NATS_URL, 'api');
  await ensureStreams(nats, [config.CHAIN_ID], config.NATS_REPLICAS);
  const redis = connectRedis(config.REDIS_URL);
  // Each command reports the failure itself.
  redis.on('error', (error) => logger.debug({ err: error }, 'redis connection'));
  await redis.connect().catch((error) => {
    logger.warn(`Redis: ${errorMessage(error)}`);
  });
  const database = createClickhouse({
    url: config.CLICKHOUSE_URL,
    timeoutMs: QUERY_TIMEOUT_MS,
    connectionsMax: CONNECTIONS_MAX,
    meter: createClickhouseMetrics(registry),
  });
  return { nats, redis, database };
};

/** Verdicts of the chain, kept for a moment where nothing is told of a change. */
const openTokens = (
  { nats, database }: Connections,
  chainId: number,
  { reads, logger, registry }: { reads: SharedReads; logger: Logger; registry: MetricsRegistry },
): Tokens => {
  const tokens = createTokens(database, chainId, reads.share);
  const cache = createVerdictCache({
    find: (token) => tokens.find(token),
    now: () => performance.now(),
    meter: createCacheMetrics(registry)('verdicts'),
  });
  subscribe(nats, followChanges(chainId, { cache, logger }), logger).catch((error) => {
    cache.setHearing(false);
    logger.error({ err: error }, 'verdicts are not kept in memory any more');
  });
  return {
    ...tokens,
    find: (token) => cache.find(token),
    findRecent: (token) => cache.findRecent(token),
  };
};

/** The application's ports over those connections. */
const createPorts = async (
  config: ApiConfig,
  connections: Connections,
  { logger, registry }: { logger: Logger; registry: MetricsRegistry },
) => {
  const { nats, redis, database } = connections;
  const { CHAIN_ID: chainId, HOST: host, PORT: port } = config;
  const clock = systemClock;
  const reads = createSharedReads({ now: () => clock.now() });
  nats.subscribe('score.>', { callback: (error) => void (error ?? reads.outdate()) });
  const stream = nats.jetstream({ timeout: PUBLISH_TIMEOUT_MS });
  const publish = async (subject: string, id: string, message: unknown): Promise<void> => {
    await callDependency('JetStream', PUBLISH_TIMEOUT_MS, () =>
      stream.publish(subject, JSON.stringify(message), { msgID: id }),
    );
  };
  const plans = plansWith(config.RATE_PLANS);
  const validationAccuracy = await readValidationAccuracy();
  const keys = createKeyStore({ redis, pepper: config.KEY_PEPPER, now: () => clock.now() });
  const log = createEventLog({ connection: nats, clock, logger });
  const streams = createStreams({ log, database, redis, keys, plans, clock, logger });
  return {
    gatekeeper: createGatekeeper({ redis, pepper: config.KEY_PEPPER, plans }),
    idempotency: createIdempotency({ redis, box: createSecretBox(config.KEY_PEPPER) }),
    tokens: openTokens(connections, chainId, { reads, logger, registry }),
    jobs: createJobs({
      redis,
      chainId,
      now: () => clock.now(),
      publish: (job) => publish(analyzeSubject(chainId), job.jobId, job),
    }),
    watchlist: createWatchlist({
      database,
      redis,
      chainId,
      clock,
      publish: (change) =>
        publish(WATCH_CHANGED_SUBJECT, `watch:${change.item.id}:${change.change}`, change),
    }),
    alerts: createAlerts(database, clock),
    history: createHistory(database, chainId),
    feedback: createFeedback({ database, chainId, clock }),
    reports: createReports(database, chainId),
    search: createSearch(database, chainId, reads.share),
    usage: createUsage({ database, logger }),
    ...createNetworkPorts({ config, database, share: reads.share, redis, clock, publish }),
    stats: createStats({ database, chainId, clock, validationAccuracy }),
    health: createHealth({
      redis,
      database,
      chainId,
      clock,
      logger,
      heartbeatMs: config.HEARTBEAT_MS,
      pingNats: () => nats.flush(),
      readPipeline: createPipelineReader(nats, chainId),
    }),
    streams,
    plans,
    clock,
    logger,
    baseUrl: config.BASE_URL ?? `http://${host}:${port}`,
  };
};

/** Aborts some time after another signal. */
const later = (signal: AbortSignal, delayMs: number): AbortSignal => {
  const end = new AbortController();
  signal.addEventListener('abort', () => setTimeout(() => end.abort(), delayMs), { once: true });
  return end.signal;
};

const serve = async (
  config: ApiConfig,
  logger: Logger,
  registry: MetricsRegistry,
  signal: AbortSignal,
): Promise<void> => {
  const { HOST: host, PORT: port } = config;
  const connections = await connect(config, logger, registry);
  const meter = createRequestMetrics(registry);
  const ports = { ...(await createPorts(config, connections, { logger, registry })), meter };
  exportStreams(registry, createStreamStates(connections.nats));
  exportStreamClients(registry, () => ports.streams.clients());
  exportDependencies(registry, () => ports.health.checks());
  const face = serveDashboard(config, connections, ports);
  const app = createApp({
    ...ports,
    dashboard: face.middleware,
    concurrencyLimits: { addressMax: config.ADDRESS_REQUESTS_MAX },
    draining: signal,
  });
  app.proxy = config.TRUSTED_PROXIES > 0;
  app.maxIpsCount = config.TRUSTED_PROXIES;
  const listening = await listen(app, {
    host,
    port,
    // All connections of a proxy come from its own address.
    addressConnectionsMax: app.proxy ? undefined : config.ADDRESS_CONNECTIONS_MAX,
    onRefused: (limit) => {
      meter.refused(limit);
      logger.debug({ limit }, 'connection refused');
    },
  });
  logger.info({ host, port: listening.port }, 'listening');
  await ports.streams.run(later(signal, config.DRAIN_DELAY_MS));
  face.end();
  await listening.close();
  await face.close();
  await ports.usage.close();
  await connections.nats.drain();
  connections.redis.disconnect();
  await connections.database.close();
};

const main = async (): Promise<void> => {
  const bootLogger = createLogger('api', 'info');
  try {
    const config = readConfig(apiConfigSchema);
    const logger = createLogger('api', config.LOG_LEVEL);
    const registry = createRegistry();
    await runService({
      logger,
      // The API answers probes on its own port too; metrics are for those inside only.
      healthPort: config.HEALTH_PORT,
      healthHost: config.HEALTH_HOST,
      metrics: registry,
      drainMsMax: config.DRAIN_DELAY_MS + DRAIN_MS_MAX,
      checks: {},
      run: (signal) => serve(config, logger, registry, signal),
    });
  } catch (error) {
    bootLogger.error(errorMessage(error));
    process.exitCode = 1;
  }
};

await main();
