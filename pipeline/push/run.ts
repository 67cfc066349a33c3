import type { Redis } from 'ioredis';
import type { JsMsg } from 'nats';
import {
  createAlertSettingsStore,
  createSettingsIndex,
} from '../../shared/families/alertSettingsStore.ts';
import { followChanges } from '../../shared/families/changes.ts';
import { PUSH_CONSUMER } from '../../shared/messages/subjects.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { readConfig } from '../../shared/platform/config.ts';
import { consumeEvents } from '../../shared/platform/eventConsumer.ts';
import { createMailer } from '../../shared/platform/mailer.ts';
import { createDeadLetterMetrics } from '../../shared/platform/metrics.ts';
import { ensurePushConsumer } from '../../shared/platform/nats.ts';
import {
  createPublish,
  createPublishDeadLetter,
  isReplay,
  messageIdOf,
} from '../../shared/platform/publish.ts';
import { connectRedis, openPatiently } from '../../shared/platform/redis.ts';
import { type ReaderPorts, type Reading, runReader } from '../../shared/platform/runReader.ts';
import { createSecretBox } from '../../shared/platform/secretBox.ts';
import { CHAT_ORIGINS, type ChatOrigins } from '../../shared/webhooks/chatServices.ts';
import { createSendDelivery } from '../../shared/webhooks/sendDelivery.ts';
import { createSendEvents, type SendEvents } from '../../shared/webhooks/sendEvents.ts';
import { createFindTarget, resolveFor } from '../../shared/webhooks/targetAddress.ts';
import type { Webhook } from '../../shared/webhooks/webhook.ts';
import { createWebhookStore } from '../../shared/webhooks/webhookStore.ts';
import { createAttempts } from './attempts.ts';
import { pushConfigSchema } from './config.ts';
import { createDeliveryQueue, type QueueEntry } from './deliveryQueue.ts';
import { createDeliveryStore } from './deliveryStore.ts';
import { createDispatcher } from './dispatcher.ts';
import { createEntitled } from './entitlements.ts';
import { RETRY_DELAYS_MS } from './nextStep.ts';
import { createPlan, type Plan } from './planner.ts';
import { exportPushCounts, newCounts, timeAttempts } from './pushMetrics.ts';
import { runReconcile } from './reconcile.ts';
import { createWebhookIndex } from './webhookIndex.ts';

const ROLE = 'push';
/** Default address of the API, the same as the API's own default. */
const DEFAULT_BASE_URL = 'http://127.0.0.1:8080';

type Config = ReturnType<typeof readPushConfig>;
const readPushConfig = () => readConfig(pushConfigSchema);

interface Parts extends Omit<ReaderPorts, 'tracer'> {
  readonly config: Config;
  readonly redis: Redis;
}

/** Webhooks and the settings of their families in memory, kept in sync with what the API stored. */
const followWebhooks = async ({ redis, logger }: Parts, signal: AbortSignal) => {
  const clock = systemClock;
  const settings = createSettingsIndex(createAlertSettingsStore(redis));
  const webhooks = createWebhookStore(redis, clock);
  const wantsAlerts = ({ family, kind }: Webhook): boolean => {
    const { webhook = true, email = false } = settings.of(family).channels ?? {};
    return kind === 'email' ? email : webhook;
  };
  const index = createWebhookIndex(webhooks, wantsAlerts);
  const following = await followChanges(
    { redis, clock, logger },
    {
      load: async () => {
        await settings.load();
        await index.load();
      },
      apply: {
        settings: (message) => settings.apply(message),
        webhooks: (message) => index.apply(message),
      },
    },
    signal,
  );
  return { webhooks, index, following };
};

const createSend = (
  { config, logger }: Parts,
  now: () => number,
  origins: ChatOrigins,
): SendEvents => {
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE;
  const findTarget = createFindTarget({ resolve: resolveFor(allowPrivate), allowPrivate });
  const mailer = createMailer({
    url: config.MAIL_URL,
    folder: config.MAIL_DIR,
    from: config.MAIL_FROM,
    logger,
  });
  return createSendEvents({
    send: createSendDelivery({ findTarget, now }),
    mailer,
    box: createSecretBox(config.WEBHOOK_SECRET_KEY),
    now,
    baseUrl: config.BASE_URL ?? DEFAULT_BASE_URL,
    origins,
  });
};

/** Reads events until `signal` aborts; each is acknowledged when its deliveries are stored and scheduled. */
const readEvents = (
  { connection, logger, plan }: Pick<Parts, 'connection' | 'logger'> & { readonly plan: Plan },
  signal: AbortSignal,
): Promise<void> => {
  const handle = (batch: readonly JsMsg[], isAgain: boolean): Promise<void> =>
    plan(
      batch.map((message) => ({
        subject: message.subject,
        data: message.data,
        messageId: messageIdOf(message),
        seq: message.seq,
        isAgain: isAgain || message.redelivered || isReplay(message),
      })),
    );
  const events = { durable: PUSH_CONSUMER, ensure: ensurePushConsumer };
  return consumeEvents({ connection, ...events, handle, clock: systemClock, logger }, signal);
};

/**
 * Plans and makes deliveries of events.
 * @param origins base URLs of the chat services: replaced in tests
 */
export const createPush = async (
  parts: Parts,
  signal: AbortSignal,
  origins = CHAT_ORIGINS,
): Promise<Reading> => {
  const { config, redis, connection, clickhouse, logger, registry } = parts;
  const counts = newCounts();
  const clock = systemClock;
  const now = (): number => clock.now();
  const publish = createPublish(connection);
  const { webhooks, index, following } = await followWebhooks(parts, signal);
  const entitled = createEntitled(redis, now);
  const store = createDeliveryStore(clickhouse);
  const queue = createDeliveryQueue(redis);
  const attempts = createAttempts({
    webhooks,
    entitled,
    store,
    queue,
    send: timeAttempts(registry, createSend(parts, now, origins)),
    clock,
    random: Math.random,
    logger,
    counts,
    delaysMs: config.WEBHOOK_RETRY_DELAYS_S?.map((seconds) => seconds * 1_000) ?? RETRY_DELAYS_MS,
  });
  const isTogether = ({ family, webhookId }: QueueEntry): boolean =>
    index.isForPeople(family, webhookId);
  const dispatcher = createDispatcher({ queue, attempts, isTogether, clock, logger });
  const plan = createPlan({
    index,
    entitled,
    caughtUp: () => following.caughtUp(),
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
      readEvents({ ...parts, plan }, stop),
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
    // A command before `connect` would connect implicitly, and `connect` then fails.
    checks: { redis: async () => redis.status === 'ready' && (await redis.ping()) === 'PONG' },
    prepare: async (ports, signal) => {
      await openPatiently(redis, ports.logger);
      return createPush({ ...ports, config, redis }, signal);
    },
  });
};
