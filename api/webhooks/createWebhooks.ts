import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { ulid } from 'ulid';
import type { Clickhouse } from '../../shared/adapters/clickhouse.ts';
import { ZERO_ADDRESS } from '../../shared/chain/block.ts';
import type { WebhooksChanged } from '../../shared/messages/settingsMessage.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { isoTime } from '../present/isoTime.ts';
import {
  deliveryStates,
  findDelivery,
  listDeliveries,
  readWebhooks,
  saveDelivery,
  saveWebhook,
} from '../queries/webhooks.ts';
import type { WebhookPayload } from '../schema/webhook.ts';
import { withLock } from '../watchlist/withLock.ts';
import type { SecretBox } from './secretBox.ts';
import type { SendDelivery } from './sendDelivery.ts';
import type { Delivery, Webhook, WebhookState, Webhooks } from './webhook.ts';

const SECRET_BYTES = 32;
/** Milliseconds the secret before a rotation signs too. */
const PREVIOUS_SECRET_MS = 24 * 3_600_000;

const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/** The event that shows that a webhook works; it is about no token. */
const testPayload = (eventId: string, nowMs: number): WebhookPayload => ({
  type: 'webhook.test',
  id: eventId,
  timestamp: isoTime(nowMs),
  alert_type: 'test',
  severity: 'info',
  token: { address: ZERO_ADDRESS, name: 'Test', symbol: 'TEST' },
  data: { message: 'This is a test event' },
});

/** What webhooks need of their surroundings. */
export interface WebhooksDependencies {
  readonly database: Pick<Clickhouse, 'query' | 'insert'>;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly box: SecretBox;
  readonly send: SendDelivery;
  /** Resolves when the stream has stored the change. */
  readonly publish: (change: WebhooksChanged) => Promise<void>;
}

/** Webhooks in ClickHouse; a change is stored, then announced, before it is confirmed. */
export const createWebhooks = (dependencies: WebhooksDependencies): Webhooks => {
  const { database, redis, clock, box, send, publish } = dependencies;
  const exclusively = <T>(family: string, work: () => Promise<T>): Promise<T> =>
    withLock({ redis, clock }, `webhooks-lock:${family}`, work);

  const withStates = async (webhooks: readonly Webhook[]): Promise<WebhookState[]> => {
    const family = webhooks[0]?.family ?? '';
    const ids = webhooks.map(({ id }) => id);
    const states = await deliveryStates(database, family, ids);
    return webhooks.map((webhook) => {
      const { lastDeliveryAtMs = null, failureCount = 0 } = states.get(webhook.id) ?? {};
      return { ...webhook, lastDeliveryAtMs, failureCount };
    });
  };
  const find = async (family: string, id: string): Promise<WebhookState | undefined> =>
    (await withStates(await readWebhooks(database, family, id)))[0];

  const save = async (webhook: Webhook, options?: { isDeleted: boolean }): Promise<void> => {
    await saveWebhook(database, webhook, options);
    await publish({ v: 1, family: webhook.family, webhookId: webhook.id });
  };
  /** Stores what `edit` makes of a webhook, under the lock of its family. */
  const update = (
    family: string,
    id: string,
    edit: (webhook: WebhookState) => Webhook,
  ): Promise<WebhookState | undefined> =>
    exclusively(family, async () => {
      const before = await find(family, id);
      if (!before) return undefined;
      // Also where the clock has gone back, the change must win.
      const version = Math.max(clock.now(), before.version + 1);
      const webhook = { ...before, ...edit(before), version };
      await save(webhook);
      return webhook;
    });

  const secretsOf = (webhook: Webhook): string[] => {
    const isOldOneValid =
      webhook.previousSecret !== '' && webhook.previousSecretUntilMs > clock.now();
    const sealed = [webhook.secret, ...(isOldOneValid ? [webhook.previousSecret] : [])];
    return sealed.map((secret) => box.open(secret, webhook.id));
  };
  /** Sends an event now, once, and keeps what became of it. */
  const deliver = async (
    webhook: Webhook,
    event: Pick<Delivery, 'eventId' | 'type' | 'payload'>,
  ): Promise<Delivery> => {
    const createdAtMs = clock.now();
    const pending: Delivery = {
      ...event,
      family: webhook.family,
      webhookId: webhook.id,
      id: `dl_${ulid(createdAtMs)}`,
      attempt: 0,
      status: 'pending',
      httpStatus: null,
      error: null,
      durationMs: null,
      nextAttemptAtMs: null,
      createdAtMs,
    };
    await saveDelivery(database, pending, createdAtMs);
    const secrets = secretsOf(webhook);
    const attempt = await send({ ...event, url: webhook.url, secrets });
    const delivery: Delivery = {
      ...pending,
      attempt: 1,
      status: attempt.isDelivered ? 'delivered' : 'failed',
      httpStatus: attempt.httpStatus,
      error: attempt.error,
      durationMs: attempt.durationMs,
    };
    await saveDelivery(database, delivery, Math.max(clock.now(), createdAtMs + 1));
    return delivery;
  };

  return {
    list: async (family) => withStates(await readWebhooks(database, family)),
    find,
    create: (family, choice, webhooksMax) =>
      exclusively(family, async () => {
        if ((await readWebhooks(database, family)).length >= webhooksMax) return undefined;
        const nowMs = clock.now();
        const id = `wh_${ulid(nowMs)}`;
        const { secret = newSecret(), ...chosen } = choice;
        const webhook: WebhookState = {
          ...chosen,
          family,
          id,
          status: 'active',
          disabledReason: null,
          secret: box.seal(secret, id),
          previousSecret: '',
          previousSecretUntilMs: 0,
          createdAtMs: nowMs,
          version: nowMs,
          lastDeliveryAtMs: null,
          failureCount: 0,
        };
        await save(webhook);
        return { webhook, secret };
      }),
    change: (family, id, change) =>
      update(family, id, (before) => {
        const status = change.status ?? before.status;
        return {
          ...before,
          url: change.url ?? before.url,
          events: change.events ?? before.events,
          description: change.description === undefined ? before.description : change.description,
          filters: change.filters === undefined ? before.filters : change.filters,
          status,
          disabledReason: status === 'disabled' ? before.disabledReason : null,
        };
      }),
    remove: (family, id) =>
      exclusively(family, async () => {
        const webhook = await find(family, id);
        if (!webhook) return false;
        const version = Math.max(clock.now(), webhook.version + 1);
        await save({ ...webhook, secret: '', previousSecret: '', version }, { isDeleted: true });
        return true;
      }),
    rotateSecret: async (family, id) => {
      const secret = newSecret();
      const webhook = await update(family, id, (before) => ({
        ...before,
        secret: box.seal(secret, id),
        previousSecret: before.secret,
        previousSecretUntilMs: clock.now() + PREVIOUS_SECRET_MS,
      }));
      return webhook && { webhook, secret };
    },
    test: async (family, id) => {
      const webhook = await find(family, id);
      if (!webhook) return undefined;
      const eventId = `msg_${ulid(clock.now())}`;
      const payload = JSON.stringify(testPayload(eventId, clock.now()));
      return deliver(webhook, { eventId, type: 'webhook.test', payload });
    },
    redeliver: async (family, id, deliveryId) => {
      const webhook = await find(family, id);
      if (!webhook) return undefined;
      const earlier = await findDelivery(database, { family, webhookId: id, id: deliveryId });
      return earlier && deliver(webhook, earlier);
    },
    deliveries: (page) => listDeliveries(database, page),
  };
};
