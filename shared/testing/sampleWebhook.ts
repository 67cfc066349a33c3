import type { Webhook } from '../webhooks/webhook.ts';

/** A webhook that gets the alerts of its family. */
export const sampleWebhook = (changes: Partial<Webhook> = {}): Webhook => ({
  family: 'fam',
  id: 'wh',
  kind: 'webhook',
  url: 'https://receiver.example/',
  recipient: '',
  isConfirmed: true,
  language: 'en',
  digest: 'none',
  quietHours: null,
  events: ['watchlist.alert'],
  description: null,
  filters: null,
  status: 'active',
  disabledReason: null,
  secret: '',
  previousSecret: '',
  previousSecretUntilMs: 0,
  createdAtMs: 0,
  version: 1,
  ...changes,
});
