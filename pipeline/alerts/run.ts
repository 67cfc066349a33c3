import type { JsMsg } from 'nats';
import { factoriesOf, KNOWN_STABLE_DECIMALS } from '../../shared/chain/chains.ts';
import type { AlertMessage } from '../../shared/messages/alertMessage.ts';
import { clusterMessageSchema } from '../../shared/messages/clusterMessage.ts';
import { scoreMessageSchema } from '../../shared/messages/scoreMessage.ts';
import { alertSubject, clusterSubjects, scoreSubjects } from '../../shared/messages/subjects.ts';
import { type ChainConsumerOptions, consumeChain } from '../../shared/platform/chainConsumer.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { pricingOf, readConfig } from '../../shared/platform/config.ts';
import { consumeEvents, durableEvents, readMessages } from '../../shared/platform/eventConsumer.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { createDeadLetterMetrics, createReaderMetrics } from '../../shared/platform/metrics.ts';
import {
  createPublish,
  createPublishDeadLetter,
  type Publish,
  type PublishDeadLetter,
} from '../../shared/platform/publish.ts';
import { connectRedis, openPatiently } from '../../shared/platform/redis.ts';
import { runConcurrently } from '../../shared/platform/runConcurrently.ts';
import { leading, type Reading, runReader } from '../../shared/platform/runReader.ts';
import type { Tracer } from '../../shared/platform/tracer.ts';
import { type Alerter, type AlerterPorts, createAlerter } from './alerter.ts';
import { createAlertMetrics, exportAlertCounts } from './alertMetrics.ts';
import { alertsConfigSchema } from './config.ts';
import { createCounterpartyReader } from './counterparties/counterpartyReader.ts';
import { readHistory } from './history.ts';
import { createIndexReader } from './indexReader.ts';
import { createLockReader } from './lockReader.ts';
import { createMarketReader } from './marketReader.ts';
import { createAlertStore } from './raise/alertStore.ts';
import { createRingReader } from './ringReader.ts';
import { type LoadedAudience, loadAudience } from './watch/audience.ts';

const READER = 'alerts';

/**
 * Runs the alerts role as this process: of several on a chain one raises alerts, the others are ready to take over.
 */
export const run = (): Promise<never> => {
  const config = readConfig(alertsConfigSchema);
  const chainId = config.CHAIN_ID;
  const redis = connectRedis(config.REDIS_URL);
  let audience: LoadedAudience | undefined;
  return runReader({
    role: READER,
    config,
    checks: { redis: async () => audience?.isCurrent() ?? false },
    prepare: async (ports, signal): Promise<Reading> => {
      const { connection, clickhouse, logger, registry, tracer } = ports;
      await openPatiently(redis, logger);
      const loaded = await loadAudience({ redis, logger }, signal);
      audience = loaded;
      const index = createIndexReader(clickhouse, chainId);
      const pricing = pricingOf(config);
      const factories = factoriesOf(chainId);
      const bases = [pricing.weth, ...pricing.stables];
      const publish = createPublish(connection);
      const meter = createAlertMetrics(registry);
      const deadLetters = createDeadLetterMetrics(registry);
      const deadLetter = createPublishDeadLetter(publish, READER, deadLetters);
      const alerterPorts: AlerterPorts = {
        chainId,
        pricing: { ...pricing, stableDecimals: new Map(KNOWN_STABLE_DECIMALS) },
        factories,
        audience: loaded,
        index: {
          ...index,
          ...createMarketReader(clickhouse, { chainId, bases, factories }),
          ...createCounterpartyReader(clickhouse, chainId),
        },
        rings: createRingReader(clickhouse, chainId),
        locks: createLockReader(clickhouse, { chainId, bases }),
        unlockNoticeS: config.UNLOCK_NOTICE_S,
        store: createAlertStore(clickhouse),
        publish: createAlertPublisher({ publish, meter, logger, tracer }),
        clock: systemClock,
      };
      let alerter = createAlerter(alerterPorts);
      const counts = () => alerter.counts();
      exportAlertCounts(registry, { alerter: { counts }, audience: loaded });
      const reading = {
        connection,
        chainId,
        clock: systemClock,
        logger,
        meter: createReaderMetrics(registry),
        tracer,
        deadLetter,
      };
      return {
        start: leading(ports, `${READER}.${chainId}`, (held) => {
          // Memory from an earlier term as leader is out of date.
          alerter = createAlerter(alerterPorts);
          return readAll(reading, alerter, held);
        }),
        counts: () => ({ ...counts(), ...loaded.counts() }),
        close: () => redis.disconnect(),
      };
    },
  });
};

/** Publishes alerts, each with its metrics, a log line and a span. */
const createAlertPublisher =
  ({
    publish,
    meter,
    logger,
    tracer,
  }: {
    publish: Publish;
    meter: ReturnType<typeof createAlertMetrics>;
    logger: Logger;
    tracer: Tracer;
  }): AlerterPorts['publish'] =>
  async (message) => {
    const startMs = systemClock.now();
    await publish(alertSubject(message.alert.family), message, message.eventId);
    const endMs = systemClock.now();
    meter.sent(message, endMs);
    logger.info(lineOf(message), 'alert sent');
    const { blockHash, id: alert, type } = message.alert;
    const attributes = { alert, type, state: message.state };
    tracer.span({ name: 'alerts: alert sent', blockHash, startMs, endMs, attributes });
  };

/** Log fields of an alert: recipients and content are in the table. */
const lineOf = ({ eventId: event, state, alert }: AlertMessage) => {
  const { id, type, token, blockNumber: block, blockHash } = alert;
  return { event, state, alert: id, type, token: token.address, block, blockHash };
};

interface ReadPorts extends Omit<ChainConsumerOptions, 'reader' | 'handle'> {
  readonly deadLetter: PublishDeadLetter;
}

/**
 * Reads the verdicts and ring changes of one chain until `signal` aborts. Messages that cannot be parsed become dead
 * letters.
 */
const readEvents = (ports: ReadPorts, alerter: Alerter, signal: AbortSignal): Promise<void> => {
  const { connection, chainId, clock, logger } = ports;
  const subjects = [scoreSubjects(chainId), clusterSubjects(chainId)];
  const events = durableEvents(`${READER}-${chainId}`, subjects);
  const handle = async (batch: readonly JsMsg[]): Promise<void> => {
    for (const message of batch) {
      if (message.subject.startsWith('score.')) {
        const scores = await readMessages([message], scoreMessageSchema, ports);
        for (const score of scores) await alerter.handleScore(score);
      } else {
        const clusters = await readMessages([message], clusterMessageSchema, ports);
        for (const cluster of clusters) await alerter.handleCluster(cluster);
      }
    }
  };
  return consumeEvents({ connection, ...events, handle, batchMax: 1, clock, logger }, signal);
};

/**
 * Rebuilds memory from messages handled before, then reads blocks and, in parallel, verdicts and rings, until
 * `signal` aborts.
 */
const readAll = async (ports: ReadPorts, alerter: Alerter, signal: AbortSignal): Promise<void> => {
  const { connection, chainId } = ports;
  for await (const batch of readHistory(connection, chainId, READER)) await alerter.recall(batch);
  await runConcurrently(
    (stop) => [
      consumeChain({ ...ports, reader: READER, handle: (batch) => alerter.handle(batch) }, stop),
      readEvents(ports, alerter, stop),
    ],
    signal,
  );
};
