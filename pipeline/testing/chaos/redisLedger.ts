import type { Redis } from 'ioredis';
import { createReadMarks } from '../../../api/alerts/createAlerts.ts';
import { createAlertSettingsStore } from '../../../shared/alertSettings/alertSettingsStore.ts';
import {
  settingsChangedSchema,
  webhooksChangedSchema,
} from '../../../shared/messages/settingsMessage.ts';
import { type WatchItem, watchChangedSchema } from '../../../shared/messages/watchMessage.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { addressOf } from '../../../shared/testing/evmData.ts';
import { sampleWebhook } from '../../../shared/testing/samples.ts';
import { createWatchlistStore } from '../../../shared/watchlist/watchlistStore.ts';
import { createWebhookStore } from '../../../shared/webhooks/webhookStore.ts';

/** How a number is written, confirmed, and how all that are there are read. */
export interface Ledger {
  prepare(): Promise<unknown>;
  write(number: number): Promise<unknown>;
  read(): Promise<ReadonlySet<number>>;
}

const FAMILY = /:([^:]+)\.(\d+)$/;

const familyOf = (name: string, number: number): string => `${name}.${number}`;
const numberOf = (family: string): number => Number(FAMILY.exec(`:${family}`)?.[2]);

/** What can be changed, each for a family of its own. */
const createWrites = (redis: Redis, name: string) => {
  const watchlists = createWatchlistStore(redis);
  const settings = createAlertSettingsStore(redis);
  const webhooks = createWebhookStore(redis, systemClock);
  const marks = createReadMarks(redis);
  const watch = async (number: number): Promise<void> => {
    const item: WatchItem = {
      family: familyOf(name, number),
      id: number,
      type: 'wallet',
      address: addressOf(number),
      alerts: ['rug_pull'],
      sensitivity: 'medium',
      createdAtMs: number,
    };
    const { kind } = await watchlists.add(item, 1);
    if (kind !== 'added') throw new Error(`the item ${number} is there already`);
  };
  const addWebhook = async (number: number): Promise<void> => {
    const isAdded = await webhooks.add(
      sampleWebhook({ family: familyOf(name, number), id: `wh_${number}`, status: 'paused' }),
      1,
    );
    if (!isAdded) throw new Error(`the webhook ${number} is there already`);
  };
  return [
    watch,
    addWebhook,
    (number: number) => settings.update(familyOf(name, number), () => ({ enabled: false })),
    (number: number) => marks.add(familyOf(name, number), { id: number, createdAtMs: number }, 0),
  ] as const;
};

const announcedFamily = (kind: string | undefined, message: string): string => {
  const change: unknown = JSON.parse(message);
  if (kind === 'watch') return watchChangedSchema.parse(change).item.family;
  if (kind === 'webhooks') return webhooksChangedSchema.parse(change).family;
  return settingsChangedSchema.parse(change).family;
};

/**
 * Numbers as people change things, one kind after the other: an item of a watchlist, alert settings, a webhook, a read mark.
 * A number is there if what it stands for is, and its announcement too unless that was trimmed since; read marks have none.
 */
export const redisLedger = (redis: Redis, name: string): Ledger => {
  const writes = createWrites(redis, name);
  const announced = async (): Promise<number[]> =>
    (await redis.xrange('changes', '-', '+'))
      .map(([, [kind, message = '']]) => announcedFamily(kind, message))
      .filter((family) => FAMILY.exec(`:${family}`)?.[1] === name)
      .map(numberOf);
  return {
    prepare: async () => undefined,
    write: async (number) => writes[number % writes.length]?.(number),
    read: async () => {
      const keys = await redis.keys(`*:${name}.*`);
      const numbers = new Set(await announced());
      const first = [...numbers].reduce((least, number) => Math.min(least, number), Infinity);
      const isWhole = (key: string): boolean => {
        const number = numberOf(key);
        if (key.startsWith('alert-reads:')) return true;
        return numbers.has(number) || (number < first && numbers.size > 0);
      };
      return new Set(keys.filter(isWhole).map(numberOf));
    },
  };
};
