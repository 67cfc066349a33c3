import { z } from 'zod';
import { PUSH_EVENT_TYPES } from '../events/pushEvent.ts';
import { SEVERITIES } from '../messages/alertMessage.ts';
import { countSchema } from '../messages/schemas.ts';
import { quietHoursSchema } from '../messages/settingsMessage.ts';
import type { SecretBox } from '../platform/secretBox.ts';
import { LANGUAGES } from '../sentences/language.ts';
import { CHAT_KINDS } from './chatServices.ts';

/** Kinds of targets: a receiver of the customer's own, a chat, a mailbox. */
export const WEBHOOK_KINDS = ['webhook', ...CHAT_KINDS, 'email'] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** How often events are combined into one message; `none`: each event at once. */
export const DIGESTS = ['none', 'hourly', 'daily'] as const;

/** Where a key family wants events to be sent. Secrets are encrypted. */
export const webhookSchema = z.object({
  family: z.string(),
  /** `wh_` and a ULID. */
  id: z.string(),
  kind: z.enum(WEBHOOK_KINDS),
  /** For a receiver the full URL; for the others a form without secrets. */
  url: z.string(),
  /** The Telegram chat, or the e-mail address; else empty. */
  recipient: z.string(),
  /** Whether the owner of an e-mail address agreed; true for the other kinds. */
  isConfirmed: z.boolean(),
  /** Language and schedule of messages to people; receivers get every event at once. */
  language: z.enum(LANGUAGES),
  digest: z.enum(DIGESTS),
  quietHours: quietHoursSchema.nullable(),
  events: z.array(z.enum(PUSH_EVENT_TYPES)).readonly(),
  description: z.string().nullable(),
  filters: z
    .object({
      addresses: z.array(z.string()).readonly().optional(),
      min_severity: z.enum(SEVERITIES).optional(),
      min_confidence: z.number().optional(),
    })
    .nullable(),
  status: z.enum(['active', 'paused', 'disabled']),
  disabledReason: z.string().nullable(),
  /**
   * The signing secret; for Telegram the bot's token, for Discord and Slack the hook's path, for mails nothing.
   */
  secret: z.string(),
  /** Empty if there is none. */
  previousSecret: z.string(),
  /** Unix milliseconds until which the previous secret also signs. */
  previousSecretUntilMs: countSchema,
  createdAtMs: countSchema,
  /** Grows with every change. */
  version: countSchema,
});
export type Webhook = Readonly<z.infer<typeof webhookSchema>>;

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'exhausted'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A delivery of one event to one webhook. */
export const deliverySchema = z.object({
  family: z.string(),
  webhookId: z.string(),
  id: z.string(),
  eventId: z.string(),
  type: z.enum(PUSH_EVENT_TYPES),
  attempt: countSchema,
  status: z.enum(DELIVERY_STATUSES),
  httpStatus: countSchema.nullable(),
  error: z.string().nullable(),
  durationMs: countSchema.nullable(),
  /** Unix milliseconds; null if there is no further attempt. */
  nextAttemptAtMs: countSchema.nullable(),
  /** The body as signed. */
  payload: z.string(),
  createdAtMs: countSchema,
});
export type Delivery = Readonly<z.infer<typeof deliverySchema>>;

/** The secrets that sign for a webhook at a time (Unix milliseconds), in plain text, newest first. */
export const signingSecrets = (
  webhook: Webhook,
  box: Pick<SecretBox, 'open'>,
  nowMs: number,
): string[] => {
  const isOldOneValid = webhook.previousSecret !== '' && webhook.previousSecretUntilMs > nowMs;
  const sealed = [webhook.secret, ...(isOldOneValid ? [webhook.previousSecret] : [])];
  return sealed.map((secret) => box.open(secret, webhook.id));
};
