import type { AlertOverrides } from '../../shared/messages/settingsMessage.ts';
import { invalidRequest } from '../apiError.ts';
import type { AlertConfigChange } from '../schema/alertConfig.ts';

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
