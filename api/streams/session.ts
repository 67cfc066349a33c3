import type { Clock } from '../../shared/platform/clock.ts';
import type { Caller } from '../accounts/admission.ts';
import type { OutgoingEvent } from './hub.ts';

/** Why a stream is closed by the service, as the close code of a WebSocket (RFC 6455, 4000 to 4999). */
export const CLOSE = {
  restart: { code: 1012, reason: 'restart' },
  keyInvalid: { code: 4401, reason: 'key invalid or revoked' },
  tier: { code: 4403, reason: 'tier' },
  idle: { code: 4408, reason: 'idle' },
  tooSlow: { code: 4409, reason: 'too slow' },
  tooMany: { code: 4429, reason: 'too many messages' },
} as const;
export type CloseReason = (typeof CLOSE)[keyof typeof CLOSE];

/** Bytes that may wait for a client before it counts as too slow. */
export const WAITING_BYTES_MAX = 1024 * 1024;
/** Bytes that may wait while a replay is sent: the next events are sent when fewer wait. */
const REPLAY_BYTES_MAX = 256 * 1024;

/** Milliseconds a client has to read the reason of the end. */
export const CLOSE_MS_MAX = 5_000;

/** What a stream is carried by. */
export type SessionKind = 'websocket' | 'sse';

/** One open stream, whatever it is carried by. */
export interface Session {
  readonly id: string;
  readonly kind: SessionKind;
  readonly caller: Caller;
  /** Called every second. */
  tick(nowMs: number): void;
  /** Ends it with a word to the client. */
  close(reason: CloseReason): void;
  /** Ends it at once. */
  terminate(): void;
}

/** Milliseconds a client may take to make room for the next event. */
const ROOM_MS_MAX = 60_000;
const POLL_MS = 20;

/** The way to one client. */
interface Pipe {
  isOpen(): boolean;
  /** Bytes the client has not taken yet. */
  waitingBytes(): number;
  write(outgoing: OutgoingEvent): void;
}

/** Writes events as fast as the client takes them. Resolves to false where it takes none. */
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
