import { PUSH_EVENT_TYPES } from '../../shared/events/pushEvent.ts';
import { SEVERITIES } from '../../shared/messages/alertMessage.ts';
import { DELIVERY_STATUSES } from '../../shared/webhooks/webhook.ts';
import { address, addressInput, count, fraction, isoDateTime, z } from '../server/schema.ts';

const DESCRIPTION_LENGTH_MAX = 200;
const ADDRESSES_MAX = 500;
const URL_LENGTH_MAX = 2_048;
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

const webhookEvent = z.enum(PUSH_EVENT_TYPES);

/** A webhook as its family sees it. */
export const webhookSchema = z
  .object({
    id: z.string(),
    url: z.string().openapi({ format: 'uri' }),
    events: z.array(webhookEvent),
    description: z.string().nullable(),
    filters: z
      .object({
        addresses: z.array(z.string()).max(ADDRESSES_MAX).optional(),
        min_severity: z.enum(SEVERITIES).optional(),
        min_confidence: fraction.optional(),
      })
      .nullable(),
    status: z.enum(['active', 'paused', 'disabled']),
    disabled_reason: z.string().nullable(),
    secret: z
      .string()
      .optional()
      .openapi({ description: 'whsec_..., only in the create and rotate responses' }),
    created_at: isoDateTime,
    last_delivery_at: isoDateTime.nullable(),
    failure_count: count.openapi({ description: 'failed attempts since the last success' }),
  })
  .openapi('Webhook');
export type WebhookBody = z.infer<typeof webhookSchema>;

/** `whsec_` and base64 of 24 to 64 bytes, with or without padding: what `isSecret` takes, as a document can say it. */
const SECRET_END = '[A-Za-z0-9+/][AQgw](={0,2})|';
const SECRET_PATTERN = `^whsec_([A-Za-z0-9+/]{4}){8,20}(${SECRET_END}[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=?|)$|^whsec_([A-Za-z0-9+/]{4}){21}(${SECRET_END})$`;

const isSecret = (text: string): boolean => {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  if (encoded === undefined) return false;
  const bytes = Buffer.from(encoded, 'base64');
  const isExact = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  return isExact && bytes.length >= SECRET_BYTES_MIN && bytes.length <= SECRET_BYTES_MAX;
};

const chosenFields = {
  url: z.string().min(1).max(URL_LENGTH_MAX).openapi({
    format: 'uri',
    description: 'https on port 443 or 8443; no credentials, no private, local or reserved address',
  }),
  events: z
    .array(webhookEvent)
    .min(1, 'must have at least 1 item')
    .max(2 * PUSH_EVENT_TYPES.length)
    .transform((events) => [...new Set(events)])
    .openapi({
      type: 'array',
      items: { type: 'string', enum: [...PUSH_EVENT_TYPES] },
      minItems: 1,
      maxItems: 2 * PUSH_EVENT_TYPES.length,
    }),
  description: z.string().max(DESCRIPTION_LENGTH_MAX).nullable(),
  filters: z
    .object({
      addresses: z.array(addressInput).max(ADDRESSES_MAX).optional(),
      min_severity: z.enum(SEVERITIES).optional(),
      min_confidence: fraction.optional(),
    })
    .strict()
    .nullable(),
};

/** A webhook to be. */
export const newWebhookSchema = z
  .object({
    ...chosenFields,
    description: chosenFields.description.default(null),
    filters: chosenFields.filters.default(null),
    secret: z
      .string()
      .refine(isSecret, 'must be whsec_ and base64 of 24 to 64 bytes')
      .optional()
      .openapi({
        description: 'bring your own, else generated: whsec_ and base64 of 24 to 64 bytes',
        pattern: SECRET_PATTERN,
        example: `whsec_${'A'.repeat(32)}`,
      }),
  })
  .strict();

/** A change of a webhook: what is absent stays as it is. */
export const webhookChangeSchema = z
  .object({
    ...chosenFields,
    status: z.enum(['active', 'paused']).openapi({
      description: 'active also brings a disabled webhook back',
    }),
  })
  .partial()
  .strict();

/** One event on its way to one webhook. */
export const webhookDeliverySchema = z
  .object({
    id: z.string(),
    event_id: z.string(),
    type: webhookEvent,
    attempt: count,
    status: z.enum(DELIVERY_STATUSES),
    http_status: count.nullable(),
    error: z.string().nullable(),
    duration_ms: count.nullable(),
    next_attempt_at: isoDateTime.nullable(),
    created_at: isoDateTime,
  })
  .openapi('WebhookDelivery');
export type WebhookDeliveryBody = z.infer<typeof webhookDeliverySchema>;

/** What a receiver gets. */
export const webhookPayloadSchema = z
  .object({
    type: webhookEvent,
    id: z.string().openapi({ description: '= webhook-id header' }),
    timestamp: isoDateTime,
    alert_type: z.string(),
    severity: z.enum(SEVERITIES),
    token: z.object({ address, name: z.string(), symbol: z.string() }),
    data: z.record(z.unknown()).openapi({
      description: 'full object: Alert, TokenB with previous_*, or AnalysisJob',
    }),
  })
  .openapi('WebhookPayload');
export type WebhookPayload = z.infer<typeof webhookPayloadSchema>;
