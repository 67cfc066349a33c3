import { SEVERITIES, type Severity } from '../../../shared/messages/alertMessage.ts';
import { type AlertOverrides, DEDUPE_WINDOW_S } from '../../../shared/messages/settingsMessage.ts';
import type { Finding } from '../rules/rule.ts';
import type { Watch } from '../watch/watchIndex.ts';

/** Whether a family does not want this alert: alerts are off, or the type or an address is muted. */
export const isMuted = (settings: AlertOverrides, finding: Finding, watch: Watch): boolean => {
  if (settings.enabled === false) return true;
  const muted = settings.muted ?? [];
  return [finding.type, finding.token, watch.address].some((one) => muted.includes(one));
};

/** Whether a severity is too low for a family to get an alert at all. */
export const isTooMild = (settings: AlertOverrides, severity: Severity): boolean =>
  SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(settings.min_severity ?? 'info');

/** Chain seconds within which a family gets no second alert on the same subject, unless it got worse. */
export const dedupeWindowS = (settings: AlertOverrides): number =>
  settings.dedupe_window_seconds ?? DEDUPE_WINDOW_S;
