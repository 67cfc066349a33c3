import { Readable } from 'node:stream';
import type { PushEventType } from '../../shared/events/pushEvent.ts';
import type { Caller } from '../accounts/admission.ts';
import type { OutgoingEvent } from './hub.ts';
import {
  CLOSE,
  CLOSE_MS_MAX,
  type CloseReason,
  type Session,
  WAITING_BYTES_MAX,
  writeAtPace,
} from './session.ts';
import type { Outlet, SessionPorts } from './subscription.ts';

const HEARTBEAT_MS = 15_000;
/** Milliseconds that a client waits before it reconnects. */
const RETRY_MS = 2_000;

/** The client's request. */
export interface EventStreamWish {
  readonly caller: Caller;
  /** Releases its permit. */
  readonly id: string;
  readonly types: readonly PushEventType[];
  readonly lastEventId: string | undefined;
}

/**
 * Events as text/event-stream, until either side closes it.
 * @throws RetryableError if the event log is not open.
 */
export const openEventStream = (
  { subscribe, registry, clock, logger }: SessionPorts,
  { caller, id, types, lastEventId }: EventStreamWish,
): Readable => {
  let beatMs = clock.now();
  let closedMs: number | undefined;
  const stream = new Readable({ read: () => undefined });
  const write = (data: Buffer | string): void => {
    if (stream.destroyed || closedMs !== undefined) return;
    beatMs = clock.now();
    stream.push(data);
    if (stream.readableLength > WAITING_BYTES_MAX) close(CLOSE.tooSlow);
  };
  /** The last message goes to clients that still read; others are disconnected. */
  const close = ({ code, reason }: CloseReason): void => {
    if (stream.destroyed || closedMs !== undefined) return;
    closedMs = clock.now();
    logger.info({ keyId: caller.keyId, code }, `stream closed: ${reason}`);
    end();
    if (code === CLOSE.tooSlow.code) {
      stream.destroy();
      return;
    }
    stream.push(`event: close\ndata: ${JSON.stringify({ code, reason })}\n\n`);
    stream.push(null);
  };
  const outlet: Outlet = {
    begin: async ({ events, isCut, isGap, startId }) => {
      const place = startId === undefined ? '' : `id: ${startId}\n`;
      write(`retry: ${RETRY_MS}\n: ${isGap ? 'gap' : 'open'}\n${place}\n`);
      const pipe = {
        isOpen: () => !stream.destroyed,
        waitingBytes: () => stream.readableLength,
        write: (outgoing: OutgoingEvent) => write(outgoing.streamFrame()),
      };
      if (!(await writeAtPace(events, pipe, clock))) close(CLOSE.tooSlow);
      // The client reconnects by itself and resumes after its last event.
      if (isCut) close(CLOSE.restart);
    },
    send: (outgoing) => write(outgoing.streamFrame()),
    overflow: () => close(CLOSE.tooSlow),
  };
  const request = { family: caller.family, types, filter: null, lastEventId };
  const { started, end } = subscribe(request, outlet);
  const session: Session = {
    kind: 'sse',
    id,
    caller,
    close,
    terminate: () => void stream.destroy(),
    tick: (nowMs) => {
      if (closedMs !== undefined) {
        if (nowMs - closedMs > CLOSE_MS_MAX) stream.destroy();
        return;
      }
      if (nowMs - beatMs >= HEARTBEAT_MS) write(': beat\n\n');
    },
  };
  stream.on('close', () => {
    end();
    registry.remove(session);
  });
  registry.add(session);
  started.catch((error) => {
    logger.warn({ err: error }, 'events not subscribed to');
    close(CLOSE.restart);
  });
  return stream;
};
