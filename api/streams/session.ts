import type { Clock } from '../../shared/platform/clock.ts';
import type { Caller } from '../accounts/admission.ts';
import type { OutgoingEvent } from './hub.ts';

/** Why the service closes a stream, as a WebSocket close code (RFC 6455, 4000 to 4999). */
export const CLOSE = {
  restart: { code: 1012, reason: 'restart' },
  keyInvalid: { code: 4401, reason: 'key invalid or revoked' },
  tier: { code: 4403, reason: 'tier' },
  idle: { code: 4408, reason: 'idle' },
  tooSlow: { code: 4409, reason: 'too slow' },
  tooMany: { code: 4429, reason: 'too many messages' },
} as const;
export type CloseReason = (typeof CLOSE)[keyof typeof CLOSE];

/** Unsent bytes above which a client counts as too slow. */
export const WAITING_BYTES_MAX = 1024 * 1024;
/** Unsent bytes allowed during a replay: the next events are sent when fewer are waiting. */
const REPLAY_BYTES_MAX = 256 * 1024;

/** Milliseconds that a client has to read the reason for closing. */
export const CLOSE_MS_MAX = 5_000;

/** The transport of a stream. */
export type SessionKind = 'websocket' | 'sse';

/** One open stream, on any transport. */
export interface Session {
  readonly id: string;
  readonly kind: SessionKind;
  readonly caller: Caller;
  /** Called every second. */
  tick(nowMs: number): void;
  /** Closes it with a reason. */
  close(reason: CloseReason): void;
  /** Closes it at once. */
  terminate(): void;
}

/** Milliseconds that a client may take to make room for the next event. */
const ROOM_MS_MAX = 60_000;
const POLL_MS = 20;

/** The connection to one client. */
interface Pipe {
  isOpen(): boolean;
  /** Bytes that the client has not read yet. */
  waitingBytes(): number;
  write(outgoing: OutgoingEvent): void;
}

/** Writes events as fast as the client reads them. Resolves to false if it stops reading. */
export const writeAtPace = async (
  events: readonly OutgoingEvent[],
  pipe: Pipe,
  clock: Clock,
): Promise<boolean> => {
  for (const outgoing of events) {
    const endMs = clock.now() + ROOM_MS_MAX;
    while (pipe.isOpen() && pipe.waitingBytes() > REPLAY_BYTES_MAX) {
      if (clock.now() > endMs) return false;
      await clock.sleep(POLL_MS);
    }
    pipe.write(outgoing);
  }
  return true;
};
