import type { Delivery, DeliveryStatus, Webhook } from '../../shared/webhooks/webhook.ts';

/** Why nothing is sent to an e-mail address whose owner has not agreed. */
export const NOT_CONFIRMED = 'the address is not confirmed: open the link that was sent to it';

/** A webhook with the state of its deliveries. */
export interface WebhookState extends Webhook {
  readonly lastDeliveryAtMs: number | null;
  /** Failed attempts since the last success. */
  readonly failureCount: number;
}

/** The target, as stored: its secrets are encrypted and never shown. */
export interface Target {
  /** What may be shown. */
  readonly url: string;
  /** The Telegram chat, or the e-mail address; else empty. */
  readonly recipient: string;
  /** In plain text; if absent, one is generated. */
  readonly secret?: string | undefined;
}

/** The options of a webhook. */
export type WebhookChoice = Pick<
  Webhook,
  'language' | 'digest' | 'quietHours' | 'events' | 'description' | 'filters'
>;

/** A webhook to create: absent fields have the defaults of a receiver. */
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
  /** The webhook with its secret in plain text, or nothing if the family has `webhooksMax`. */
  create(
    family: string,
    choice: NewWebhook,
    webhooksMax: number,
  ): Promise<{ webhook: WebhookState; secret: string } | undefined>;
  change(family: string, id: string, change: WebhookChange): Promise<WebhookState | undefined>;
  /** Resolves to false if the family has no such webhook. */
  remove(family: string, id: string): Promise<boolean>;
  /** For a receiver: the old secret also signs for a day. */
  rotateSecret(
    family: string,
    id: string,
  ): Promise<{ webhook: WebhookState; secret: string } | undefined>;
  /** Sends a test event now. */
  test(family: string, id: string): Promise<Delivery | undefined>;
  /** Sends an earlier delivery's event again, now, as a new delivery. */
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
