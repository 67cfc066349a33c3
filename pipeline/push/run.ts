import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { NatsConnection } from 'nats';
import { type Clickhouse, createClickhouse } from '../../shared/adapters/clickhouse.ts';
import { connectNats, ensureStreams, JETSTREAM_TIMEOUT_MS } from '../../shared/adapters/nats.ts';
import { connectRedis } from '../../shared/adapters/redis.ts';
import { createChannelChoices } from '../../shared/events/channelChoices.ts';
import { WEBHOOKS_CHANGED_SUBJECT } from '../../shared/messages/settingsMessage.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { errorMessage, RetryableError } from '../../shared/runtime/errors.ts';
import { createLogger, type Logger } from '../../shared/runtime/logger.ts';
import { runService } from '../../shared/runtime/service.ts';
import { createSecretBox } from '../../shared/webhooks/secretBox.ts';
import { createSendDelivery } from '../../shared/webhooks/sendDelivery.ts';
import { createFindTarget, systemResolve } from '../../shared/webhooks/targetAddress.ts';
import { createAttempts } from './attempts.ts';
import { type Changes, followChanges } from './changes.ts';
import { pushConfigSchema } from './config.ts';
import { newCounts, type PushCounts } from './counts.ts';
import { createDeliveryQueue } from './deliveryQueue.ts';
import { createDeliveryStore } from './deliveryStore.ts';
import { createDisableWebhook } from './disableWebhook.ts';
import { createDispatcher } from './dispatcher.ts';
import { runIntake } from './intake.ts';
import { createPlan } from './planner.ts';
import { runReconcile } from './reconcile.ts';
import { RETRY_DELAYS_MS } from './schedule/nextStep.ts';
import { createWebhookIndex } from './webhookIndex.ts';

const ROLE = 'push';
const COUNTS_EVERY_MS = 60_000;

type Config = ReturnType<typeof readPushConfig>;
const readPushConfig = () => readConfig(pushConfigSchema);

/** Resolves when the server has the message on disk. */
const createPublish = (connection: NatsConnection) => {
  const jetstream = connection.jetstream({ timeout: JETSTREAM_TIMEOUT_MS });
  return async (subject: string, id: string, message: unknown): Promise<void> => {
    try {
      await jetstream.publish(subject, JSON.stringify(message), { msgID: id });
    } catch (error) {
      throw new RetryableError(`JetStream: ${errorMessage(error)}`, { cause: error });
    }
  };
};

interface Parts {
  readonly config: Config;
  readonly connection: NatsConnection;
  readonly clickhouse: Clickhouse;
  readonly redis: Redis;
  readonly logger: Logger;
  readonly counts: PushCounts;
}

const createPush = ({ config, connection, clickhouse, redis, logger, counts }: Parts) => {
  const clock = systemClock;
  const now = (): number => clock.now();
  const publish = createPublish(connection);
  const choices = createChannelChoices(clickhouse);
  const index = createWebhookIndex(clickhouse, choices);
  const store = createDeliveryStore(clickhouse);
  const queue = createDeliveryQueue(redis);
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE;
  const attempts = createAttempts({
    index,
    store,
    queue,
    box: createSecretBox(config.WEBHOOK_SECRET_KEY ?? config.KEY_PEPPER),
    send: createSendDelivery({
      findTarget: createFindTarget({ resolve: systemResolve, allowPrivate }),
      now,
    }),
    disable: createDisableWebhook({
      database: clickhouse,
      redis,
      clock,
      announce: (change) => publish(WEBHOOKS_CHANGED_SUBJECT, randomUUID(), change),
    }),
    clock,
    random: Math.random,
    logger,
    counts,
    delaysMs: config.WEBHOOK_RETRY_DELAYS_S?.map((seconds) => seconds * 1_000) ?? RETRY_DELAYS_MS,
  });
  const dispatcher = createDispatcher({ queue, attempts, clock, logger });
  let changes: Changes | undefined;
  const plan = createPlan({
    index,
    settled: async () => changes?.settled(),
    store,
    queue,
    remember: (delivery) => attempts.remember(delivery),
    wake: () => dispatcher.wake(),
    setAside: ({ subject, data }, reason) =>
      publish(`dlq.${subject}`, randomUUID(), {
        reason,
        data: Buffer.from(data).toString('base64'),
      }),
    now,
    logger,
    counts,
  });
  return {
    start: async (signal: AbortSignal) => {
      changes = await followChanges({ connection, index, choices, clock, logger }, signal);
    },
    running: (signal: AbortSignal) => [
      runIntake({ connection, plan, clock, logger }, signal),
      dispatcher.run(signal),
      runReconcile({ store, queue, redis, clock, logger }, signal),
    ],
    webhooks: () => index.count(),
  };
};

/** Runs the push role as this process. */
export const run = (): Promise<never> => {
  const config = readPushConfig();
  const logger = createLogger(ROLE, config.LOG_LEVEL);
  const clickhouse = createClickhouse({ url: config.CLICKHOUSE_URL });
  const redis = connectRedis(config.REDIS_URL);
  redis.on('error', (error) => logger.debug({ err: error }, 'Redis is away'));
  const counts = newCounts();
  let connection: NatsConnection | undefined;
  let isReading = false;

  const work = async (signal: AbortSignal): Promise<void> => {
    connection = await connectNats(config.NATS_URL, ROLE);
    await ensureStreams(connection, [config.CHAIN_ID]);
    await redis.connect().catch((error) => logger.warn(`Redis: ${errorMessage(error)}`));
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    const push = createPush({ config, connection, clickhouse, redis, logger, counts });
    await push.start(stop);
    isReading = true;
    logger.info({ webhooks: push.webhooks() }, 'ready');
    const counting = setInterval(() => logger.info({ ...counts }, 'counts'), COUNTS_EVERY_MS);
    try {
      const running = push.running(stop).map((one) => one.finally(() => failed.abort()));
      await Promise.allSettled(running);
      await Promise.all(running);
    } finally {
      isReading = false;
      clearInterval(counting);
      await connection.drain();
      redis.disconnect();
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
      redis: async () => (await redis.ping()) === 'PONG',
      reading: async () => isReading,
    },
    run: work,
  });
};
