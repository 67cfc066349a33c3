import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { PushEventType } from '../../../shared/events/pushEvent.ts';
import { type WebhookPayload, webhookPayloadSchema } from '../../webhooks/schema.ts';
import { z } from '../schema.ts';
import { EXAMPLE_ADDRESS, EXAMPLE_TIME } from './examples.ts';

const EVENT_ID = 'msg_01JD6Q4M3Z9K7W2X5T8V1N0P4R';

const ALERT = {
  id: 9001,
  type: 'rug_pull',
  severity: 'critical',
  details: { liquidity_change: -0.97, creator_sold_usd: 14_800 },
  recommendation: 'SELL_IMMEDIATELY',
  read: false,
  created_at: EXAMPLE_TIME,
};
const TOKEN = {
  address: EXAMPLE_ADDRESS,
  name: 'Moon Pepe',
  symbol: 'MPEPE',
  is_rug: true,
  confidence: 0.94,
  risk_score: 94,
  risk_level: 'CRITICAL',
  certainty: 'clear',
  advice: 'avoid',
  reasons: ['A bought token cannot be sold: it reverts without a reason.'],
};
const JOB = {
  address: EXAMPLE_ADDRESS,
  estimated_time: 0,
  job_id: 'job_01JD6Q4M3Z9K7W2X5T8V1N0P4R',
};

/** An analysis that found no token identifies it by address only. */
const UNNAMED = { address: EXAMPLE_ADDRESS, name: '0x1f98…1f98', symbol: '' };

/** When each event is sent, and its content. */
const EVENTS: Record<
  PushEventType,
  { summary: string } & Pick<WebhookPayload, 'alert_type' | 'severity' | 'data'> &
    Partial<Pick<WebhookPayload, 'token'>>
> = {
  'token.scam_detected': {
    summary: 'A token was judged a scam: critical from confidence 0.9, else warning',
    alert_type: 'scam_detected',
    severity: 'critical',
    data: TOKEN,
  },
  'watchlist.alert': {
    summary: 'Something happened to a watched address: type and severity are those of the alert',
    alert_type: 'rug_pull',
    severity: 'critical',
    data: ALERT,
  },
  'prediction.high_confidence': {
    summary:
      'A verdict of at least filters.min_confidence (0.95 if absent): SCAM critical, LEGIT info',
    alert_type: 'high_confidence_prediction',
    severity: 'critical',
    data: TOKEN,
  },
  'verdict.changed': {
    summary: 'The verdict of a token flipped, or its risk level moved',
    alert_type: 'verdict_change',
    severity: 'warning',
    data: { ...TOKEN, previous_is_rug: false, previous_risk_level: 'MEDIUM' },
  },
  'analysis.completed': {
    summary: 'An analysis requested by this key family ended with a verdict',
    alert_type: 'analysis.completed',
    severity: 'info',
    data: { ...JOB, status: 'completed' },
  },
  'analysis.failed': {
    summary: 'An analysis requested by this key family failed',
    alert_type: 'analysis.failed',
    severity: 'info',
    token: UNNAMED,
    data: { ...JOB, status: 'failed', error: 'not_a_token: no code at the address' },
  },
  'webhook.test': {
    summary: 'Asked for by POST /api/webhooks/{id}/test',
    alert_type: 'test',
    severity: 'info',
    data: { message: 'This is a test event' },
  },
};

const header = (description: string) => z.string().openapi({ description });
const signatureHeaders = z.object({
  'webhook-id': header(
    'the id of the event, the same in every attempt: use it to ignore repetitions',
  ),
  'webhook-timestamp': header('Unix seconds of the attempt'),
  'webhook-signature': header(
    'v1, and base64 of HMAC-SHA256 over `id.timestamp.body` with the secret; several, separated by spaces, after a rotation',
  ),
});

/** Requests that webhook receivers get, as `webhooks` of the document. */
export const registerWebhookEvents = (registry: OpenAPIRegistry): void => {
  // Schemas that only webhooks use must be registered: the generator collects schemas from paths.
  const schema = registry.register('WebhookPayload', webhookPayloadSchema);
  for (const [type, event] of Object.entries(EVENTS)) {
    const { summary, ...fields } = event;
    const example: WebhookPayload = {
      type: type as PushEventType,
      id: EVENT_ID,
      timestamp: EXAMPLE_TIME,
      token: { address: EXAMPLE_ADDRESS, name: 'Moon Pepe', symbol: 'MPEPE' },
      ...fields,
    };
    registry.registerWebhook({
      method: 'post',
      path: type,
      operationId: `on_${type.replace('.', '_')}`,
      tags: ['Webhooks'],
      summary,
      description:
        'Delivered at least once, in no particular order. Signed by Standard Webhooks 1.0. Any 2xx within 15 s is success; 410 disables the webhook; redirects are not followed. The body stays under 20 kB.',
      security: [],
      request: {
        headers: signatureHeaders,
        body: {
          required: true,
          content: {
            'application/json': { schema, example },
          },
        },
      },
      responses: {
        '2XX': { description: 'Delivered; the body is not read' },
        410: { description: 'Gone: the webhook is disabled' },
      },
    });
  }
};
