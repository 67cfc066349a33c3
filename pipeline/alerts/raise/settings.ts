import { SEVERITIES, type Severity } from '../../../shared/messages/alertMessage.ts';
import {
  type AlertOverrides,
  type AlertThresholds,
  DEDUPE_WINDOW_S,
  thresholdsOf,
} from '../../../shared/messages/settingsMessage.ts';
import type { Sensitivity } from '../../../shared/messages/watchMessage.ts';
import type { Finding } from '../rules/rule.ts';
import type { Watch } from '../watch/watchIndex.ts';

/** The thresholds of an item: what its family set goes before the preset of its sensitivity. */
export const thresholdsFor = (
  settings: AlertOverrides,
  sensitivity: Sensitivity,
): AlertThresholds => {
  const preset = thresholdsOf(sensitivity);
  const { price_drop, liquidity_drop, creator_sell_usd, min_confidence } =
    settings.thresholds ?? {};
  return {
    price_drop: price_drop ?? preset.price_drop,
    liquidity_drop: liquidity_drop ?? preset.liquidity_drop,
    creator_sell_usd: creator_sell_usd ?? preset.creator_sell_usd,
    min_confidence: min_confidence ?? preset.min_confidence,
  };
};

/** Whether a family wants no alert of this: it switched them off, or muted the type or an address. */
export const isMuted = (settings: AlertOverrides, finding: Finding, watch: Watch): boolean => {
  if (settings.enabled === false) return true;
  const muted = settings.muted ?? [];
  return [finding.type, finding.token, watch.address].some((one) => muted.includes(one));
};

/** Whether a severity is too low for a family to get an alert at all. */
export const isTooMild = (settings: AlertOverrides, severity: Severity): boolean =>
  SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(settings.min_severity ?? 'info');

/** Chain seconds in which a family gets no second alert of the same thing, unless it got worse. */
export const dedupeWindowS = (settings: AlertOverrides): number =>
  settings.dedupe_window_seconds ?? DEDUPE_WINDOW_S;
