import type { Redis } from 'ioredis';
import { createFamilyRecords } from '../families/familyRecords.ts';
import type { WebhooksChanged } from '../messages/settingsMessage.ts';
import type { Clock } from '../platform/clock.ts';
import { type Webhook, webhookSchema } from './webhook.ts';

const webhookOf = (text: string): Webhook => webhookSchema.parse(JSON.parse(text));

/** Webhooks of one family: the ids are ULIDs, which sort by time. */
const oldestFirst = (records: ReadonlyMap<string, string>): Webhook[] =>
  [...records.values()].map(webhookOf).toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** Webhooks in Redis. Every method throws RetryableError while Redis is unavailable. */
export const createWebhookStore = (redis: Redis, clock: Pick<Clock, 'now'>) => {
  const records = createFamilyRecords(redis, { prefix: 'webhooks:', kind: 'webhooks' });
  const message = (family: string, webhookId: string): WebhooksChanged => ({
    v: 1,
    family,
    webhookId,
  });
  return {
    /** Webhooks of a family, oldest first. */
    list: async (family: string): Promise<Webhook[]> => oldestFirst(await records.all(family)),
    find: async (family: string, id: string): Promise<Webhook | undefined> => {
      const text = await records.find(family, id);
      return text === undefined ? undefined : webhookOf(text);
    },
    /** Stores a webhook and announces it; resolves to false if the family has `webhooksMax`. */
    add: async (webhook: Webhook, webhooksMax: number): Promise<boolean> => {
      const { family, id } = webhook;
      const outcome = await records.change({
        family,
        name: id,
        before: undefined,
        after: JSON.stringify(webhook),
        message: message(family, id),
        recordsMax: webhooksMax,
      });
      return outcome.kind === 'changed';
    },
    /**
     * Stores the result of `edit` for a webhook, with a new version, and announces it. Concurrent changes are not
     * lost: `edit` is then called again. Resolves to undefined if there is no such webhook, or `edit` returns
     * undefined.
     */
    update: async (
      family: string,
      id: string,
      edit: (webhook: Webhook) => Webhook | undefined,
    ): Promise<Webhook | undefined> => {
      let updated: Webhook | undefined;
      await records.edit(family, id, (stored) => {
        const before = stored === undefined ? undefined : webhookOf(stored);
        const edited = before && edit(before);
        // Versions grow even if the clock goes back.
        updated = edited && { ...edited, version: Math.max(clock.now(), edited.version + 1) };
        return updated && { after: JSON.stringify(updated), message: message(family, id) };
      });
      return updated;
    },
    /** Removes a webhook and announces that; resolves to false if there is none. */
    remove: (family: string, id: string): Promise<boolean> =>
      records.edit(family, id, (stored) =>
        stored === undefined ? undefined : { after: undefined, message: message(family, id) },
      ),
    /** The webhooks of all families, in pages. */
    pages: async function* (): AsyncIterable<readonly Webhook[]> {
      for await (const page of records.pages()) {
        yield page.flatMap(({ records: own }) => oldestFirst(own));
      }
    },
  };
};
/**
 * Webhooks of key families in Redis: per family a hash `webhooks:<family>` from webhook id to the webhook as JSON,
 * with its secrets encrypted.
 */
export type WebhookStore = ReturnType<typeof createWebhookStore>;
