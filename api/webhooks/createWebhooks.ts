import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { ulid } from 'ulid';
import { ZERO_ADDRESS } from '../../shared/chain/block.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import { saveDeliveries } from '../../shared/webhooks/deliveryRows.ts';
import type { SecretBox } from '../../shared/webhooks/secretBox.ts';
import type { SendDelivery } from '../../shared/webhooks/sendDelivery.ts';
import { type Delivery, signingSecrets, type Webhook } from '../../shared/webhooks/webhook.ts';
import { createWebhookStore, type WebhookStore } from '../../shared/webhooks/webhookStore.ts';
import { deliveryStates, findDelivery, listDeliveries } from './queries.ts';
import type { WebhookPayload } from './schema.ts';
import type { WebhookState, Webhooks } from './webhook.ts';

type Database = Pick<Clickhouse, 'query' | 'insert'>;
type Deliver = (
  webhook: Webhook,
  event: Pick<Delivery, 'eventId' | 'type' | 'payload'>,
) => Promise<Delivery>;

/** Sends an event now, once, and keeps what became of it. */
const createDeliver = (args: {
  database: Database;
  clock: Clock;
  box: SecretBox;
  send: SendDelivery;
}): Deliver => {
  const { database, clock, box, send } = args;
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
    const attempt = await send({
      eventId,
      payload,
      url: webhook.url,
      secrets: signingSecrets(webhook, box, clock.now()),
    });
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

/** What is sent on request, and the log of everything sent. */
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
/** Milliseconds the secret before a rotation signs too. */
const PREVIOUS_SECRET_MS = 24 * 3_600_000;

const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/** What webhooks need of their surroundings. */
export interface WebhooksDependencies {
  readonly database: Pick<Clickhouse, 'query' | 'insert'>;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly box: SecretBox;
  readonly send: SendDelivery;
}

/** Reading and changing webhooks together with what ClickHouse says of their deliveries. */
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
  /** The state is read first: a change that was made is not answered by an error of ClickHouse. */
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
      const { url, events, description, filters, secret = newSecret() } = choice;
      const webhook: Webhook = {
        family,
        id,
        url,
        events,
        description,
        filters,
        status: 'active',
        disabledReason: null,
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
    remove: (family, id) => store.remove(family, id),
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
    ...createDeliveryLog({
      database,
      clock,
      find,
      deliver: createDeliver({ database, clock, box, send }),
    }),
  };
};
