import type { Severity } from '../../shared/messages/alertMessage.ts';

export const WEBHOOK_EVENTS = [
  'token.scam_detected',
  'watchlist.alert',
  'prediction.high_confidence',
  'verdict.changed',
  'analysis.completed',
  'analysis.failed',
  'webhook.test',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Which events of the chosen kinds are delivered; an absent filter lets all pass. */
export interface WebhookFilters {
  readonly addresses?: readonly string[] | undefined;
  readonly min_severity?: Severity | undefined;
  readonly min_confidence?: number | undefined;
}

/** Where a key family wants events to be sent. Secrets are sealed. */
export interface Webhook {
  readonly family: string;
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly description: string | null;
  readonly filters: WebhookFilters | null;
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

/** A webhook with how its deliveries fare. */
export interface WebhookState extends Webhook {
  readonly lastDeliveryAtMs: number | null;
  /** Failed attempts since the last success. */
  readonly failureCount: number;
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'exhausted'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One event on its way to one webhook. */
export interface Delivery {
  readonly family: string;
  readonly webhookId: string;
  readonly id: string;
  readonly eventId: string;
  readonly type: WebhookEvent;
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

/** What can be chosen of a webhook. */
export interface WebhookChoice {
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly description: string | null;
  readonly filters: WebhookFilters | null;
}

export type WebhookChange = {
  readonly [K in keyof WebhookChoice]?: WebhookChoice[K] | undefined;
} & {
  readonly status?: 'active' | 'paused' | undefined;
};

/** Webhooks of key families. */
export interface Webhooks {
  list(family: string): Promise<WebhookState[]>;
  find(family: string, id: string): Promise<WebhookState | undefined>;
  /** The webhook with its secret in the clear, or nothing where the family has `webhooksMax`. */
  create(
    family: string,
    choice: WebhookChoice & { readonly secret?: string | undefined },
    webhooksMax: number,
  ): Promise<{ webhook: WebhookState; secret: string } | undefined>;
  change(family: string, id: string, change: WebhookChange): Promise<WebhookState | undefined>;
  /** Resolves to false where the family has no such webhook. */
  remove(family: string, id: string): Promise<boolean>;
  /** The old secret signs too for a day. */
  rotateSecret(
    family: string,
    id: string,
  ): Promise<{ webhook: WebhookState; secret: string } | undefined>;
  /** Sends a test event now. */
  test(family: string, id: string): Promise<Delivery | undefined>;
  /** Sends the event of an earlier delivery again, now, as a delivery of its own. */
  redeliver(family: string, id: string, deliveryId: string): Promise<Delivery | undefined>;
  /** Newest first. */
  deliveries(page: DeliveryPage): Promise<{ deliveries: Delivery[]; total: number }>;
}

/** One page of the deliveries of a webhook. */
export interface DeliveryPage {
  readonly family: string;
  readonly webhookId: string;
  readonly status?: DeliveryStatus | undefined;
  readonly limit: number;
  /** Deliveries older than the one with this id. */
  readonly beforeId?: string | undefined;
}
