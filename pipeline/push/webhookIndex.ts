import type { Clickhouse } from '../../shared/adapters/clickhouse.ts';
import type { ChannelChoices } from '../../shared/events/channelChoices.ts';
import { isWanted } from '../../shared/events/eventFilter.ts';
import type { PushEvent } from '../../shared/events/pushEvent.ts';
import type { Webhook } from '../../shared/webhooks/webhook.ts';
import { readActiveWebhooks, readWebhooks } from '../../shared/webhooks/webhookRows.ts';

/** Active webhooks in memory. */
export interface WebhookIndex {
  load(): Promise<void>;
  /** Reads the webhooks of one family anew. */
  refresh(family: string): Promise<void>;
  /** The webhooks an event is to be sent to. */
  targets(event: PushEvent): Webhook[];
  /** An active webhook; asks ClickHouse where it is not known. */
  find(family: string, id: string): Promise<Webhook | undefined>;
  count(): number;
}

/** The index over ClickHouse; whoever owns it tells it of changes. */
export const createWebhookIndex = (
  database: Pick<Clickhouse, 'query'>,
  choices: Pick<ChannelChoices, 'isOpen'>,
): WebhookIndex => {
  let families = new Map<string, Webhook[]>();

  const refresh = async (family: string): Promise<void> => {
    const webhooks = await readWebhooks(database, family);
    const active = webhooks.filter(({ status }) => status === 'active');
    if (active.length > 0) families.set(family, active);
    else families.delete(family);
  };
  const known = (family: string, id: string): Webhook | undefined =>
    families.get(family)?.find((webhook) => webhook.id === id);

  return {
    load: async () => {
      const all = new Map<string, Webhook[]>();
      for (const webhook of await readActiveWebhooks(database)) {
        all.set(webhook.family, [...(all.get(webhook.family) ?? []), webhook]);
      }
      families = all;
    },
    refresh,
    targets: (event) => {
      const { family, type } = event;
      const candidates =
        family === undefined ? [...families.values()].flat() : (families.get(family) ?? []);
      return candidates.filter(
        (webhook) =>
          webhook.events.includes(type) &&
          isWanted(event, webhook.filters) &&
          (type !== 'watchlist.alert' || choices.isOpen(webhook.family, 'webhook')),
      );
    },
    find: async (family, id) => {
      if (!known(family, id)) await refresh(family);
      return known(family, id);
    },
    count: () => [...families.values()].reduce((sum, { length }) => sum + length, 0),
  };
};
