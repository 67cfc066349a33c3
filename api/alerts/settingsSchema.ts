import { SEVERITIES } from '../../shared/messages/alertMessage.ts';
import { quietHoursSchema } from '../../shared/messages/settingsMessage.ts';
import { SENSITIVITIES } from '../../shared/messages/watchMessage.ts';
import { ALERT_TYPES } from '../../shared/rules/artifacts/alertTypes.ts';
import { addressOrAlertType, alertType, fraction, z } from '../server/schema.ts';

const MUTED_MAX = 500;
const DEDUPE_WINDOW_S_MAX = 86_400;

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
};

/** Types of alert, each once. */
const alertTypes = z
  .array(alertType)
  .max(2 * ALERT_TYPES.length)
  .transform((types) => [...new Set(types)])
  .openapi({
    type: 'array',
    items: { type: 'string', enum: [...ALERT_TYPES] },
    maxItems: 2 * ALERT_TYPES.length,
  });

/** A time of day, HH:MM. */
export const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 22:30')
  .openapi({ example: '22:30' });
/** The name of a time zone known to this machine. */
export const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')
  .openapi({ description: 'an IANA time zone', example: 'Europe/Berlin' });

const thresholds = {
  price_drop: fraction.openapi({ description: 'drop in 1 h' }),
  liquidity_drop: fraction.openapi({ description: 'drop in 10 min' }),
  // JSON can write 1e999, which is read as infinite, but nothing infinite.
  creator_sell_usd: z.number().min(0).finite(`must be <= ${Number.MAX_VALUE}`),
  min_confidence: fraction,
};
const channels = { webhook: z.boolean(), websocket: z.boolean(), email: z.boolean() };
const dedupeWindow = z.number().int().min(0).max(DEDUPE_WINDOW_S_MAX);

/** The alert settings in force. */
export const alertConfigSchema = z
  .object({
    enabled: z.boolean(),
    default_alerts: z.object({ token: z.array(alertType), wallet: z.array(alertType) }),
    default_sensitivity: z.enum(SENSITIVITIES),
    min_severity: z.enum(SEVERITIES),
    thresholds: z.object(thresholds),
    channels: z.object(channels),
    muted: z.array(z.string()).openapi({ description: 'addresses and types of alert' }),
    dedupe_window_seconds: dedupeWindow,
    quiet_hours: quietHoursSchema.nullable(),
  })
  .openapi('AlertConfig');
export type AlertConfig = z.infer<typeof alertConfigSchema>;

/** A change of the alert settings: what is absent stays as it is. */
export const alertConfigChangeSchema = z
  .object({
    enabled: z.boolean(),
    default_alerts: z.object({ token: alertTypes, wallet: alertTypes }).partial().strict(),
    default_sensitivity: z.enum(SENSITIVITIES),
    min_severity: z.enum(SEVERITIES),
    thresholds: z.object(thresholds).partial().strict(),
    channels: z.object(channels).partial().strict(),
    muted: z
      .array(addressOrAlertType)
      .max(MUTED_MAX)
      .openapi({ description: 'addresses and types of alert; replaces the list' }),
    dedupe_window_seconds: dedupeWindow,
    quiet_hours: z
      .object({ from: timeOfDay, to: timeOfDay, timezone: timeZone, except_critical: z.boolean() })
      .partial()
      .strict()
      .nullable()
      .openapi({
        description:
          'null clears them; `from` and `to` are required while none are set; time zone UTC, critical alerts pass by default',
      }),
  })
  .partial()
  .strict()
  .openapi({ minProperties: 1, example: { min_severity: 'warning' } });
export type AlertConfigChange = z.output<typeof alertConfigChangeSchema>;
