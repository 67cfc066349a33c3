import { PUSH_EVENT_TYPES } from '../../shared/events/pushEvent.ts';
import { SEVERITIES } from '../../shared/messages/alertMessage.ts';
import { quietHoursSchema } from '../../shared/messages/settingsMessage.ts';
import { LANGUAGES } from '../../shared/sentences/language.ts';
import { DELIVERY_STATUSES, DIGESTS, WEBHOOK_KINDS } from '../../shared/webhooks/webhook.ts';
import { timeOfDay, timeZone } from '../alerts/settingsSchema.ts';
import {
  address,
  addressInput,
  count,
  emailField,
  fraction,
  isoDateTime,
  z,
} from '../server/schema.ts';
import { NEEDED_FIELDS_OF_KIND } from './target.ts';

const DESCRIPTION_LENGTH_MAX = 200;
const ADDRESSES_MAX = 500;
const URL_LENGTH_MAX = 2_048;
const BOT_TOKEN = /^\d{1,20}:[\w-]{30,64}$/;
const CHAT_ID = /^(-?\d{1,20}|@[A-Za-z]\w{3,31})$/;
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

const webhookEvent = z.enum(PUSH_EVENT_TYPES);

/** A webhook as its family sees it. */
export const webhookSchema = z
  .object({
    id: z.string(),
    kind: z.enum(WEBHOOK_KINDS),
    url: z.string().openapi({
      format: 'uri',
      description: 'Where events are sent; what is secret of it is shown as ***',
    }),
    chat_id: z.string().nullable(),
    email: z.string().nullable(),
    language: z.enum(LANGUAGES),
    digest: z.enum(DIGESTS),
    quiet_hours: quietHoursSchema.nullable(),
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
    last_delivery_at: isoDateTime
      .nullable()
      .openapi({ description: 'when it was last attempted to deliver, ISO 8601 UTC' }),
    failure_count: count.openapi({
      description: 'deliveries that failed since the last that succeeded',
    }),
  })
  .openapi('Webhook');
export type WebhookBody = z.infer<typeof webhookSchema>;

/**
 * `whsec_` and base64 of 24 to 64 bytes, with or without padding: what `isSecret` accepts, in a form that a document
 * can express.
 */
const SECRET_END = '[A-Za-z0-9+/][AQgw](={0,2})|';
const SECRET_PATTERN = `^whsec_([A-Za-z0-9+/]{4}){8,20}(${SECRET_END}[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=?|)$|^whsec_([A-Za-z0-9+/]{4}){21}(${SECRET_END})$`;

const isSecret = (text: string): boolean => {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  if (encoded === undefined) return false;
  const bytes = Buffer.from(encoded, 'base64');
  const isExact = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  return isExact && bytes.length >= SECRET_BYTES_MIN && bytes.length <= SECRET_BYTES_MAX;
};

const targetFields = {
  url: z.string().min(1).max(URL_LENGTH_MAX).openapi({
    format: 'uri',
    description:
      'Of kind webhook: https on port 443 or 8443; no credentials, no private, local or reserved address. Of slack and discord: the URL of an incoming webhook, which is kept secret',
  }),
  bot_token: z
    .string()
    .regex(BOT_TOKEN, 'must be the token of a bot, such as 123456789:AAE…')
    .openapi({ description: 'Of kind telegram: the token that @BotFather gave; kept secret' }),
  chat_id: z
    .string()
    .regex(CHAT_ID, 'must be the number of a chat, such as -1001234567890, or @channel')
    .openapi({
      description: 'Of kind telegram: the number of the chat, or @ and the name of a channel',
    }),
};

const chosenFields = {
  language: z.enum(LANGUAGES).openapi({ description: 'Language of messages to people' }),
  digest: z.enum(DIGESTS).openapi({
    description:
      'How often people get what happened as one message: none at once, hourly at every full hour, daily at the end of `quiet_hours`, at 08:00 UTC without them',
  }),
  quiet_hours: z
    .object({
      from: timeOfDay,
      to: timeOfDay,
      timezone: timeZone.default('UTC'),
      except_critical: z.boolean().default(true),
    })
    .strict()
    .nullable()
    .openapi({
      description:
        'Hours of each day whose events people get at their end as one message; null: none',
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

const kindField = z.enum(WEBHOOK_KINDS).default('webhook');
const anyOfKind = z.object({ kind: kindField }).passthrough();

/**
 * Reports the missing fields of the kind together with all other errors: a zod refinement would wait until no field
 * is missing.
 */
const requireTarget = (body: unknown, context: z.RefinementCtx): unknown => {
  const { data: given } = anyOfKind.safeParse(body);
  const needed = given ? NEEDED_FIELDS_OF_KIND[given.kind] : [];
  const lacking = needed.filter((name) => given?.[name] === undefined);
  for (const name of lacking) {
    const { string: expected, undefined: received } = z.ZodParsedType;
    context.addIssue({ code: 'invalid_type', expected, received, path: [name] });
  }
  return body;
};

const newWebhookFields = z
  .object({
    kind: kindField,
    url: targetFields.url.optional(),
    bot_token: targetFields.bot_token.optional(),
    chat_id: targetFields.chat_id.optional(),
    email: emailField.optional().openapi({
      description: 'Of kind email: nothing is sent before its owner opened the link that is mailed',
    }),
    ...chosenFields,
    language: chosenFields.language.default('en'),
    digest: chosenFields.digest.default('none'),
    quiet_hours: chosenFields.quiet_hours.default(null),
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

/** A webhook to create. */
export const newWebhookSchema = z
  .preprocess(requireTarget, newWebhookFields)
  .openapi({ example: { url: 'https://example.org/hook', events: ['watchlist.alert'] } });

/** A change of a webhook: absent fields stay unchanged. */
export const webhookChangeSchema = z
  .object({
    ...targetFields,
    ...chosenFields,
    status: z.enum(['active', 'paused']).openapi({
      description: 'active also brings a disabled webhook back',
    }),
  })
  .partial()
  .strict();

/** A delivery of one event to one webhook. */
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

/** The request that a receiver gets. */
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
