import { setFlagsFromString } from 'node:v8';
import { createClickhouse } from '../shared/platform/clickhouse.ts';
import { readConfig } from '../shared/platform/config.ts';
import { errorMessage } from '../shared/platform/errors.ts';
import { createLogger, type Logger } from '../shared/platform/logger.ts';
import type { Mailer } from '../shared/platform/mailer.ts';
import {
  createClickhouseMetrics,
  createRegistry,
  exportDependencies,
  type MetricsRegistry,
} from '../shared/platform/metrics.ts';
import { connectNats, ensureStreams } from '../shared/platform/nats.ts';
import { connectRedis, openPatiently } from '../shared/platform/redis.ts';
import { checkSchema } from '../shared/platform/schema.ts';
import { runService } from '../shared/platform/service.ts';
import { createStreamStates, exportStreams } from '../shared/platform/streamStates.ts';
import { createDashboard } from './dashboard/createDashboard.ts';
import { createDashboardPorts } from './dashboard/createDashboardPorts.ts';
import { createLiveFeed } from './dashboard/liveFeed.ts';
import { EXPORT_S_MAX, EXPORTS_MAX } from './export/createExports.ts';
import { createRequestMetrics, exportIndex, exportStreamClients } from './server/apiMetrics.ts';
import { type AppPorts, createApp } from './server/app.ts';
import { type ApiConfig, apiConfigSchema } from './server/config.ts';
import { listen } from './server/listen.ts';
import type { Concurrency } from './server/middleware/concurrency.ts';
import { type Connections, createServices } from './services.ts';

/** Milliseconds that a query of the API may take. */
const QUERY_TIMEOUT_MS = 10_000;
const CONNECTIONS_MAX = 20;
const EXPORT_TIMEOUT_MS = (EXPORT_S_MAX + 5) * 1_000;
/** Milliseconds for running requests and clean-up after the API stops accepting requests. */
const DRAIN_MS_MAX = 12_000;
/**
 * Percent by which the heap may grow beyond its live objects before a full collection. On a machine with enough
 * memory, V8 otherwise lets it grow to several times as much: list reads peaked at 228 MiB instead of 166.
 */
const HEAP_GROWTH_PERCENT = 100;

/** The dashboard, fed by what the other roles publish. */
const serveDashboard = (
  config: ApiConfig,
  { nats, redis, database }: Connections,
  ports: Omit<AppPorts, 'dashboard'> & { readonly mailer: Mailer },
) => {
  const { baseUrl, clock, logger, mailer } = ports;
  const streams = createStreamStates(nats);
  const own = createDashboardPorts({ config, baseUrl, redis, database, streams, clock });
  const feed = createLiveFeed(logger);
  for (const subject of ['score.>', 'alert.>']) {
    nats.subscribe(subject, {
      callback: (error, message) => {
        if (!error) feed.publish({ subject: message.subject, text: message.string() });
      },
    });
  }
  return {
    middleware: (concurrency: Pick<Concurrency, 'runDashboard' | 'runHeavy'>) =>
      createDashboard({ ...ports, ...own, feed }, concurrency),
    end: () => feed.end(),
    close: () => mailer.drain(),
  };
};

const connect = async (
  config: ApiConfig,
  logger: Logger,
  registry: MetricsRegistry,
): Promise<Connections> => {
  const clickhouse = { url: config.CLICKHOUSE_URL, meter: createClickhouseMetrics(registry) };
  const database = createClickhouse({
    ...clickhouse,
    timeoutMs: QUERY_TIMEOUT_MS,
    connectionsMax: CONNECTIONS_MAX,
  });
  await checkSchema(database, logger);
  const nats = await connectNats(config.NATS_URL, 'api');
  await ensureStreams(nats, [config.CHAIN_ID], config.NATS_REPLICAS);
  const redis = connectRedis(config.REDIS_URL);
  await openPatiently(redis, logger);
  const exportDatabase = createClickhouse({
    ...clickhouse,
    timeoutMs: EXPORT_TIMEOUT_MS,
    connectionsMax: EXPORTS_MAX,
  });
  return { nats, redis, database, exportDatabase };
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
  const services = await createServices({ ...connections, config, logger });
  const ports = { ...services, meter };
  exportStreams(registry, createStreamStates(connections.nats));
  exportStreamClients(registry, () => ports.streams.clients());
  exportIndex(registry, () => services.index.state());
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
  const drained = later(signal, config.DRAIN_DELAY_MS);
  await Promise.all([ports.streams.run(drained), services.index.run(drained)]);
  face.end();
  await listening.close();
  await face.close();
  await ports.usage.close();
  await connections.nats.drain();
  connections.redis.disconnect();
  await connections.database.close();
  await connections.exportDatabase.close();
};

const main = async (): Promise<void> => {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const bootLogger = createLogger('api', 'info');
  try {
    const config = readConfig(apiConfigSchema);
    const logger = createLogger('api', config.LOG_LEVEL);
    const registry = createRegistry();
    await runService({
      logger,
      // The API answers probes on its public port too; metrics are on the internal port only.
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
