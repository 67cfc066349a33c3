import { randomInt } from 'node:crypto';
import { Events, type NatsConnection } from 'nats';
import { consumeChain } from '../../shared/adapters/chainConsumer.ts';
import { createClickhouse } from '../../shared/adapters/clickhouse.ts';
import { connectNats, ensureStreams, JETSTREAM_TIMEOUT_MS } from '../../shared/adapters/nats.ts';
import { alertSubject } from '../../shared/messages/subjects.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { pricingOf, readConfig } from '../../shared/runtime/config.ts';
import { errorMessage, RetryableError } from '../../shared/runtime/errors.ts';
import { createLogger, type Logger } from '../../shared/runtime/logger.ts';
import { runService } from '../../shared/runtime/service.ts';
import { type Alerter, type AlerterPorts, createAlerter } from './alerter.ts';
import { createAlertStore } from './alertStore.ts';
import { alertsConfigSchema } from './config.ts';
import { readHistory } from './history.ts';
import { createIndexReader } from './indexReader.ts';
import { watchStableDecimals } from './stableDecimals.ts';
import { createWatchIndex, type WatchIndex } from './watchIndex.ts';
import { createWatchSource } from './watchSource.ts';

const READER = 'alerts';
const COUNTS_EVERY_MS = 60_000;
/** The watchlists are read anew this often, for the case that NATS lost a change of them. */
const RELOAD_EVERY_MS = 10 * 60_000;
/** Tries of one reload: ClickHouse may be away at the same time as NATS. */
const RELOAD_ATTEMPTS_MAX = 60;
const RELOAD_DELAY_MS = 1_000;
const SEED_MAX = 2 ** 32;

/** Runs the alerts role as this process. */
export const run = (): Promise<never> => {
  const config = readConfig(alertsConfigSchema);
  const logger = createLogger(READER, config.LOG_LEVEL);
  const clickhouse = createClickhouse({ url: config.CLICKHOUSE_URL });
  let connection: NatsConnection | undefined;
  let isReading = false;

  const work = async (signal: AbortSignal): Promise<void> => {
    const [chainId, pricing] = [config.CHAIN_ID, pricingOf(config)];
    connection = await connectNats(config.NATS_URL, READER);
    await ensureStreams(connection, [chainId]);
    const watches = createWatchIndex(
      createWatchSource(connection, clickhouse, logger, signal),
      randomInt(SEED_MAX),
    );
    await watches.load();
    const index = createIndexReader(clickhouse, chainId);
    const decimals = watchStableDecimals(pricing.stables, index, logger);
    const alerter = createAlerter({
      chainId,
      pricing: { ...pricing, stableDecimals: decimals.known },
      watches,
      index,
      store: createAlertStore(clickhouse),
      publish: publisher(connection),
      clock: systemClock,
    });
    for await (const placed of readHistory(connection, chainId, READER)) {
      await alerter.recall(placed);
    }
    logger.info({ ...alerter.counts(), ...watches.counts() }, 'ready');
    isReading = true;
    const reloading = reloadWatches(connection, logger, watches);
    const timers = [decimals.timer, reloading, logCounts(logger, alerter, watches)];
    try {
      await consumeChain(
        {
          connection,
          chainId,
          reader: READER,
          clock: systemClock,
          logger,
          handle: (batch) => alerter.handle(batch),
        },
        signal,
      );
    } finally {
      isReading = false;
      for (const timer of timers) clearInterval(timer);
      await connection.drain();
      await clickhouse.close();
    }
  };

  return runService({
    logger,
    healthPort: config.HEALTH_PORT,
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

const logCounts = (logger: Logger, alerter: Alerter, watches: WatchIndex): NodeJS.Timeout =>
  setInterval(
    () => logger.info({ ...alerter.counts(), ...watches.counts() }, 'counts'),
    COUNTS_EVERY_MS,
  );

const reloadWatches = (
  connection: NatsConnection,
  logger: Logger,
  watches: WatchIndex,
): NodeJS.Timeout => {
  const reload = async (): Promise<void> => {
    for (let attempt = 1; attempt <= RELOAD_ATTEMPTS_MAX; attempt += 1) {
      try {
        return await watches.load();
      } catch (error) {
        logger.warn({ err: error, attempt }, 'watchlists not reloaded');
        await systemClock.sleep(RELOAD_DELAY_MS);
      }
    }
  };
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === Events.Reconnect) await reload();
    }
  })();
  return setInterval(() => void reload(), RELOAD_EVERY_MS);
};
