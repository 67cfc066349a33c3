import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { ulid } from 'ulid';
import { ZERO_ADDRESS } from '../../shared/chain/block.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { SecretBox } from '../../shared/platform/secretBox.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import { saveDeliveries } from '../../shared/webhooks/deliveryRows.ts';
import type { SendEvents } from '../../shared/webhooks/sendEvents.ts';
import type { Delivery, Webhook } from '../../shared/webhooks/webhook.ts';
import { createWebhookStore, type WebhookStore } from '../../shared/webhooks/webhookStore.ts';
import { deliveryStates, findDelivery, listDeliveries } from './queries.ts';
import type { WebhookPayload } from './schema.ts';
import { NOT_CONFIRMED, type WebhookState, type Webhooks } from './webhook.ts';

type Database = Pick<Clickhouse, 'query' | 'insert'>;
type Deliver = (
  webhook: Webhook,
  event: Pick<Delivery, 'eventId' | 'type' | 'payload'>,
) => Promise<Delivery>;

/** Sends an event now, once, and stores the outcome. */
const createDeliver = (args: { database: Database; clock: Clock; send: SendEvents }): Deliver => {
  const { database, clock, send } = args;
  return async (webhook, { eventId, type, payload }) => {
    const createdAtMs = clock.now();
    const pending: Delivery = {
      family: webhook.family,
      webhookId: webhook.id,
      id: `dl_${ulid(createdAtMs)}`,
      eventId,
      type,
      payload,
      attempt: 0,
      status: 'pending',
      httpStatus: null,
      error: null,
      durationMs: null,
      nextAttemptAtMs: null,
      createdAtMs,
    };
    await saveDeliveries(database, [{ delivery: pending, atMs: createdAtMs }]);
    const attempt = await send(webhook, [{ eventId, payload }]);
    const delivery: Delivery = {
      ...pending,
      attempt: 1,
      status: attempt.isDelivered ? 'delivered' : 'failed',
      httpStatus: attempt.httpStatus,
      error: attempt.error,
      durationMs: attempt.durationMs,
    };
    const atMs = Math.max(clock.now(), createdAtMs + 1);
    await saveDeliveries(database, [{ delivery, atMs }]);
    return delivery;
  };
};

/** The event that tests a webhook; it is about no token. */
const testPayload = (eventId: string, nowMs: number): WebhookPayload => ({
  type: 'webhook.test',
  id: eventId,
  timestamp: isoTime(nowMs),
  alert_type: 'test',
  severity: 'info',
  token: { address: ZERO_ADDRESS, name: 'Test', symbol: 'TEST' },
  data: { message: 'This is a test event' },
});

/** Deliveries sent on request, and the log of all deliveries. */
const createDeliveryLog = (args: {
  database: Database;
  clock: Clock;
  find: Webhooks['find'];
  deliver: Deliver;
}): Pick<Webhooks, 'test' | 'redeliver' | 'deliveries'> => {
  const { database, clock, find, deliver } = args;
  return {
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

const SECRET_BYTES = 32;
/** Milliseconds for which the old secret also signs after a rotation. */
const PREVIOUS_SECRET_MS = 24 * 3_600_000;

const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/** Fields that were not chosen have the defaults of a receiver. */
const RECEIVER = {
  kind: 'webhook',
  recipient: '',
  language: 'en',
  digest: 'none',
  quietHours: null,
} as const;

/** Dependencies of webhooks. */
export interface WebhooksDependencies {
  readonly database: Pick<Clickhouse, 'query' | 'insert'>;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly box: SecretBox;
  readonly send: SendEvents;
}

/** Reading and changing webhooks, combined with their deliveries from ClickHouse. */
const createStates = (
  store: Pick<WebhookStore, 'find' | 'update'>,
  database: WebhooksDependencies['database'],
) => {
  const withStates = async (webhooks: readonly Webhook[]): Promise<WebhookState[]> => {
    const family = webhooks[0]?.family ?? '';
    const ids = webhooks.map(({ id }) => id);
    const states = await deliveryStates(database, family, ids);
    return webhooks.map((webhook) => {
      const { lastDeliveryAtMs = null, failureCount = 0 } = states.get(webhook.id) ?? {};
      return { ...webhook, lastDeliveryAtMs, failureCount };
    });
  };
  const find = async (family: string, id: string): Promise<WebhookState | undefined> => {
    const webhook = await store.find(family, id);
    return webhook && (await withStates([webhook]))[0];
  };
  /** The state is read first: after a change was made, ClickHouse can no longer fail the request. */
  const update = async (
    family: string,
    id: string,
    edit: (webhook: Webhook) => Webhook,
  ): Promise<WebhookState | undefined> => {
    const before = await find(family, id);
    const updated = before && (await store.update(family, id, edit));
    return updated && { ...before, ...updated };
  };
  return { withStates, find, update };
};

/** Webhooks in Redis, their deliveries in ClickHouse. */
export const createWebhooks = (dependencies: WebhooksDependencies): Webhooks => {
  const { database, redis, clock, box, send } = dependencies;
  const store = createWebhookStore(redis, clock);
  const { withStates, find, update } = createStates(store, database);
  return {
    list: async (family) => withStates(await store.list(family)),
    find,
    create: async (family, choice, webhooksMax) => {
      const nowMs = clock.now();
      const id = `wh_${ulid(nowMs)}`;
      const { secret = newSecret(), isConfirmed = true, ...chosen } = choice;
      const webhook: Webhook = {
        ...RECEIVER,
        ...chosen,
        family,
        id,
        isConfirmed,
        status: isConfirmed ? 'active' : 'disabled',
        disabledReason: isConfirmed ? null : NOT_CONFIRMED,
        secret: box.seal(secret, id),
        previousSecret: '',
        previousSecretUntilMs: 0,
        createdAtMs: nowMs,
        version: nowMs,
      };
      if (!(await store.add(webhook, webhooksMax))) return undefined;
      return { webhook: { ...webhook, lastDeliveryAtMs: null, failureCount: 0 }, secret };
    },
    change: (family, id, change) =>
      update(family, id, (before) => {
        const { secret, ...rest } = change;
        const chosen = Object.entries(rest).filter(([, value]) => value !== undefined);
        const after: Webhook = { ...before, ...Object.fromEntries(chosen) };
        return {
          ...after,
          secret: secret === undefined ? before.secret : box.seal(secret, id),
          disabledReason: after.status === 'disabled' ? before.disabledReason : null,
        };
      }),
    remove: (family, id) => store.remove(family, id),
    rotateSecret: async (family, id) => {
      const secret = newSecret();
      if ((await store.find(family, id))?.kind !== 'webhook') return undefined;
      const webhook = await update(family, id, (before) => ({
        ...before,
        secret: box.seal(secret, id),
        previousSecret: before.secret,
        previousSecretUntilMs: clock.now() + PREVIOUS_SECRET_MS,
      }));
      return webhook && { webhook, secret };
    },
    ...createDeliveryLog({
      database,
      clock,
      find,
      deliver: createDeliver({ database, clock, send }),
    }),
  };
};
