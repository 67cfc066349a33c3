import { randomInt } from 'node:crypto';
import { Events, type NatsConnection } from 'nats';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import type { Audience } from '../raise/candidate.ts';
import { createSettingsIndex, createSettingsSource } from './settingsSource.ts';

import { createWatchIndex } from './watchIndex.ts';
import { createWatchSource } from './watchSource.ts';

/** Watchlists and settings of all families in memory, kept equal to what the API stored. */
export interface LoadedAudience extends Audience {
  counts(): Readonly<Record<string, number>>;
  /** Ends loading anew. */
  stop(): void;
}

/** Everything is read anew this often, for the case that NATS lost a change of it. */
const RELOAD_EVERY_MS = 10 * 60_000;
/** Tries of one reload: ClickHouse may be away at the same time as NATS. */
const RELOAD_ATTEMPTS_MAX = 60;
const RELOAD_DELAY_MS = 1_000;
const SEED_MAX = 2 ** 32;

/** Reads watchlists and settings, then follows their changes until `signal` aborts. */
export const loadAudience = async (
  connection: NatsConnection,
  clickhouse: Clickhouse,
  logger: Logger,
  signal: AbortSignal,
): Promise<LoadedAudience> => {
  const watches = createWatchIndex(
    createWatchSource(connection, clickhouse, logger, signal),
    randomInt(SEED_MAX),
  );
  const settings = createSettingsIndex(
    createSettingsSource(connection, clickhouse, logger, signal),
  );
  const load = async (): Promise<void> => {
    await settings.load();
    await watches.load();
  };
  await load();
  const timer = keepLoaded(connection, logger, load);
  return {
    watchesOf: (address) => watches.find(address),
    settingsOf: (family) => settings.of(family),
    counts: () => ({ ...watches.counts(), settings: settings.size() }),
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
        logger.warn({ err: error, attempt }, 'watchlists and settings not reloaded');
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
