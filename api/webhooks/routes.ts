import { isoTime } from '../../shared/rules/isoTime.ts';
import type { Caller } from '../accounts/admission.ts';
import { nextTier, type Plans } from '../accounts/plans.ts';
import { insufficientTier, invalidFields, notFound } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { successB } from '../server/present.ts';
import { envelopeB, z } from '../server/schema.ts';
import { messageSchema } from '../watchlist/schema.ts';
import { changeWebhook as change, type RegisterPorts, registerWebhook } from './registerWebhook.ts';
import {
  newWebhookSchema,
  type WebhookBody,
  webhookChangeSchema,
  webhookSchema,
} from './schema.ts';
import { TargetFault } from './target.ts';
import type { WebhookState } from './webhook.ts';

const ID_LENGTH_MAX = 64;
const REMOVED = 'Webhook removed';

/** Dependencies of the webhook operations. */
export interface WebhookPorts extends RegisterPorts {
  readonly plans: Plans;
  readonly baseUrl: string;
}

/** The id of a webhook in a path. */
export const webhookParams = z.object({ id: z.string().min(1).max(ID_LENGTH_MAX) }).strict();

/** Properties shared by all operations on webhooks. */
export const WEBHOOK_OPERATION = { tag: 'Webhooks', lowestTier: 'starter' } as const;

export const noSuchWebhook = () => notFound('no such webhook');

const webhookBody = (webhook: WebhookState, secret?: string): WebhookBody => ({
  id: webhook.id,
  kind: webhook.kind,
  url: webhook.url,
  chat_id: webhook.kind === 'telegram' ? webhook.recipient : null,
  email: webhook.kind === 'email' ? webhook.recipient : null,
  language: webhook.language,
  digest: webhook.digest,
  quiet_hours: webhook.quietHours,
  events: [...webhook.events],
  description: webhook.description,
  filters: webhook.filters && {
    ...webhook.filters,
    addresses: webhook.filters.addresses && [...webhook.filters.addresses],
  },
  status: webhook.status,
  disabled_reason: webhook.disabledReason,
  ...(secret === undefined ? {} : { secret }),
  created_at: isoTime(webhook.createdAtMs),
  last_delivery_at: webhook.lastDeliveryAtMs === null ? null : isoTime(webhook.lastDeliveryAtMs),
  failure_count: webhook.failureCount,
});

const versionOf = ({ id, version, lastDeliveryAtMs, failureCount }: WebhookState): string =>
  `${id}-${version}.${lastDeliveryAtMs ?? 0}.${failureCount}`;

/** Notes on targets that a schema cannot express. */
const URL_RULE =
  'The host of `url` must resolve, and only to public addresses; user names and passwords in it are refused.';

/** Notes on the common body of all kinds that its schema cannot express. */
const KIND_RULE =
  'Kinds `webhook`, `slack` and `discord` have `url`, `telegram` has `bot_token` and `chat_id`, `email` has `email`: a field of another kind is refused. `digest` and `quiet_hours` are for people: of kind `webhook` they must be `none` and `null`; `quiet_hours.timezone` must be an IANA time zone.';

/** Runs the work, with target errors answered as request errors. @throws ApiError 400 */
export const answeringFaults = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    throw invalidFields([{ in: 'body', path: error.field, message: error.message }]);
  }
};

/** GET /api/webhooks */
export const listWebhooks = ({ webhooks }: WebhookPorts): Endpoint =>
  defineEndpoint({
    ...WEBHOOK_OPERATION,
    method: 'get',
    path: '/api/webhooks',
    id: 'getWebhooks',
    summary: 'List webhooks',
    description: 'All webhooks of the key family, oldest first.',
    response: envelopeB(z.array(webhookSchema)),
    successes: { 200: 'The webhooks' },
    errors: [403],
    handle: async ({ caller }) => {
      const found = await webhooks.list(caller.family);
      return { body: successB(found.map((webhook) => webhookBody(webhook))) };
    },
  });

const create = async (
  ports: WebhookPorts,
  body: z.output<typeof newWebhookSchema>,
  caller: Caller,
): Promise<WebhookBody> => {
  const { plans, baseUrl } = ports;
  const webhooksMax = plans[caller.tier].webhooks;
  const owner = { family: caller.family, webhooksMax };
  const created = await answeringFaults(registerWebhook(ports, owner, body));
  if (created) {
    const { webhook, secret } = created;
    return webhookBody(webhook, webhook.kind === 'webhook' ? secret : undefined);
  }
  throw insufficientTier({
    message: `Tier ${caller.tier} has ${webhooksMax} webhooks`,
    tier: caller.tier,
    requiredTier: nextTier(caller.tier),
    upgradeUrl: `${baseUrl}/dashboard/plans`,
  });
};

/** POST /api/webhooks */
export const createWebhook = (ports: WebhookPorts): Endpoint =>
  defineEndpoint({
    ...WEBHOOK_OPERATION,
    method: 'post',
    path: '/api/webhooks',
    id: 'createWebhook',
    summary: 'Register a webhook',
    description: `The secret that signs deliveries is shown here, and when it is rotated, only. Starter has 3 webhooks, Pro 10, Enterprise 50. The fields of a kind are required. ${KIND_RULE} An e-mail address gets a link first: until its owner opens it, the webhook is \`disabled\`. ${URL_RULE}`,
    isIdempotent: true,
    body: newWebhookSchema,
    response: envelopeB(webhookSchema),
    successes: { 201: 'The webhook with its secret' },
    errors: [403],
    handle: async ({ body, caller }) => {
      const data = await create(ports, body, caller);
      return {
        status: 201,
        body: successB(data),
        headers: { Location: `${ports.baseUrl}/api/webhooks/${data.id}` },
      };
    },
  });

/** GET /api/webhooks/{id} */
export const getWebhook = ({ webhooks }: WebhookPorts): Endpoint =>
  defineEndpoint({
    ...WEBHOOK_OPERATION,
    method: 'get',
    path: '/api/webhooks/{id}',
    id: 'getWebhook',
    summary: 'Webhook',
    description: 'Without its secret.',
    params: webhookParams,
    response: envelopeB(webhookSchema),
    successes: { 200: 'The webhook' },
    errors: [403, 404],
    handle: async ({ params, caller }) => {
      const webhook = await webhooks.find(caller.family, params.id);
      if (!webhook) throw noSuchWebhook();
      return { body: successB(webhookBody(webhook)), version: versionOf(webhook) };
    },
  });

/** PATCH /api/webhooks/{id} */
export const changeWebhook = (ports: WebhookPorts): Endpoint =>
  defineEndpoint({
    ...WEBHOOK_OPERATION,
    method: 'patch',
    path: '/api/webhooks/{id}',
    id: 'changeWebhook',
    summary: 'Change a webhook',
    description: `Absent fields stay as they are; \`kind\` and \`email\` cannot be changed. \`status: active\` brings a disabled one back, unless its e-mail address is not confirmed. Hours and digests count for events from then on. ${KIND_RULE} ${URL_RULE}`,
    params: webhookParams,
    body: webhookChangeSchema,
    response: envelopeB(webhookSchema),
    successes: { 200: 'The webhook as it is now' },
    errors: [403, 404],
    handle: async ({ params, body, caller }) => {
      const webhook = await answeringFaults(change(ports, caller.family, params.id, body));
      if (!webhook) throw noSuchWebhook();
      return { body: successB(webhookBody(webhook)) };
    },
  });

/** DELETE /api/webhooks/{id} */
export const removeWebhook = ({ webhooks }: WebhookPorts): Endpoint =>
  defineEndpoint({
    ...WEBHOOK_OPERATION,
    method: 'delete',
    path: '/api/webhooks/{id}',
    id: 'removeWebhook',
    summary: 'Remove a webhook',
    description: 'Nothing is sent to it any more.',
    params: webhookParams,
    response: envelopeB(messageSchema),
    successes: { 200: 'The webhook is gone' },
    errors: [403, 404],
    handle: async ({ params, caller }) => {
      if (!(await webhooks.remove(caller.family, params.id))) throw noSuchWebhook();
      return { body: successB({ message: REMOVED }) };
    },
  });

/** POST /api/webhooks/{id}/rotate-secret */
export const rotateWebhookSecret = ({ webhooks }: WebhookPorts): Endpoint =>
  defineEndpoint({
    ...WEBHOOK_OPERATION,
    method: 'post',
    path: '/api/webhooks/{id}/rotate-secret',
    id: 'rotateWebhookSecret',
    summary: 'Rotate the secret',
    description:
      'Takes no body. The new secret is shown here only; for 24 hours deliveries carry signatures by both. Of kind `webhook` only.',
    params: webhookParams,
    response: envelopeB(webhookSchema),
    successes: { 200: 'The webhook with its new secret' },
    errors: [403, 404],
    handle: async ({ params, caller }) => {
      const rotated = await webhooks.rotateSecret(caller.family, params.id);
      if (!rotated) throw notFound('no such webhook of kind webhook');
      return { body: successB(webhookBody(rotated.webhook, rotated.secret)) };
    },
  });
