import type { NatsConnection } from 'nats';
import { z } from 'zod';
import type { Clickhouse } from '../../shared/adapters/clickhouse.ts';
import {
  ALERT_SETTINGS_SUBJECT,
  alertOverridesSchema,
  settingsChangedSchema,
} from '../../shared/messages/settingsMessage.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { listenTo } from './listen.ts';
import type { SettingsSource } from './settingsIndex.ts';

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
