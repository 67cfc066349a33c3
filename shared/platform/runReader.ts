import type { NatsConnection } from 'nats';
import type { BeatingRole } from '../messages/heartbeat.ts';
import { type Clickhouse, createClickhouse } from './clickhouse.ts';
import { systemClock } from './clock.ts';
import type { ReaderConfig } from './config.ts';
import { beat } from './heartbeat.ts';
import { withLeadership } from './lease.ts';
import { createLogger, type Logger } from './logger.ts';
import {
  createClickhouseMetrics,
  createRegistry,
  createSpanMetrics,
  exportDependencies,
  exportLeadership,
  type MetricsRegistry,
} from './metrics.ts';
import { connectNats, ensureStreams } from './nats.ts';
import { runConcurrently } from './runConcurrently.ts';
import { checkSchema } from './schema.ts';
import { readiness, runService, type ServiceOptions } from './service.ts';
import { createTracer, type Tracer } from './tracer.ts';

const COUNTS_EVERY_MS = 60_000;

/** What a role that reads from JetStream and stores in ClickHouse receives. */
export interface ReaderPorts {
  readonly connection: NatsConnection;
  readonly clickhouse: Clickhouse;
  readonly logger: Logger;
  /** Registry for the role's own metrics. */
  readonly registry: MetricsRegistry;
  readonly tracer: Tracer;
}

/** A prepared role. */
export interface Reading {
  /** Starts its parts; each resolves when `signal` aborts. If one ends, the others are stopped. */
  start(signal: AbortSignal): Promise<void>[];
  /** Its progress so far, logged once a minute. */
  counts?(): Readonly<Record<string, number>>;
  /** Closes what it opened itself, after its parts have ended. */
  close?(): void;
}

/** The part of a role that only one of its copies per chain does at a time, while the others wait. */
export const leading = (
  { connection, logger, registry }: Pick<ReaderPorts, 'connection' | 'logger' | 'registry'>,
  lease: string,
  work: (signal: AbortSignal) => Promise<void>,
): Reading['start'] => {
  const lead = exportLeadership(registry, work);
  const leasing = { connection, clock: systemClock, logger };
  return (stop) => [withLeadership(leasing, lease, stop, lead)];
};

interface ReaderOptions {
  readonly role: Exclude<BeatingRole, 'watcher'>;
  readonly config: ReaderConfig;
  /** Health checks of dependencies that only this role has. */
  readonly checks?: ServiceOptions['checks'];
  readonly prepare: (ports: ReaderPorts, signal: AbortSignal) => Promise<Reading>;
}

/**
 * Runs a role as this process: checks the tables, connects, lets the role prepare, becomes ready, and closes
 * everything when its parts have ended.
 */
export const runReader = (options: ReaderOptions): Promise<never> => {
  const { role, config, checks, prepare } = options;
  const logger = createLogger(role, config.LOG_LEVEL, config.CHAIN_ID);
  const registry = createRegistry({ chain: String(config.CHAIN_ID) });
  const meter = createClickhouseMetrics(registry);
  const clickhouse = createClickhouse({ url: config.CLICKHOUSE_URL, meter });
  const tracer = createTracer({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    role,
    chainId: config.CHAIN_ID,
    logger,
    meter: createSpanMetrics(registry),
  });
  let connection: NatsConnection | undefined;
  let isReading = false;

  const run = async (signal: AbortSignal): Promise<void> => {
    await checkSchema(clickhouse, logger);
    connection = await connectNats(config.NATS_URL, role);
    await ensureStreams(connection, [config.CHAIN_ID], config.NATS_REPLICAS);
    const reading = await prepare({ connection, clickhouse, logger, registry, tracer }, signal);
    const counts = () => reading.counts?.() ?? {};
    let logged = JSON.stringify(counts());
    const logging = setInterval(() => {
      const now = JSON.stringify(counts());
      if (now !== logged) logger.info(counts(), 'counts');
      logged = now;
    }, COUNTS_EVERY_MS);
    const sign = { connection, role, chainId: config.CHAIN_ID, clock: systemClock, logger };
    const everyMs = config.HEARTBEAT_MS;
    isReading = true;
    logger.info(counts(), 'ready');
    try {
      await runConcurrently(
        (stop) => [...reading.start(stop), beat({ ...sign, everyMs }, stop)],
        signal,
      );
    } finally {
      isReading = false;
      clearInterval(logging);
      reading.close?.();
      await connection.drain();
      await tracer.close();
      await clickhouse.close();
    }
  };

  const allChecks = {
    nats: async () => connection !== undefined && (await connection.rtt()) >= 0,
    clickhouse: async () => {
      await clickhouse.ping();
      return true;
    },
    reading: async () => isReading,
    ...checks,
  };
  exportDependencies(registry, () => readiness(allChecks));
  return runService({
    logger,
    healthPort: config.HEALTH_PORT,
    healthHost: config.HEALTH_HOST,
    metrics: registry,
    checks: allChecks,
    run,
  });
};
