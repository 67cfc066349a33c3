import { z } from 'zod';
import { PUSH_EVENT_TYPES, type PushEventType } from '../events/pushEvent.ts';
import { SEVERITIES } from '../messages/alertMessage.ts';
import { countSchema } from '../messages/schemas.ts';
import type { SecretBox } from './secretBox.ts';

/** Where a key family wants events to be sent. Secrets are sealed. */
export const webhookSchema = z.object({
  family: z.string(),
  /** `wh_` and a ULID. */
  id: z.string(),
  url: z.string(),
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
  secret: z.string(),
  /** Empty where there is none. */
  previousSecret: z.string(),
  /** Unix milliseconds until which the previous secret signs too. */
  previousSecretUntilMs: countSchema,
  createdAtMs: countSchema,
  /** Grows with every change. */
  version: countSchema,
});
export type Webhook = Readonly<z.infer<typeof webhookSchema>>;

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'exhausted'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One event on its way to one webhook. */
export interface Delivery {
  readonly family: string;
  readonly webhookId: string;
  readonly id: string;
  readonly eventId: string;
  readonly type: PushEventType;
  readonly attempt: number;
  readonly status: DeliveryStatus;
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly durationMs: number | null;
  readonly nextAttemptAtMs: number | null;
  /** The body as it is signed. */
  readonly payload: string;
  readonly createdAtMs: number;
}

/** The secrets that sign for a webhook at a moment (Unix milliseconds), in the clear, the newest first. */
export const signingSecrets = (
  webhook: Webhook,
  box: Pick<SecretBox, 'open'>,
  nowMs: number,
): string[] => {
  const isOldOneValid = webhook.previousSecret !== '' && webhook.previousSecretUntilMs > nowMs;
  const sealed = [webhook.secret, ...(isOldOneValid ? [webhook.previousSecret] : [])];
  return sealed.map((secret) => box.open(secret, webhook.id));
};
