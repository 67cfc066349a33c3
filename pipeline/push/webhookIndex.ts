import { Events, type NatsConnection } from 'nats';
import type { z } from 'zod';
import type { ChannelChoices } from '../../shared/events/channelChoices.ts';
import { isWanted } from '../../shared/events/eventFilter.ts';
import type { PushEvent } from '../../shared/events/pushEvent.ts';
import {
  ALERT_SETTINGS_SUBJECT,
  settingsChangedSchema,
  WEBHOOKS_CHANGED_SUBJECT,
  webhooksChangedSchema,
} from '../../shared/messages/settingsMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { Logger } from '../../shared/platform/logger.ts';
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

/** Everything is read anew this often, for the case that NATS lost a change. */
const RELOAD_EVERY_MS = 10 * 60_000;
const RETRY_DELAY_MS = 1_000;

interface ChangesPorts {
  readonly connection: NatsConnection;
  readonly index: Pick<WebhookIndex, 'load' | 'refresh'>;
  readonly choices: Pick<ChannelChoices, 'load' | 'apply'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What was changed, as far as it is known here. */
interface Changes {
  /** Resolves when every change heard of so far is taken in. */
  settled(): Promise<void>;
}

/** Keeps webhooks and settings in memory as they are in ClickHouse, until `signal` aborts. */
export const followChanges = async (ports: ChangesPorts, signal: AbortSignal): Promise<Changes> => {
  const { connection, index, choices, clock, logger } = ports;
  let work = Promise.resolve();
  /** One after the other, each until it works: the last state read is the newest. */
  const enqueue = (task: () => Promise<void>): void => {
    work = work.then(async () => {
      while (!signal.aborted) {
        try {
          return await task();
        } catch (error) {
          logger.warn({ err: error }, 'webhooks are not known for now');
          await clock.sleep(RETRY_DELAY_MS, signal);
        }
      }
    });
  };
  const load = async (): Promise<void> => {
    await Promise.all([index.load(), choices.load()]);
  };
  const listen = <S extends z.ZodTypeAny>(
    subject: string,
    schema: S,
    onChange: (change: z.output<S>) => void,
  ): void => {
    const subscription = connection.subscribe(subject, {
      callback: (_error, message) => {
        try {
          onChange(schema.parse(message.json()) as z.output<S>);
        } catch (error) {
          logger.error({ err: error, subject }, 'change cannot be read');
        }
      },
    });
    signal.addEventListener('abort', () => subscription.unsubscribe());
  };
  listen(WEBHOOKS_CHANGED_SUBJECT, webhooksChangedSchema, ({ family }) =>
    enqueue(() => index.refresh(family)),
  );
  listen(ALERT_SETTINGS_SUBJECT, settingsChangedSchema, (change) =>
    enqueue(async () => choices.apply(change)),
  );
  await connection.flush();
  await load();
  const reloading = setInterval(() => enqueue(load), RELOAD_EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(reloading));
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === Events.Reconnect) enqueue(load);
    }
  })();
  return { settled: () => work };
};
