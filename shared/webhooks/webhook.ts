import type { EventFilter } from '../events/eventFilter.ts';
import type { PushEventType } from '../events/pushEvent.ts';
import type { SecretBox } from './secretBox.ts';

/** Where a key family wants events to be sent. Secrets are sealed. */
export interface Webhook {
  readonly family: string;
  readonly id: string;
  readonly url: string;
  readonly events: readonly PushEventType[];
  readonly description: string | null;
  readonly filters: EventFilter | null;
  readonly status: 'active' | 'paused' | 'disabled';
  readonly disabledReason: string | null;
  readonly secret: string;
  /** Empty where there is none. */
  readonly previousSecret: string;
  /** Unix milliseconds until which the previous secret signs too. */
  readonly previousSecretUntilMs: number;
  readonly createdAtMs: number;
  /** Grows with every change. */
  readonly version: number;
}

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
