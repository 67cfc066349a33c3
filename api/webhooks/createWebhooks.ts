import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { ulid } from 'ulid';
import type { WebhooksChanged } from '../../shared/messages/settingsMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { withLock } from '../../shared/platform/withLock.ts';
import type { SecretBox } from '../../shared/webhooks/secretBox.ts';
import type { SendDelivery } from '../../shared/webhooks/sendDelivery.ts';
import type { Webhook } from '../../shared/webhooks/webhook.ts';
import { readWebhooks, saveWebhook, webhooksLock } from '../../shared/webhooks/webhookRows.ts';
import { createDeliver, createDeliveryLog } from './createDeliver.ts';
import { deliveryStates } from './queries.ts';
import type { WebhookState, Webhooks } from './webhook.ts';

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
  /** Resolves when the stream has stored the change. */
  readonly publish: (change: WebhooksChanged) => Promise<void>;
}

/** Reading webhooks with their state, and changing one under the lock of its family. */
const createStore = ({ database, redis, clock, publish }: WebhooksDependencies) => {
  const exclusively = <T>(family: string, work: () => Promise<T>): Promise<T> =>
    withLock({ redis, clock }, webhooksLock(family), work);

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

  return { exclusively, withStates, find, save, update };
};

/** Webhooks in ClickHouse; a change is stored, then announced, before it is confirmed. */
export const createWebhooks = (dependencies: WebhooksDependencies): Webhooks => {
  const { database, clock, box, send } = dependencies;
  const { exclusively, withStates, find, save, update } = createStore(dependencies);
  const deliver = createDeliver({ database, clock, box, send });
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
        try {
          await save(webhook);
        } catch (error) {
          // Nobody would learn of it, nor of its secret: it is taken back.
          await saveWebhook(database, { ...webhook, version: nowMs + 1 }, { isDeleted: true });
          throw error;
        }
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
    ...createDeliveryLog({ database, clock, find, deliver }),
  };
};
