import pLimit from 'p-limit';
import type { AlertOverrides, SettingsChanged } from '../../shared/messages/settingsMessage.ts';

/** Where the settings of families are kept, and how their changes come. */
export interface SettingsSource {
  /** Begins to pass on every change from now on; resolves when none can be missed any more. */
  listen(onChange: (change: SettingsChanged) => void): Promise<void>;
  /** What each family changed, in pages. */
  snapshot(): AsyncIterable<readonly Pick<SettingsChanged, 'family' | 'overrides'>[]>;
}

/** What families set for their alerts, in memory: only those that changed something. */
export interface SettingsIndex {
  /** Reads all settings; again at any time, which puts right what a lost change left wrong. */
  load(): Promise<void>;
  of(family: string): AlertOverrides;
  /** Families that changed something. */
  size(): number;
}

const NOTHING_CHANGED: AlertOverrides = {};

/**
 * Keeps the settings equal to the source. Listening begins before the snapshot is read: what changes
 * meanwhile is newer than any page of it. Changes of a family come in the order in which they were made.
 */
export const createSettingsIndex = (source: SettingsSource): SettingsIndex => {
  let settings = new Map<string, AlertOverrides>();
  /** What changed while a load is under way; undefined while none is. */
  let changed: Map<string, AlertOverrides> | undefined;
  let isListening = false;
  // Two at a time would lose changes that come between the end of one and that of the other.
  const oneAtATime = pLimit(1);
  const load = async (): Promise<void> => {
    if (!isListening) {
      await source.listen(({ family, overrides }) => {
        settings.set(family, overrides);
        changed?.set(family, overrides);
      });
    }
    isListening = true;
    const fresh = new Map<string, AlertOverrides>();
    changed = new Map();
    try {
      for await (const page of source.snapshot()) {
        for (const { family, overrides } of page) fresh.set(family, overrides);
      }
      for (const [family, overrides] of changed) fresh.set(family, overrides);
      settings = fresh;
    } finally {
      changed = undefined;
    }
  };
  return {
    load: () => oneAtATime(load),
    of: (family) => settings.get(family) ?? NOTHING_CHANGED,
    size: () => settings.size,
  };
};
