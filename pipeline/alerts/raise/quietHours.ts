import type { Severity } from '../../../shared/messages/alertMessage.ts';
import type { AlertOverrides } from '../../../shared/messages/settingsMessage.ts';

type QuietHours = NonNullable<AlertOverrides['quiet_hours']>;

/** `HH:MM` on the clocks of a time zone; null where no such zone is known. */
const timeOfDay = (nowMs: number, timeZone: string): string | null => {
  try {
    const format = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    return new Intl.DateTimeFormat('en-GB', format).format(nowMs);
  } catch {
    return null;
  }
};

/**
 * Whether nothing may be sent now for an alert of this severity: it is stored and can be read. From
 * `from` on, up to but not including `to`, over midnight where `to` is earlier; the whole day where both
 * are the same. A time zone that this machine does not know silences nothing.
 */
export const isQuiet = (
  quietHours: QuietHours | undefined,
  severity: Severity,
  nowMs: number,
): boolean => {
  if (!quietHours) return false;
  const { from, to, timezone, except_critical: exceptCritical } = quietHours;
  if (exceptCritical && severity === 'critical') return false;
  const now = timeOfDay(nowMs, timezone);
  if (now === null) return false;
  if (from === to) return true;
  return from < to ? now >= from && now < to : now >= from || now < to;
};
