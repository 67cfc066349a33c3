import { z } from 'zod';
import type { Clickhouse } from '../../shared/adapters/clickhouse.ts';
import {
  type AlertOverrides,
  alertOverridesSchema,
} from '../../shared/messages/settingsMessage.ts';
import type { Database } from './verdict.ts';

const settingsRow = z.object({
  settings: z
    .string()
    .transform((text) => JSON.parse(text) as unknown)
    .pipe(alertOverridesSchema),
  row_version: z.number().int(),
});

/** What a family changed, and the version it was stored under; version 0 for nothing. */
export const readAlertOverrides = async (
  database: Database,
  family: string,
): Promise<{ overrides: AlertOverrides; version: number }> => {
  const rows = await database.query(
    `SELECT settings, version AS row_version FROM alert_settings FINAL
     WHERE family = {family:String}`,
    { family },
    settingsRow,
  );
  return { overrides: rows[0]?.settings ?? {}, version: rows[0]?.row_version ?? 0 };
};

/** Stores what a family changed; the higher version wins. */
export const saveAlertOverrides = (
  database: Pick<Clickhouse, 'insert'>,
  family: string,
  overrides: AlertOverrides,
  version: number,
): Promise<void> =>
  database.insert('alert_settings', [{ family, settings: JSON.stringify(overrides), version }]);
