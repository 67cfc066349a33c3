import type { Clock } from '../../shared/runtime/clock.ts';
import type { OutgoingEvent } from './hub.ts';
import { REPLAY_BYTES_MAX } from './session.ts';

/** Milliseconds a client may take to make room for the next event. */
const ROOM_MS_MAX = 60_000;
const POLL_MS = 20;

/** The way to one client. */
export interface Pipe {
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
