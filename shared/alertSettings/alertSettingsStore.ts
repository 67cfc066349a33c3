import type { Redis } from 'ioredis';
import {
  type AlertOverrides,
  alertOverridesSchema,
  type SettingsChanged,
} from '../messages/settingsMessage.ts';
import { createFamilyRecords } from '../platform/familyRecords.ts';

/** What key families changed of their alert settings. */
export interface AlertSettings {
  /** Empty for a family that changed nothing. */
  read(family: string): Promise<AlertOverrides>;
  /** Stores what `change` makes of the overrides and announces it. No change made meanwhile is lost. */
  update(
    family: string,
    change: (overrides: AlertOverrides) => AlertOverrides,
  ): Promise<AlertOverrides>;
}

/** In Redis: a hash a family, `alert-settings:<family>`, whose field `overrides` is a JSON object with only what was changed. */
export interface AlertSettingsStore extends AlertSettings {
  /** What each family changed, in pages. */
  pages(): AsyncIterable<readonly Pick<SettingsChanged, 'family' | 'overrides'>[]>;
}

const NAME = 'overrides';

const overridesOf = (text: string | undefined): AlertOverrides =>
  text === undefined ? {} : alertOverridesSchema.parse(JSON.parse(text));

/** Settings in Redis. Every method throws RetryableError while Redis is away. */
export const createAlertSettingsStore = (redis: Redis): AlertSettingsStore => {
  const records = createFamilyRecords(redis, { prefix: 'alert-settings:', kind: 'settings' });
  return {
    read: async (family) => overridesOf(await records.find(family, NAME)),
    update: async (family, change) => {
      let overrides: AlertOverrides = {};
      await records.edit(family, NAME, (stored) => {
        overrides = change(overridesOf(stored));
        const message: SettingsChanged = { v: 1, family, overrides };
        return { after: JSON.stringify(overrides), message };
      });
      return overrides;
    },
    pages: async function* () {
      for await (const page of records.pages()) {
        yield page.map(({ family, records: own }) => ({
          family,
          overrides: overridesOf(own.get(NAME)),
        }));
      }
    },
  };
};
