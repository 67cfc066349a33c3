import { randomInt } from 'node:crypto';
import type { Redis } from 'ioredis';
import { Events, type NatsConnection } from 'nats';
import { watchChangedSchema } from '../../../shared/messages/watchMessage.ts';
import { followChanges } from '../../../shared/platform/changes.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { createWatchlistStore } from '../../../shared/watchlist/watchlistStore.ts';
import type { Audience } from '../raise/candidate.ts';
import { createSettingsIndex, createSettingsSource } from './settingsSource.ts';
import { createWatchIndex } from './watchIndex.ts';

/** Watchlists and settings of all families in memory, kept equal to what the API stored. */
export interface LoadedAudience extends Audience {
  counts(): Readonly<Record<string, number>>;
  /** Whether changes of watchlists are followed. */
  isCurrent(): boolean;
  /** Ends loading settings anew. */
  stop(): void;
}

/** Settings are read anew this often, for the case that NATS lost a change of them. */
const RELOAD_EVERY_MS = 10 * 60_000;
/** Tries of one reload: ClickHouse may be away at the same time as NATS. */
const RELOAD_ATTEMPTS_MAX = 60;
const RELOAD_DELAY_MS = 1_000;
const SEED_MAX = 2 ** 32;

/**
 * Reads watchlists and settings, then follows their changes until `signal` aborts. While Redis is away it waits at first, and
 * later goes on with what it has.
 */
export const loadAudience = async (
  ports: { connection: NatsConnection; clickhouse: Clickhouse; redis: Redis; logger: Logger },
  signal: AbortSignal,
): Promise<LoadedAudience> => {
  const { connection, clickhouse, redis, logger } = ports;
  const settings = createSettingsIndex(
    createSettingsSource(connection, clickhouse, logger, signal),
  );
  await settings.load();
  const timer = keepLoaded(connection, logger, () => settings.load());
  const watches = createWatchIndex(randomInt(SEED_MAX));
  const watchlists = createWatchlistStore(redis);
  const following = await followChanges(
    { redis, clock: systemClock, logger },
    {
      load: () => watches.load(watchlists.pages()),
      apply: { watch: (text) => watches.apply(watchChangedSchema.parse(JSON.parse(text))) },
    },
    signal,
  );
  return {
    watchesOf: (address) => watches.find(address),
    settingsOf: (family) => settings.of(family),
    counts: () => ({ ...watches.counts(), settings: settings.size() }),
    isCurrent: () => following.isCurrent(),
    stop: () => clearInterval(timer),
  };
};

/** Loads anew, now and then and after the connection was away. */
const keepLoaded = (
  connection: NatsConnection,
  logger: Logger,
  load: () => Promise<void>,
): NodeJS.Timeout => {
  const reload = async (): Promise<void> => {
    for (let attempt = 1; attempt <= RELOAD_ATTEMPTS_MAX; attempt += 1) {
      try {
        return await load();
      } catch (error) {
        logger.warn({ err: error, attempt }, 'settings not reloaded');
        await systemClock.sleep(RELOAD_DELAY_MS);
      }
    }
  };
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === Events.Reconnect) await reload();
    }
  })();
  return setInterval(() => void reload(), RELOAD_EVERY_MS);
};
