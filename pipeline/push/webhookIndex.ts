import { isWanted, type PushEvent } from '../../shared/events/pushEvent.ts';
import { webhooksChangedSchema } from '../../shared/messages/settingsMessage.ts';
import { groupBy } from '../../shared/platform/groupBy.ts';
import { isForPeople } from '../../shared/webhooks/sendEvents.ts';
import type { Webhook } from '../../shared/webhooks/webhook.ts';
import type { WebhookStore } from '../../shared/webhooks/webhookStore.ts';

const isActive = ({ status }: Webhook): boolean => status === 'active';

/** An empty index over a store. `wantsAlerts` says whether a family receives alerts by webhook. */
export const createWebhookIndex = (
  store: Pick<WebhookStore, 'list' | 'pages'>,
  wantsAlerts: (webhook: Webhook) => boolean,
) => {
  let families = new Map<string, Webhook[]>();
  return {
    /** Reads all webhooks again; until then the previous ones are used. */
    load: async (): Promise<void> => {
      const fresh = new Map<string, Webhook[]>();
      for await (const page of store.pages()) {
        // A scan may return a family twice.
        for (const [family, webhooks] of groupBy(page.filter(isActive), (one) => one.family)) {
          fresh.set(family, webhooks);
        }
      }
      families = fresh;
    },
    /** Applies a change, given as JSON text, by reading the webhooks of its family. */
    apply: async (message: string): Promise<void> => {
      const { family } = webhooksChangedSchema.parse(JSON.parse(message));
      const active = (await store.list(family)).filter(isActive);
      if (active.length > 0) families.set(family, active);
      else families.delete(family);
    },
    /** The webhooks to which an event must be sent. */
    targets: (event: PushEvent): Webhook[] => {
      const { family, type } = event;
      const candidates =
        family === undefined ? [...families.values()].flat() : (families.get(family) ?? []);
      return candidates.filter(
        (webhook) =>
          webhook.events.includes(type) &&
          isWanted(event, webhook.filters) &&
          (type !== 'watchlist.alert' || wantsAlerts(webhook)),
      );
    },
    /** Whether the due deliveries of a webhook form one message; false if it is not active. */
    isForPeople: (family: string, id: string): boolean =>
      families.get(family)?.some((webhook) => webhook.id === id && isForPeople(webhook)) ?? false,
    count: (): number => [...families.values()].reduce((sum, { length }) => sum + length, 0),
  };
};
/** Active webhooks in memory. */
export type WebhookIndex = ReturnType<typeof createWebhookIndex>;
