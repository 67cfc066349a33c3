import type { Redis } from 'ioredis';
import {
  createAlertSettingsStore,
  createSettingsIndex,
} from '../../../shared/families/alertSettingsStore.ts';
import { followChanges } from '../../../shared/families/changes.ts';
import { createWatchlistStore } from '../../../shared/families/watchlistStore.ts';
import { watchChangedSchema } from '../../../shared/messages/watchMessage.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import type { Audience } from '../raise/candidate.ts';
import { createWatchIndex } from './watchIndex.ts';

/** Watchlists and settings of all families in memory, kept in sync with what the API stored. */
export interface LoadedAudience extends Audience {
  counts(): Readonly<Record<string, number>>;
  /** Whether changes are being followed. */
  isCurrent(): boolean;
}

/**
 * Reads watchlists and settings, then follows their changes until `signal` aborts. If Redis is unavailable it waits
 * at first; later it continues with the data it has.
 */
export const loadAudience = async (
  ports: { redis: Redis; logger: Logger },
  signal: AbortSignal,
): Promise<LoadedAudience> => {
  const { redis, logger } = ports;
  const watches = createWatchIndex();
  const watchlists = createWatchlistStore(redis);
  const settings = createSettingsIndex(createAlertSettingsStore(redis));
  const following = await followChanges(
    { redis, clock: systemClock, logger },
    {
      load: async () => {
        await watches.load(watchlists.pages());
        await settings.load();
      },
      apply: {
        watch: (text) => watches.apply(watchChangedSchema.parse(JSON.parse(text))),
        settings: (text) => settings.apply(text),
      },
    },
    signal,
  );
  return {
    watchesOf: (address) => watches.find(address),
    settingsOf: (family) => settings.of(family),
    counts: () => ({ ...watches.counts(), settings: settings.size() }),
    isCurrent: () => following.isCurrent(),
  };
};
