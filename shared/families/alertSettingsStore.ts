import type { Redis } from 'ioredis';
import {
  type AlertOverrides,
  alertOverridesSchema,
  type SettingsChanged,
  settingsChangedSchema,
} from '../messages/settingsMessage.ts';
import { createFamilyRecords } from './familyRecords.ts';

/** Alert settings that key families changed. */
export interface AlertSettings {
  /** Empty for a family that changed nothing. */
  read(family: string): Promise<AlertOverrides>;
  /** Stores the result of `change` and announces it. Concurrent changes are not lost. */
  update(
    family: string,
    change: (overrides: AlertOverrides) => AlertOverrides,
  ): Promise<AlertOverrides>;
}

/**
 * In Redis: per family a hash `alert-settings:<family>`, whose field `overrides` is a JSON object with the changed
 * settings only.
 */
export interface AlertSettingsStore extends AlertSettings {
  /** The changes of each family, in pages. */
  pages(): AsyncIterable<readonly Pick<SettingsChanged, 'family' | 'overrides'>[]>;
}

const NAME = 'overrides';

/** Earlier releases took a threshold of 1e999, which JSON writes as null: that is none. Nothing else in settings is null. */
const withoutNull = (_name: string, value: unknown): unknown => value ?? undefined;

const overridesOf = (text: string | undefined): AlertOverrides =>
  text === undefined ? {} : alertOverridesSchema.parse(JSON.parse(text, withoutNull));

/** Settings in Redis. Every method throws RetryableError while Redis is unavailable. */
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

/** Alert settings in memory, only of families that changed something. Empty until loaded. */
export const createSettingsIndex = (store: Pick<AlertSettingsStore, 'pages'>) => {
  let settings = new Map<string, AlertOverrides>();
  return {
    /** Reads all settings again; until then the previous ones remain. */
    load: async (): Promise<void> => {
      const fresh = new Map<string, AlertOverrides>();
      for await (const page of store.pages()) {
        for (const { family, overrides } of page) fresh.set(family, overrides);
      }
      settings = fresh;
    },
    /** Applies a change, given as JSON text. */
    apply: (message: string): void => {
      const { family, overrides } = settingsChangedSchema.parse(JSON.parse(message, withoutNull));
      settings.set(family, overrides);
    },
    of: (family: string): AlertOverrides => settings.get(family) ?? NOTHING_CHANGED,
    /** Families that changed something. */
    size: (): number => settings.size,
  };
};
