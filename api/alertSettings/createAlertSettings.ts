import type { Redis } from 'ioredis';
import type { Clickhouse } from '../../shared/adapters/clickhouse.ts';
import { withLock } from '../../shared/adapters/withLock.ts';
import type { SettingsChanged } from '../../shared/messages/settingsMessage.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { readAlertOverrides, saveAlertOverrides } from '../queries/alertSettings.ts';
import type { AlertSettings } from './alertSettings.ts';

/** Settings in ClickHouse; a change is stored, then announced, before it is confirmed. */
export const createAlertSettings = (args: {
  database: Pick<Clickhouse, 'query' | 'insert'>;
  redis: Redis;
  clock: Clock;
  /** Resolves when the stream has stored the change. */
  publish: (change: SettingsChanged) => Promise<void>;
}): AlertSettings => {
  const { database, redis, clock, publish } = args;
  return {
    read: async (family) => (await readAlertOverrides(database, family)).overrides,
    update: (family, change) =>
      withLock({ redis, clock }, `alert-settings-lock:${family}`, async () => {
        const { overrides: before, version } = await readAlertOverrides(database, family);
        const overrides = change(before);
        // Also where the clock has gone back, the change must win.
        await saveAlertOverrides(database, family, overrides, Math.max(clock.now(), version + 1));
        await publish({ v: 1, family, overrides });
        return overrides;
      }),
  };
};
