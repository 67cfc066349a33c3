import type { Delivery, DeliveryStatus, Webhook } from '../../shared/webhooks/webhook.ts';

/** Why nothing is sent to an e-mail address whose owner has not agreed. */
export const NOT_CONFIRMED = 'the address is not confirmed: open the link that was sent to it';

/** A webhook with how its deliveries fare. */
export interface WebhookState extends Webhook {
  readonly lastDeliveryAtMs: number | null;
  /** Failed attempts since the last success. */
  readonly failureCount: number;
}

/** What is sent to, as it is stored: what is secret of it is sealed and never shown. */
export interface Target {
  /** What may be shown. */
  readonly url: string;
  /** The chat of Telegram, or the e-mail address; else empty. */
  readonly recipient: string;
  /** In the clear; where absent one is made. */
  readonly secret?: string | undefined;
}

/** What can be chosen of a webhook. */
export type WebhookChoice = Pick<
  Webhook,
  'language' | 'digest' | 'quietHours' | 'events' | 'description' | 'filters'
>;

/** A webhook to be: what is absent of it is as for a receiver. */
export type NewWebhook = Pick<WebhookChoice, 'events' | 'description' | 'filters'> &
  Partial<WebhookChoice> &
  Pick<Target, 'url' | 'secret'> &
  Partial<Pick<Webhook, 'kind' | 'recipient' | 'isConfirmed'>>;

export type WebhookChange = {
  readonly [K in keyof (WebhookChoice & Target)]?: (WebhookChoice & Target)[K] | undefined;
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
    choice: NewWebhook,
    webhooksMax: number,
  ): Promise<{ webhook: WebhookState; secret: string } | undefined>;
  change(family: string, id: string, change: WebhookChange): Promise<WebhookState | undefined>;
  /** Resolves to false where the family has no such webhook. */
  remove(family: string, id: string): Promise<boolean>;
  /** Of a receiver: the old secret signs too for a day. */
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
