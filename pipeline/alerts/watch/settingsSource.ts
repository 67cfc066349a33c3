import type { NatsConnection } from 'nats';
import pLimit from 'p-limit';
import { z } from 'zod';
import {
  ALERT_SETTINGS_SUBJECT,
  type AlertOverrides,
  alertOverridesSchema,
  type SettingsChanged,
  settingsChangedSchema,
} from '../../../shared/messages/settingsMessage.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { listenTo } from './listen.ts';

/** Where the settings of families are kept, and how their changes come. */
interface SettingsSource {
  /** Begins to pass on every change from now on; resolves when none can be missed any more. */
  listen(onChange: (change: SettingsChanged) => void): Promise<void>;
  /** What each family changed, in pages. */
  snapshot(): AsyncIterable<readonly Pick<SettingsChanged, 'family' | 'overrides'>[]>;
}

/** What families set for their alerts, in memory: only those that changed something. */
interface SettingsIndex {
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

/** Families of one page of the snapshot: few, because chain events wait while a page is taken in. */
const SNAPSHOT_PAGE = 2_000;

const pageSql = `SELECT s.family AS family, s.settings AS settings FROM alert_settings AS s FINAL
  WHERE s.family > {family:String} ORDER BY s.family LIMIT ${SNAPSHOT_PAGE}`;
const settingsRow = z
  .object({
    family: z.string(),
    settings: z
      .string()
      .transform((text) => JSON.parse(text) as unknown)
      .pipe(alertOverridesSchema),
  })
  .transform(({ family, settings }) => ({ family, overrides: settings }));

/** Alert settings in ClickHouse, their changes as the API publishes them. */
export const createSettingsSource = (
  connection: NatsConnection,
  clickhouse: Clickhouse,
  logger: Logger,
  signal: AbortSignal,
): SettingsSource => ({
  listen: (onChange) =>
    listenTo(
      { connection, logger, signal },
      ALERT_SETTINGS_SUBJECT,
      settingsChangedSchema,
      onChange,
    ),
  snapshot: async function* () {
    for (let family = ''; ; ) {
      const page = await clickhouse.query(pageSql, { family }, settingsRow);
      yield page;
      const end = page.at(-1);
      if (!end || page.length < SNAPSHOT_PAGE) return;
      family = end.family;
    }
  },
});
