import type { Redis } from 'ioredis';
import {
  type AlertOverrides,
  alertOverridesSchema,
  type SettingsChanged,
  settingsChangedSchema,
} from '../messages/settingsMessage.ts';
import { createFamilyRecords } from './familyRecords.ts';

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

const NOTHING_CHANGED: AlertOverrides = {};

/** What families set for their alerts, in memory: only those that changed something. Empty until it is loaded. */
export const createSettingsIndex = (store: Pick<AlertSettingsStore, 'pages'>) => {
  let settings = new Map<string, AlertOverrides>();
  return {
    /** Reads all settings again; until then the former ones are found. */
    load: async (): Promise<void> => {
      const fresh = new Map<string, AlertOverrides>();
      for await (const page of store.pages()) {
        for (const { family, overrides } of page) fresh.set(family, overrides);
      }
      settings = fresh;
    },
    /** Takes over a change, a JSON text. */
    apply: (message: string): void => {
      const { family, overrides } = settingsChangedSchema.parse(JSON.parse(message));
      settings.set(family, overrides);
    },
    of: (family: string): AlertOverrides => settings.get(family) ?? NOTHING_CHANGED,
    /** Families that changed something. */
    size: (): number => settings.size,
  };
};
