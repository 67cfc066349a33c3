import { createClickhouse } from '../shared/adapters/clickhouse.ts';
import { connectNats, ensureStreams } from '../shared/adapters/nats.ts';
import { connectRedis } from '../shared/adapters/redis.ts';
import { analyzeSubject, WATCH_CHANGED_SUBJECT } from '../shared/messages/subjects.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { readConfig } from '../shared/runtime/config.ts';
import { errorMessage } from '../shared/runtime/errors.ts';
import { createLogger, type Logger } from '../shared/runtime/logger.ts';
import { runService } from '../shared/runtime/service.ts';
import { createSecretBox } from '../shared/webhooks/secretBox.ts';
import { createGatekeeper } from './accounts/createGatekeeper.ts';
import { plansWith } from './accounts/plans.ts';
import { createApp } from './app.ts';
import { type ApiConfig, apiConfigSchema } from './config.ts';
import { createNetworkPorts } from './createNetworkPorts.ts';
import {
  createAlerts,
  createHealth,
  createHistory,
  createStats,
  createTokens,
} from './createPorts.ts';
import { callDependency, PUBLISH_TIMEOUT_MS } from './dependency.ts';
import { createFeedback } from './feedback/createFeedback.ts';
import { createJobs } from './jobs/createJobs.ts';
import { listen } from './listen.ts';
import { createIdempotency } from './middleware/createIdempotency.ts';
import { readValidationAccuracy } from './modelCard.ts';
import { createReports } from './queries/reports.ts';
import { createSearch } from './queries/search.ts';
import { createUsage } from './usage/createUsage.ts';
import { createWatchlist } from './watchlist/createWatchlist.ts';

/** Milliseconds a query of the API may take. */
const QUERY_TIMEOUT_MS = 10_000;
const CONNECTIONS_MAX = 20;

const serve = async (config: ApiConfig, logger: Logger, signal: AbortSignal): Promise<void> => {
  const { CHAIN_ID: chainId, HOST: host, PORT: port } = config;
  const clock = systemClock;
  const nats = await connectNats(config.NATS_URL, 'api');
  await ensureStreams(nats, [chainId]);
  const redis = connectRedis(config.REDIS_URL);
  // Each command reports the failure itself.
  redis.on('error', (error) => logger.debug({ err: error }, 'redis connection'));
  const database = createClickhouse({
    url: config.CLICKHOUSE_URL,
    timeoutMs: QUERY_TIMEOUT_MS,
    connectionsMax: CONNECTIONS_MAX,
  });
  const stream = nats.jetstream({ timeout: PUBLISH_TIMEOUT_MS });
  const publish = async (subject: string, id: string, message: unknown): Promise<void> => {
    await callDependency('JetStream', PUBLISH_TIMEOUT_MS, () =>
      stream.publish(subject, JSON.stringify(message), { msgID: id }),
    );
  };
  await redis.connect().catch((error) => {
    logger.warn(`Redis: ${errorMessage(error)}`);
  });
  const plans = plansWith(config.RATE_PLANS);
  const usage = createUsage({ database, logger });
  const validationAccuracy = await readValidationAccuracy();
  const app = createApp({
    gatekeeper: createGatekeeper({ redis, pepper: config.KEY_PEPPER, plans }),
    idempotency: createIdempotency({ redis, box: createSecretBox(config.KEY_PEPPER) }),
    tokens: createTokens(database, chainId),
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
    search: createSearch(database, chainId),
    usage,
    ...createNetworkPorts({ config, database, redis, clock, publish }),
    stats: createStats({ database, chainId, clock, validationAccuracy }),
    health: createHealth({ redis, database, chainId, clock, pingNats: () => nats.flush() }),
    plans,
    clock,
    logger,
    baseUrl: config.BASE_URL ?? `http://${host}:${port}`,
  });
  const listening = await listen(app, { host, port });
  logger.info({ host, port: listening.port }, 'listening');
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await listening.close();
  await usage.close();
  await nats.drain();
  redis.disconnect();
  await database.close();
};

const main = async (): Promise<void> => {
  const bootLogger = createLogger('api', 'info');
  try {
    const config = readConfig(apiConfigSchema);
    const logger = createLogger('api', config.LOG_LEVEL);
    await runService({
      logger,
      // The API answers probes on its own port.
      healthPort: 0,
      checks: {},
      run: (signal) => serve(config, logger, signal),
    });
  } catch (error) {
    bootLogger.error(errorMessage(error));
    process.exitCode = 1;
  }
};

await main();
