import type { EventFilter } from '../../shared/events/eventFilter.ts';
import type { PushEventType } from '../../shared/events/pushEvent.ts';
import type { Delivery, DeliveryStatus, Webhook } from '../../shared/webhooks/webhook.ts';

/** A webhook with how its deliveries fare. */
export interface WebhookState extends Webhook {
  readonly lastDeliveryAtMs: number | null;
  /** Failed attempts since the last success. */
  readonly failureCount: number;
}

/** What can be chosen of a webhook. */
export interface WebhookChoice {
  readonly url: string;
  readonly events: readonly PushEventType[];
  readonly description: string | null;
  readonly filters: EventFilter | null;
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
