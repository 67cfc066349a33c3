import { EVENT_ID_PATTERN, type PushEventType } from '../../shared/events/pushEvent.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import type { Caller, Gatekeeper } from '../accounts/admission.ts';
import { nextTier, type Plans } from '../accounts/plans.ts';
import { ApiError, errorSchema, insufficientTier, unavailable } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { successB } from '../server/present.ts';
import { envelopeB, isoDateTime, z } from '../server/schema.ts';
import { STREAMED_TYPES } from './channels.ts';
import type { Streams } from './createStreams.ts';
import { PROCESS_LEASE_MS } from './streamLimit.ts';
import { isEventId } from './subscription.ts';

const TICKET_LENGTH_MAX = 100;
const EVENTS_LENGTH_MAX = 500;
const HTTP_UPGRADE_REQUIRED = 426;

/** Dependencies of the stream operations. */
export interface StreamPorts {
  readonly streams: Streams;
  readonly gatekeeper: Pick<Gatekeeper, 'issueTicket'>;
  readonly plans: Plans;
  readonly baseUrl: string;
}

const OPERATION = { tag: 'Streams', lowestTier: 'pro' } as const;

/**
 * @throws ApiError 403 if the family has as many streams as its tier allows, 503 if this process has reached its
 * maximum.
 */
const acquirePermit = async (
  { streams, plans, baseUrl }: StreamPorts,
  caller: Caller,
): Promise<string> => {
  if (streams.isFull()) throw unavailable('Too many streams are open');
  const permit = await streams.acquirePermit(caller);
  if (permit !== undefined) return permit;
  throw insufficientTier({
    message: `Tier ${caller.tier} has ${plans[caller.tier].streams} open streams`,
    tier: caller.tier,
    requiredTier: nextTier(caller.tier),
    upgradeUrl: `${baseUrl}/dashboard/plans`,
    // Some of them may belong to a process that died.
    retryAfterS: PROCESS_LEASE_MS / 1_000,
  });
};

const ticketSchema = z.object({
  ticket: z.string().openapi({ description: 'for /api/ws?ticket=…, once' }),
  expires_at: isoDateTime,
});

/** POST /api/ws/ticket */
export const createTicket = ({ gatekeeper }: StreamPorts): Endpoint =>
  defineEndpoint({
    ...OPERATION,
    method: 'post',
    path: '/api/ws/ticket',
    id: 'createTicket',
    summary: 'Ticket for a WebSocket',
    description:
      'Takes no body. For browsers, which cannot send headers with a WebSocket: the ticket opens one WebSocket within 60 seconds, for the key that requested it.',
    response: envelopeB(ticketSchema),
    successes: { 201: 'The ticket' },
    errors: [403],
    handle: async ({ caller }) => {
      const { ticket, expiresAtMs } = await gatekeeper.issueTicket(caller);
      const data = { ticket, expires_at: isoTime(expiresAtMs) };
      return { status: 201, body: successB(data), headers: { 'Cache-Control': 'no-store' } };
    },
  });

const upgradeRequired = (): ApiError =>
  new ApiError({
    status: HTTP_UPGRADE_REQUIRED,
    error: 'Upgrade required',
    code: 'REQ_001',
    message: 'This path speaks WebSocket only',
    headers: { Upgrade: 'websocket', Connection: 'Upgrade' },
  });

/** GET /api/ws */
export const openSocket = (ports: StreamPorts): Endpoint =>
  defineEndpoint({
    ...OPERATION,
    method: 'get',
    path: '/api/ws',
    id: 'openSocket',
    isSocket: true,
    summary: 'WebSocket of events',
    description:
      'The key comes by `X-API-Key` or `Authorization: Bearer`; from browsers by `Sec-WebSocket-Protocol: tsd.v1, key.<API_KEY>` or by a ticket. ' +
      'Channels: alerts, scams, predictions, verdicts, jobs, one subscription each. `{"op":"subscribe","id":"1","channel":"alerts","filter":{"min_severity":"warning"},"last_event_id":"msg_…"}` is answered by `{"op":"subscribed","id":"1","channel":"alerts","replayed":2}` and then by events; `last_event_id` resumes with missed events of the last 24 hours; who gives none gets one in the answer, to resume from before the first event. ' +
      'Close codes: 4401 key invalid or revoked, 4403 tier, 4408 idle, 4409 too slow (1 MiB waiting), 4429 more than 60 messages a minute, 1012 restart. Pro has 5 open streams, Enterprise 50, further ones are refused with 403; opening one costs one unit, events cost none.',
    query: z.object({ ticket: z.string().max(TICKET_LENGTH_MAX).optional() }).strict(),
    response: errorSchema,
    successes: { 101: 'The WebSocket is open', 426: 'The request was not for a WebSocket' },
    errors: [403],
    handle: async ({ caller, isUpgrade }) => {
      if (!isUpgrade) throw upgradeRequired();
      const permit = await acquirePermit(ports, caller);
      return {
        opening: {
          kind: 'socket',
          accept: (socket) => ports.streams.openSocket(socket, caller, permit),
        },
      };
    },
  });

const isStreamed = (text: string): text is PushEventType =>
  (STREAMED_TYPES as readonly string[]).includes(text);

const STREAMED = STREAMED_TYPES.map((name) => name.replaceAll('.', '\\.')).join('|');

/** Names separated by commas. */
const eventsField = z
  .string()
  .max(EVENTS_LENGTH_MAX)
  .transform((text, context): PushEventType[] => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))];
    const known = names.filter(isStreamed);
    if (known.length === names.length) return known;
    const message = `must be names out of ${STREAMED_TYPES.join(', ')}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .optional()
  .openapi({
    type: 'string',
    pattern: `^(${STREAMED})(,(${STREAMED}))*$`,
    description: `names out of ${STREAMED_TYPES.join(', ')}, separated by commas`,
    example: STREAMED_TYPES.slice(0, 2).join(','),
  });

const eventIdField = z.string().regex(EVENT_ID_PATTERN, 'must be the id of an event').optional();

/** GET /api/events */
export const openEvents = (ports: StreamPorts): Endpoint =>
  defineEndpoint({
    ...OPERATION,
    method: 'get',
    path: '/api/events',
    id: 'openEvents',
    isStream: true,
    summary: 'Stream of server-sent events',
    description:
      'Lines `id`, `event` and `data`; the data is what webhooks get. A comment every 15 seconds keeps the connection alive. `Last-Event-ID`, or `last_event_id`, resumes with missed events of the last 24 hours; without either, the first block has an `id` without data, from which you can resume before the first event. The last event before the service ends a stream is `close`, with the code a WebSocket would get. Counts as one of the open streams of the family.',
    query: z.object({ events: eventsField, last_event_id: eventIdField }).strict(),
    response: z.string(),
    successes: { 200: 'The stream' },
    otherTypes: { 'text/event-stream': 'Events, until either side ends the stream' },
    errors: [403],
    handle: async ({ caller, query, header }) => {
      const offered = header('last-event-id');
      const resumed = offered !== undefined && isEventId(offered) ? offered : undefined;
      const permit = await acquirePermit(ports, caller);
      const stream = ports.streams.openEvents({
        caller,
        permit,
        types: query.events ?? STREAMED_TYPES,
        // The id that a client reconnects with is newer than the one in its address.
        lastEventId: resumed ?? query.last_event_id,
      });
      return { opening: { kind: 'events', stream } };
    },
  });
