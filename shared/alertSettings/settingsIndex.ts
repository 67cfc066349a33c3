import { type AlertOverrides, settingsChangedSchema } from '../messages/settingsMessage.ts';
import type { AlertSettingsStore } from './alertSettingsStore.ts';

/** What families set for their alerts, in memory: only those that changed something. */
export interface SettingsIndex {
  /** Reads all settings again; until then the former ones are found. */
  load(): Promise<void>;
  /** Takes over a change, a JSON text. */
  apply(message: string): void;
  of(family: string): AlertOverrides;
  /** Families that changed something. */
  size(): number;
}

const NOTHING_CHANGED: AlertOverrides = {};

/** An empty index over a store. */
export const createSettingsIndex = (store: Pick<AlertSettingsStore, 'pages'>): SettingsIndex => {
  let settings = new Map<string, AlertOverrides>();
  return {
    load: async () => {
      const fresh = new Map<string, AlertOverrides>();
      for await (const page of store.pages()) {
        for (const { family, overrides } of page) fresh.set(family, overrides);
      }
      settings = fresh;
    },
    apply: (message) => {
      const { family, overrides } = settingsChangedSchema.parse(JSON.parse(message));
      settings.set(family, overrides);
    },
    of: (family) => settings.get(family) ?? NOTHING_CHANGED,
    size: () => settings.size,
  };
};
