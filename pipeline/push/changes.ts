import { Events, type NatsConnection } from 'nats';
import type { z } from 'zod';
import type { ChannelChoices } from '../../shared/events/channelChoices.ts';
import {
  ALERT_SETTINGS_SUBJECT,
  settingsChangedSchema,
  WEBHOOKS_CHANGED_SUBJECT,
  webhooksChangedSchema,
} from '../../shared/messages/settingsMessage.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { WebhookIndex } from './webhookIndex.ts';

/** Everything is read anew this often, for the case that NATS lost a change. */
const RELOAD_EVERY_MS = 10 * 60_000;
const RETRY_DELAY_MS = 1_000;

export interface ChangesPorts {
  readonly connection: NatsConnection;
  readonly index: Pick<WebhookIndex, 'load' | 'refresh'>;
  readonly choices: Pick<ChannelChoices, 'load' | 'apply'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What was changed, as far as it is known here. */
export interface Changes {
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
