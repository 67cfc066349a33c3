import type { NatsConnection } from 'nats';
import { consumeChain } from '../../shared/adapters/chainConsumer.ts';
import { createClickhouse } from '../../shared/adapters/clickhouse.ts';
import { withLease } from '../../shared/adapters/lease.ts';
import { connectNats, ensureStreams, JETSTREAM_TIMEOUT_MS } from '../../shared/adapters/nats.ts';
import { alertSubject } from '../../shared/messages/subjects.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { pricingOf, readConfig } from '../../shared/runtime/config.ts';
import { errorMessage, RetryableError } from '../../shared/runtime/errors.ts';
import { createLogger, type Logger } from '../../shared/runtime/logger.ts';
import { runService } from '../../shared/runtime/service.ts';
import { type Alerter, type AlerterPorts, createAlerter } from './alerter.ts';
import { createAlertStore } from './alertStore.ts';
import { loadAudience } from './audience.ts';
import { alertsConfigSchema } from './config.ts';
import { readEvents } from './eventReader.ts';
import { readHistory } from './history.ts';
import { createIndexReader } from './indexReader.ts';
import { createRingReader } from './ringReader.ts';
import { watchStableDecimals } from './stableDecimals.ts';

const READER = 'alerts';
const COUNTS_EVERY_MS = 60_000;

/** Runs the alerts role as this process. */
export const run = (): Promise<never> => {
  const config = readConfig(alertsConfigSchema);
  const logger = createLogger(READER, config.LOG_LEVEL);
  const clickhouse = createClickhouse({ url: config.CLICKHOUSE_URL });
  let connection: NatsConnection | undefined;
  let isReady = false;

  const work = async (signal: AbortSignal): Promise<void> => {
    connection = await connectNats(config.NATS_URL, READER);
    await ensureStreams(connection, [config.CHAIN_ID]);
    const audience = await loadAudience(connection, clickhouse, logger, signal);
    const index = createIndexReader(clickhouse, config.CHAIN_ID);
    const { stables } = pricingOf(config);
    const decimals = watchStableDecimals(stables, index, logger);
    const alerter = createAlerter({
      chainId: config.CHAIN_ID,
      pricing: { ...pricingOf(config), stableDecimals: decimals.known },
      audience,
      index,
      rings: createRingReader(clickhouse, config.CHAIN_ID),
      store: createAlertStore(clickhouse),
      publish: publisher(connection),
      clock: systemClock,
    });
    const counts = () => ({ ...alerter.counts(), ...audience.counts() });
    const logging = setInterval(() => logger.info(counts(), 'counts'), COUNTS_EVERY_MS);
    try {
      isReady = true;
      const parts = { connection, chainId: config.CHAIN_ID, logger, alerter };
      await withLease(
        { connection, clock: systemClock, logger },
        leaseOf(config.CHAIN_ID),
        signal,
        (held) => readAll(parts, held),
      );
    } finally {
      isReady = false;
      for (const timer of [decimals.timer, logging]) clearInterval(timer);
      audience.stop();
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
      loaded: async () => isReady,
    },
    run: work,
  });
};

/** Of several processes on a chain one raises alerts; the others are ready to go on with it. */
const leaseOf = (chainId: number): string => `${READER}.${chainId}`;

/** Sends to the events stream; resolves when the server has the message on disk. */
const publisher = (connection: NatsConnection): AlerterPorts['publish'] => {
  const jetstream = connection.jetstream({ timeout: JETSTREAM_TIMEOUT_MS });
  return async (message) => {
    try {
      await jetstream.publish(alertSubject(message.alert.family), JSON.stringify(message), {
        msgID: message.eventId,
      });
    } catch (error) {
      throw new RetryableError(`alert not sent: ${errorMessage(error)}`, { cause: error });
    }
  };
};

/** Recalls what was handled before, then reads blocks, and beside them verdicts and rings, until `signal` aborts; the failure of one ends both. */
const readAll = async (
  parts: { connection: NatsConnection; chainId: number; logger: Logger; alerter: Alerter },
  signal: AbortSignal,
): Promise<void> => {
  const { alerter, ...common } = parts;
  const { connection, chainId } = common;
  for await (const batch of readHistory(connection, chainId, READER)) await alerter.recall(batch);
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const reading = [
    consumeChain(
      { ...common, reader: READER, clock: systemClock, handle: (batch) => alerter.handle(batch) },
      either,
    ),
    readEvents(
      {
        ...common,
        clock: systemClock,
        onScore: (message) => alerter.handleScore(message),
        onCluster: (message) => alerter.handleCluster(message),
      },
      either,
    ),
  ].map((read) => read.finally(() => failed.abort()));
  const ends = await Promise.allSettled(reading);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
};
