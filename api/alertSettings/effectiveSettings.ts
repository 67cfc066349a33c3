import { type Tier, tierIncludes } from '../../shared/accounts/tier.ts';
import {
  type AlertOverrides,
  DEDUPE_WINDOW_S,
  thresholdsOf,
} from '../../shared/messages/settingsMessage.ts';
import type { AlertConfig } from '../schema/alertConfig.ts';

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
