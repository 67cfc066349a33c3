import type { RawData, WebSocket } from 'ws';
import { SEVERITIES } from '../../shared/messages/alertMessage.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import type { Caller } from '../accounts/admission.ts';
import { invalidInput } from '../server/middleware/shapeErrors.ts';
import { addressInput, z } from '../server/schema.ts';
import { CHANNELS, type Channel, channelOf, typesOn } from './channels.ts';
import type { OutgoingEvent } from './hub.ts';
import {
  CLOSE,
  CLOSE_MS_MAX,
  type CloseReason,
  type Session,
  WAITING_BYTES_MAX,
  writeAtPace,
} from './session.ts';
import { isEventId, type Missed, type Outlet, type SessionPorts } from './subscription.ts';

const ID_LENGTH_MAX = 64;
const ADDRESSES_MAX = 500;

const id = z.string().min(1).max(ID_LENGTH_MAX);

/** Which events of a channel are wanted; absent fields do not filter. */
const filterSchema = z
  .object({
    addresses: z.array(addressInput).max(ADDRESSES_MAX).optional(),
    min_severity: z.enum(SEVERITIES).optional(),
    min_confidence: z.number().min(0).max(1).optional(),
    job_id: z.string().max(ID_LENGTH_MAX).optional(),
  })
  .strict();

/** Messages that a client may send on a WebSocket, by `op`. */
const clientMessageOps = z.discriminatedUnion('op', [
  z
    .object({
      op: z.literal('subscribe'),
      id,
      channel: z.enum(CHANNELS),
      filter: filterSchema.optional(),
      last_event_id: z.string().refine(isEventId, 'must be the id of an event').optional(),
    })
    .strict(),
  z.object({ op: z.literal('unsubscribe'), id }).strict(),
]);
const clientMessageSchema = clientMessageOps.refine(
  (message) =>
    message.op !== 'subscribe' ||
    message.channel === 'jobs' ||
    message.filter?.job_id === undefined,
  { path: ['filter', 'job_id'], message: 'is for the channel jobs: no other event has one' },
);
type ClientMessage = z.output<typeof clientMessageSchema>;

/** A message, or the error in it. */
const readClientMessage = (
  text: string,
): { message: ClientMessage } | { id: string | null; error: string } => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { id: null, error: 'message is not JSON' };
  }
  const parsed = clientMessageSchema.safeParse(json);
  if (parsed.success) return { message: parsed.data };
  const claimed = z.object({ id }).safeParse(json);
  const { op } = z.object({ op: z.string() }).safeParse(json).data ?? {};
  return {
    id: claimed.success ? claimed.data.id : null,
    error: invalidInput({ body: parsed.error }, { body: clientMessageOps.optionsMap.get(op) })
      .message,
  };
};

const PING_EVERY_MS = 30_000;
const SILENCE_MS_MAX = 60_000;
/** Messages and pings that a client may send in any burst of a minute. */
const MESSAGES_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

interface Subscription {
  readonly channel: Channel;
  readonly end: () => void;
}

/** A rate limiter whose allowance of one minute refills evenly. */
const createAllowance = (nowMs: number) => {
  let left = MESSAGES_PER_MINUTE;
  let atMs = nowMs;
  return (now: number): boolean => {
    const gained = ((now - atMs) / MINUTE_MS) * MESSAGES_PER_MINUTE;
    left = Math.min(MESSAGES_PER_MINUTE, left + Math.max(0, gained));
    atMs = now;
    left -= 1;
    return left >= 0;
  };
};

/** Messages to one client, within its limit of unsent bytes. */
const createWriter = (socket: WebSocket, close: (reason: CloseReason) => void, clock: Clock) => {
  const isOpen = (): boolean => socket.readyState === socket.OPEN;
  const write = (data: Buffer | string): void => {
    if (!isOpen()) return;
    if (socket.bufferedAmount > WAITING_BYTES_MAX) {
      close(CLOSE.tooSlow);
      return;
    }
    socket.send(data, { binary: false });
  };
  const say = (message: object): void => write(JSON.stringify(message));
  const refuse = (id: string | null, error: string, code = 'REQ_001'): void =>
    say({ op: 'error', id, code, error });
  const pipe = {
    isOpen,
    waitingBytes: () => socket.bufferedAmount,
    write: (outgoing: OutgoingEvent) => write(outgoing.socketFrame()),
  };
  const writeAll = async (events: readonly OutgoingEvent[]): Promise<void> => {
    if (!(await writeAtPace(events, pipe, clock))) close(CLOSE.tooSlow);
  };
  return { write, say, refuse, writeAll };
};
type Writer = ReturnType<typeof createWriter>;

/** The subscriptions of one client: one per channel, so that no event is sent twice. */
const createSubscriptions = (
  { subscribe, logger }: SessionPorts,
  caller: Caller,
  writer: Writer,
  close: (reason: CloseReason) => void,
) => {
  const subscriptions = new Map<string, Subscription>();
  const remove = (id: string): boolean => {
    subscriptions.get(id)?.end();
    return subscriptions.delete(id);
  };
  const outletOf = (id: string, channel: Channel): Outlet => ({
    begin: async ({ events, isCut, isGap, startId }: Missed) => {
      const gap = isGap ? { gap: true } : {};
      const start = startId === undefined ? {} : { last_event_id: startId };
      writer.say({ op: 'subscribed', id, channel, replayed: events.length, ...gap, ...start });
      await writer.writeAll(events);
      if (!isCut) return;
      remove(id);
      writer.refuse(id, 'more was missed: subscribe again from the last event');
    },
    send: (outgoing) => {
      if (channelOf(outgoing.event.type) === channel) writer.write(outgoing.socketFrame());
    },
    overflow: () => close(CLOSE.tooSlow),
  });
  const add = async (message: Extract<ClientMessage, { op: 'subscribe' }>): Promise<void> => {
    const { id, channel, filter = null, last_event_id: lastEventId } = message;
    if (subscriptions.has(id)) return writer.refuse(id, 'id is in use');
    if ([...subscriptions.values()].some((one) => one.channel === channel)) {
      return writer.refuse(id, `already subscribed to ${channel}`);
    }
    try {
      const request = { family: caller.family, types: typesOn(channel), filter, lastEventId };
      const { started, end } = subscribe(request, outletOf(id, channel));
      subscriptions.set(id, { channel, end });
      await started;
    } catch (error) {
      remove(id);
      if (error instanceof RetryableError) logger.warn({ err: error }, 'events not subscribed to');
      else logger.error({ err: error }, 'subscription failed by a bug');
      writer.refuse(id, 'events are not available; try again soon', 'SYS_002');
    }
  };
  return {
    add,
    remove,
    removeAll: () => {
      for (const id of subscriptions.keys()) remove(id);
    },
  };
};

/** ws delivers one buffer unless configured otherwise. */
const textOf = (data: RawData): string => (Buffer.isBuffer(data) ? data.toString() : '');

/** Serves one WebSocket until it closes. */
export const openSocketSession = (
  ports: SessionPorts,
  socket: WebSocket,
  { caller, id }: { caller: Caller; id: string },
): void => {
  const { registry, clock, logger } = ports;
  let seenMs = clock.now();
  let pingedMs = seenMs;
  let closedMs: number | undefined;
  const isAllowed = createAllowance(seenMs);
  const close = (reason: CloseReason): void => {
    if (closedMs !== undefined || socket.readyState !== socket.OPEN) return;
    closedMs = clock.now();
    logger.info({ keyId: caller.keyId, code: reason.code }, `stream closed: ${reason.reason}`);
    subscriptions.removeAll();
    // Waiting messages are sent first; a client that does not read them is disconnected.
    socket.close(reason.code, reason.reason);
  };
  const writer = createWriter(socket, close, clock);
  const subscriptions = createSubscriptions(ports, caller, writer, close);
  const session: Session = {
    kind: 'websocket',
    id,
    caller,
    close,
    terminate: () => socket.terminate(),
    tick: (nowMs) => {
      if (closedMs !== undefined) {
        if (nowMs - closedMs > CLOSE_MS_MAX) socket.terminate();
      } else if (nowMs - seenMs > SILENCE_MS_MAX) close(CLOSE.idle);
      else if (socket.bufferedAmount > WAITING_BYTES_MAX) close(CLOSE.tooSlow);
      else if (nowMs - pingedMs >= PING_EVERY_MS) {
        pingedMs = nowMs;
        socket.ping();
      }
    },
  };
  const receive = (): boolean => {
    seenMs = clock.now();
    if (isAllowed(seenMs)) return true;
    close(CLOSE.tooMany);
    return false;
  };
  socket.on('pong', () => {
    seenMs = clock.now();
  });
  socket.on('ping', receive);
  socket.on('message', (data, isBinary) => {
    if (socket.readyState !== socket.OPEN || !receive()) return;
    if (isBinary) return writer.refuse(null, 'messages must be text');
    const read = readClientMessage(textOf(data));
    if ('error' in read) return writer.refuse(read.id, read.error);
    const { message } = read;
    if (message.op === 'subscribe') void subscriptions.add(message);
    else if (subscriptions.remove(message.id)) {
      writer.say({ op: 'unsubscribed', id: message.id });
    } else writer.refuse(message.id, 'no such subscription');
  });
  socket.on('error', (error) => logger.debug({ err: error }, 'socket error'));
  socket.on('close', () => {
    subscriptions.removeAll();
    registry.remove(session);
  });
  registry.add(session);
};
