import { isWanted, type PushEvent } from '../../shared/events/pushEvent.ts';
import { webhooksChangedSchema } from '../../shared/messages/settingsMessage.ts';
import { groupBy } from '../../shared/platform/groupBy.ts';
import { isForPeople } from '../../shared/webhooks/sendEvents.ts';
import type { Webhook } from '../../shared/webhooks/webhook.ts';
import type { WebhookStore } from '../../shared/webhooks/webhookStore.ts';

const isActive = ({ status }: Webhook): boolean => status === 'active';

/** An empty index over a store. `wantsAlerts` says whether its family gets alerts that way. */
export const createWebhookIndex = (
  store: Pick<WebhookStore, 'list' | 'pages'>,
  wantsAlerts: (webhook: Webhook) => boolean,
) => {
  let families = new Map<string, Webhook[]>();
  return {
    /** Reads all webhooks again; until then the former ones are known. */
    load: async (): Promise<void> => {
      const fresh = new Map<string, Webhook[]>();
      for await (const page of store.pages()) {
        // A scan may show a family twice.
        for (const [family, webhooks] of groupBy(page.filter(isActive), (one) => one.family)) {
          fresh.set(family, webhooks);
        }
      }
      families = fresh;
    },
    /** Takes over a change, a JSON text, by reading the webhooks of its family. */
    apply: async (message: string): Promise<void> => {
      const { family } = webhooksChangedSchema.parse(JSON.parse(message));
      const active = (await store.list(family)).filter(isActive);
      if (active.length > 0) families.set(family, active);
      else families.delete(family);
    },
    /** The webhooks an event is to be sent to. */
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
    /** Whether what is due at a webhook makes one message; false for one that is not active. */
    isForPeople: (family: string, id: string): boolean =>
      families.get(family)?.some((webhook) => webhook.id === id && isForPeople(webhook)) ?? false,
    count: (): number => [...families.values()].reduce((sum, { length }) => sum + length, 0),
  };
};
/** Active webhooks in memory. */
export type WebhookIndex = ReturnType<typeof createWebhookIndex>;
