import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createChannelChoices } from '../../shared/events/channelChoices.ts';
import { WEBHOOKS_CHANGED_SUBJECT } from '../../shared/messages/settingsMessage.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { readConfig } from '../../shared/platform/config.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import { createDeadLetterMetrics } from '../../shared/platform/metrics/deadLetterMetrics.ts';
import { createPublish, createPublishDeadLetter } from '../../shared/platform/publish.ts';
import { connectRedis } from '../../shared/platform/redis.ts';
import { type ReaderPorts, type Reading, runReader } from '../../shared/platform/runReader.ts';
import { createSecretBox } from '../../shared/webhooks/secretBox.ts';
import { createSendDelivery } from '../../shared/webhooks/sendDelivery.ts';
import { createFindTarget, resolveFor } from '../../shared/webhooks/targetAddress.ts';
import { createAttempts } from './attempts.ts';
import { pushConfigSchema } from './config.ts';
import { createDeliveryQueue } from './deliveryQueue.ts';
import { createDeliveryStore } from './deliveryStore.ts';
import { createDisableWebhook } from './disableWebhook.ts';
import { createDispatcher } from './dispatcher.ts';
import { familyTiers } from './familyTiers.ts';
import { runIntake } from './intake.ts';
import { RETRY_DELAYS_MS } from './nextStep.ts';
import { createPlan } from './planner.ts';
import { exportPushCounts, newCounts, timeAttempts } from './pushMetrics.ts';

import { runReconcile } from './reconcile.ts';
import { createStanding } from './standing.ts';
import { createWebhookIndex, followChanges } from './webhookIndex.ts';

const ROLE = 'push';

type Config = ReturnType<typeof readPushConfig>;
const readPushConfig = () => readConfig(pushConfigSchema);

interface Parts extends ReaderPorts {
  readonly config: Config;
  readonly redis: Redis;
}

/** Plans deliveries of events and makes them. */
const createPush = async (parts: Parts, signal: AbortSignal): Promise<Reading> => {
  const { config, redis, connection, clickhouse, logger, registry } = parts;
  const counts = newCounts();
  const clock = systemClock;
  const now = (): number => clock.now();
  const publish = createPublish(connection);
  const choices = createChannelChoices(clickhouse);
  const index = createWebhookIndex(clickhouse, choices);
  const standing = createStanding((families, nowMs) => familyTiers(redis, families, nowMs), now);
  const store = createDeliveryStore(clickhouse);
  const queue = createDeliveryQueue(redis);
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE;
  const attempts = createAttempts({
    index,
    standing,
    store,
    queue,
    box: createSecretBox(config.WEBHOOK_SECRET_KEY),
    send: timeAttempts(
      registry,
      createSendDelivery({
        findTarget: createFindTarget({ resolve: resolveFor(allowPrivate), allowPrivate }),
        now,
      }),
    ),
    disable: createDisableWebhook({
      database: clickhouse,
      redis,
      clock,
      announce: (change) => publish(WEBHOOKS_CHANGED_SUBJECT, change, randomUUID()),
    }),
    clock,
    random: Math.random,
    logger,
    counts,
    delaysMs: config.WEBHOOK_RETRY_DELAYS_S?.map((seconds) => seconds * 1_000) ?? RETRY_DELAYS_MS,
  });
  const dispatcher = createDispatcher({ queue, attempts, clock, logger });
  const changes = await followChanges({ connection, index, choices, clock, logger }, signal);
  const plan = createPlan({
    index,
    standing,
    settled: () => changes.settled(),
    store,
    queue,
    remember: (delivery) => attempts.remember(delivery),
    wake: () => dispatcher.wake(),
    deadLetter: createPublishDeadLetter(publish, ROLE, createDeadLetterMetrics(registry)),
    now,
    logger,
    counts,
  });
  exportPushCounts(registry, counts, () => index.count());
  return {
    start: (stop) => [
      runIntake({ connection, plan, clock, logger }, stop),
      dispatcher.run(stop),
      runReconcile({ store, queue, redis, clock, logger }, stop),
    ],
    counts: () => ({ ...counts, webhooks: index.count() }),
    close: () => redis.disconnect(),
  };
};

/** Runs the push role as this process. */
export const run = (): Promise<never> => {
  const config = readPushConfig();
  const redis = connectRedis(config.REDIS_URL);
  return runReader({
    role: ROLE,
    config,
    checks: { redis: async () => (await redis.ping()) === 'PONG' },
    prepare: async (ports, signal) => {
      const { logger } = ports;
      redis.on('error', (error) => logger.debug({ err: error }, 'Redis is away'));
      await redis.connect().catch((error) => logger.warn(`Redis: ${errorMessage(error)}`));
      return createPush({ ...ports, config, redis }, signal);
    },
  });
};
