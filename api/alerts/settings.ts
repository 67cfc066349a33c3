import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type Tier, tierIncludes } from '../../shared/accounts/tier.ts';
import {
  type AlertOverrides,
  alertOverridesSchema,
  DEDUPE_WINDOW_S,
  type SettingsChanged,
  thresholdsOf,
} from '../../shared/messages/settingsMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { withLock } from '../../shared/platform/withLock.ts';
import { invalidRequest } from '../server/apiError.ts';
import type { Database } from '../tokens/verdict.ts';
import type { AlertConfig, AlertConfigChange } from './settingsSchema.ts';

/** What key families changed of their alert settings. */
export interface AlertSettings {
  /** Empty for a family that changed nothing. */
  read(family: string): Promise<AlertOverrides>;
  /** Stores what `change` makes of the overrides and announces it; one change at a time a family. */
  update(
    family: string,
    change: (overrides: AlertOverrides) => AlertOverrides,
  ): Promise<AlertOverrides>;
}

const settingsRow = z.object({
  settings: z
    .string()
    .transform((text) => JSON.parse(text) as unknown)
    .pipe(alertOverridesSchema),
  row_version: z.number().int(),
});

/** What a family changed, and the version it was stored under; version 0 for nothing. */
const readAlertOverrides = async (
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
const saveAlertOverrides = (
  database: Pick<Clickhouse, 'insert'>,
  family: string,
  overrides: AlertOverrides,
  version: number,
): Promise<void> =>
  database.insert('alert_settings', [{ family, settings: JSON.stringify(overrides), version }]);

/** Settings in ClickHouse; a change is stored, then announced, before it is confirmed. */
export const createAlertSettings = (args: {
  database: Pick<Clickhouse, 'query' | 'insert'>;
  redis: Redis;
  clock: Clock;
  /** Resolves when the stream has stored the change. */
  publish: (change: SettingsChanged) => Promise<void>;
}): AlertSettings => {
  const { database, redis, clock, publish } = args;
  return {
    read: async (family) => (await readAlertOverrides(database, family)).overrides,
    update: (family, change) =>
      withLock({ redis, clock }, `alert-settings-lock:${family}`, async () => {
        const { overrides: before, version } = await readAlertOverrides(database, family);
        const overrides = change(before);
        // Also where the clock has gone back, the change must win.
        await saveAlertOverrides(database, family, overrides, Math.max(clock.now(), version + 1));
        await publish({ v: 1, family, overrides });
        return overrides;
      }),
  };
};

/** The settings in force for a family: what it changed over the defaults of its tier. */
export const effectiveSettings = (overrides: AlertOverrides, tier: Tier): AlertConfig => {
  const sensitivity = overrides.default_sensitivity ?? 'medium';
  const { default_alerts: alerts, channels, quiet_hours: quietHours } = overrides;
  const preset = thresholdsOf(sensitivity);
  const { thresholds: changed } = overrides;
  const mayUseWebhooks = tierIncludes(tier, 'starter');
  return {
    enabled: overrides.enabled ?? true,
    default_alerts: {
      token: alerts?.token ?? ['rug_pull', 'price_drop'],
      wallet: alerts?.wallet ?? ['new_token', 'rug_pull'],
    },
    default_sensitivity: sensitivity,
    min_severity: overrides.min_severity ?? 'info',
    thresholds: {
      price_drop: changed?.price_drop ?? preset.price_drop,
      liquidity_drop: changed?.liquidity_drop ?? preset.liquidity_drop,
      creator_sell_usd: changed?.creator_sell_usd ?? preset.creator_sell_usd,
      min_confidence: changed?.min_confidence ?? preset.min_confidence,
    },
    channels: {
      webhook: mayUseWebhooks && (channels?.webhook ?? true),
      websocket: channels?.websocket ?? true,
      email: channels?.email ?? false,
    },
    muted: overrides.muted ?? [],
    dedupe_window_seconds: overrides.dedupe_window_seconds ?? DEDUPE_WINDOW_S,
    quiet_hours: quietHours ?? null,
  };
};

/** A value without the fields that are undefined. */
type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };
const without = <T extends object>(value: T): Defined<T> =>
  Object.fromEntries(
    Object.entries(value).filter(([, field]) => field !== undefined),
  ) as Defined<T>;

const quietHours = (
  before: AlertOverrides['quiet_hours'],
  change: AlertConfigChange['quiet_hours'],
): AlertOverrides['quiet_hours'] => {
  if (change === undefined) return before;
  if (change === null) return undefined;
  const { from, to } = { ...before, ...without(change) };
  if (from === undefined || to === undefined) {
    const path = `quiet_hours.${from === undefined ? 'from' : 'to'}`;
    throw invalidRequest(`${path}: is required`, {
      code: 'REQ_002',
      details: [{ in: 'body', path, message: 'is required' }],
    });
  }
  return {
    from,
    to,
    timezone: change.timezone ?? before?.timezone ?? 'UTC',
    except_critical: change.except_critical ?? before?.except_critical ?? true,
  };
};

/**
 * Overrides after a change: absent fields stay, objects are merged, arrays are replaced whole,
 * `quiet_hours: null` clears.
 * @throws ApiError 400 for quiet hours without a beginning or end.
 */
export const applyChange = (before: AlertOverrides, change: AlertConfigChange): AlertOverrides => {
  const { default_alerts, thresholds, channels, quiet_hours, ...plain } = change;
  const merge = <T extends object>(old: T | undefined, added: T | undefined): T | undefined =>
    added ? ({ ...old, ...without(added) } as T) : old;
  return without({
    ...before,
    ...without(plain),
    default_alerts: merge(before.default_alerts, default_alerts),
    thresholds: merge(before.thresholds, thresholds),
    channels: merge(before.channels, channels),
    quiet_hours: quietHours(before.quiet_hours, quiet_hours),
  }) as AlertOverrides;
};
