import { type Tier, tierIncludes } from '../../shared/families/tier.ts';
import {
  type AlertOverrides,
  DEDUPE_WINDOW_S,
  thresholdsOf,
} from '../../shared/messages/settingsMessage.ts';
import { invalidFields } from '../server/apiError.ts';
import type { AlertConfig, AlertConfigChange } from './settingsSchema.ts';

/** The settings in force for a family: the defaults of its tier with the family's changes. */
export const effectiveSettings = (overrides: AlertOverrides, tier: Tier): AlertConfig => {
  const sensitivity = overrides.default_sensitivity ?? 'medium';
  const { default_alerts: alerts, channels, quiet_hours: quietHours } = overrides;
  const mayUseWebhooks = tierIncludes(tier, 'starter');
  return {
    enabled: overrides.enabled ?? true,
    default_alerts: {
      token: alerts?.token ?? ['rug_pull', 'price_drop'],
      wallet: alerts?.wallet ?? ['new_token', 'rug_pull'],
    },
    default_sensitivity: sensitivity,
    min_severity: overrides.min_severity ?? 'info',
    thresholds: thresholdsOf(sensitivity, overrides),
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
    const ends = Object.entries({ from, to }).filter(([, end]) => end === undefined);
    const message = 'is required';
    throw invalidFields(
      ends.map(([name]) => ({ in: 'body', path: `quiet_hours.${name}`, message })),
      { code: 'REQ_002' },
    );
  }
  return {
    from,
    to,
    timezone: change.timezone ?? before?.timezone ?? 'UTC',
    except_critical: change.except_critical ?? before?.except_critical ?? true,
  };
};

/**
 * Overrides after a change: absent fields stay, objects are merged, arrays are replaced, `quiet_hours: null` clears.
 * @throws ApiError 400 for quiet hours without a start or end.
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
