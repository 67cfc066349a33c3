import { z } from 'zod';
import { ALERT_TYPES } from '../rules/artifacts/alertTypes.ts';
import { SEVERITIES } from './alertMessage.ts';
import { addressSchema, countSchema } from './schemas.ts';
import { SENSITIVITIES, type Sensitivity } from './watchMessage.ts';

const fraction = z.number().min(0).max(1);

/** Least change for which an alert is raised. */
export const alertThresholdsSchema = z.object({
  /** Share of the price lost in 1 hour. */
  price_drop: fraction,
  /** Share of the liquidity lost in 10 minutes. */
  liquidity_drop: fraction,
  creator_sell_usd: z.number().min(0),
  min_confidence: fraction,
});
export type AlertThresholds = z.infer<typeof alertThresholdsSchema>;

/** The thresholds of each sensitivity. */
const THRESHOLDS: Readonly<Record<Sensitivity, AlertThresholds>> = {
  low: { price_drop: 0.6, liquidity_drop: 0.8, creator_sell_usd: 5_000, min_confidence: 0.95 },
  medium: { price_drop: 0.4, liquidity_drop: 0.5, creator_sell_usd: 5_000, min_confidence: 0.85 },
  high: { price_drop: 0.2, liquidity_drop: 0.25, creator_sell_usd: 5_000, min_confidence: 0.7 },
};
/**
 * Seconds in which an alert is not repeated, unless a family sets another time: the default of
 * `dedupe_window_seconds`.
 */
export const DEDUPE_WINDOW_S = 900;

/** The thresholds in force: a family's own take precedence over those of the sensitivity. */
export const thresholdsOf = (
  sensitivity: Sensitivity,
  { thresholds = {} }: AlertOverrides = {},
): AlertThresholds => ({
  ...THRESHOLDS[sensitivity],
  // They were stored as JSON, which has no undefined.
  ...(thresholds as Partial<AlertThresholds>),
});

const mutedSchema = z.union([addressSchema, z.enum(ALERT_TYPES)]);

/** Hours of each day in which nothing is sent. */
export const quietHoursSchema = z.object({
  /** HH:MM in the time zone. */
  from: z.string(),
  to: z.string(),
  /** IANA name. */
  timezone: z.string(),
  except_critical: z.boolean(),
});
export type QuietHours = z.infer<typeof quietHoursSchema>;

/**
 * The settings that a family changed; absent ones have their defaults. Absent thresholds follow the sensitivity of
 * each watchlist item.
 */
export const alertOverridesSchema = z
  .object({
    enabled: z.boolean(),
    default_alerts: z
      .object({ token: z.array(z.enum(ALERT_TYPES)), wallet: z.array(z.enum(ALERT_TYPES)) })
      .partial(),
    default_sensitivity: z.enum(SENSITIVITIES),
    min_severity: z.enum(SEVERITIES),
    thresholds: alertThresholdsSchema.partial(),
    channels: z
      .object({ webhook: z.boolean(), websocket: z.boolean(), email: z.boolean() })
      .partial(),
    muted: z.array(mutedSchema),
    dedupe_window_seconds: countSchema,
    quiet_hours: quietHoursSchema,
  })
  .partial();
export type AlertOverrides = z.infer<typeof alertOverridesSchema>;

/**
 * Alert settings of a key family changed: an entry of the stream `changes` in Redis, written together with the
 * change.
 */
export const settingsChangedSchema = z.object({
  v: z.literal(1),
  family: z.string().min(1),
  overrides: alertOverridesSchema,
});
export type SettingsChanged = z.infer<typeof settingsChangedSchema>;

/**
 * A webhook of a key family was added, changed or removed: an entry of the stream `changes` in Redis, written
 * together with the change.
 */
export const webhooksChangedSchema = z.object({
  v: z.literal(1),
  family: z.string().min(1),
  webhookId: z.string().min(1),
});
export type WebhooksChanged = z.infer<typeof webhooksChangedSchema>;
