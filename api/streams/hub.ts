import { eventsOf } from '../../shared/events/eventsOf.ts';
import type { PushEvent } from '../../shared/events/pushEvent.ts';
import { PoisonMessageError } from '../../shared/platform/errors.ts';
import type { EventLog, LoggedMessage } from '../../shared/platform/eventLog.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { channelOf } from './channels.ts';

/** An event as it goes out: its bytes are made once, however many get them. */
export interface OutgoingEvent {
  readonly event: PushEvent;
  /** A message of a WebSocket. */
  socketFrame(): Buffer;
  /** A block of an event stream (SSE). */
  streamFrame(): Buffer;
}

/** Receives events as they come. */
export interface Listener {
  readonly family: string;
  onEvent(outgoing: OutgoingEvent): void;
}

/** One reader of the event log for all open streams of this process. */
export interface Hub {
  run(signal: AbortSignal): Promise<void>;
  /** Sequence number of the last message that listeners got; undefined before the log is open. */
  seq(): number | undefined;
  /** From now on, until the returned function is called. */
  listen(listener: Listener): () => void;
  /** The events of a message that a family may see. */
  eventsFor(message: LoggedMessage, family: string): OutgoingEvent[];
}

const outgoing = (event: PushEvent): OutgoingEvent => {
  let socket: Buffer | undefined;
  let stream: Buffer | undefined;
  const { id, type, body } = event;
  return {
    event,
    socketFrame: () => {
      socket ??= Buffer.from(`{"op":"event","channel":"${channelOf(type)}",${body.slice(1)}`);
      return socket;
    },
    streamFrame: () => {
      stream ??= Buffer.from(`id: ${id}\nevent: ${type}\ndata: ${body}\n\n`);
      return stream;
    },
  };
};

/** Listeners by family, so that an alert costs other families nothing. */
export const createHub = (args: {
  log: EventLog;
  /** Whether a family gets its alerts on streams. */
  wantsAlerts: (family: string) => boolean;
  logger: Logger;
  /** All streams have to reconnect: the log was made again and its sequence numbers with it. */
  onReset: () => void;
}): Hub => {
  const { log, wantsAlerts, logger } = args;
  const families = new Map<string, Set<Listener>>();
  let last: number | undefined;

  const read = (message: LoggedMessage): OutgoingEvent[] => {
    try {
      return eventsOf(message).map(outgoing);
    } catch (error) {
      if (!(error instanceof PoisonMessageError)) throw error;
      // The push process makes it a dead letter.
      logger.error({ err: error, seq: message.seq }, 'event cannot be read');
      return [];
    }
  };
  const maySee = ({ event }: OutgoingEvent, family: string): boolean =>
    (event.family === undefined || event.family === family) &&
    (event.type !== 'watchlist.alert' || wantsAlerts(family));

  const dispatch = (each: OutgoingEvent): void => {
    const { family } = each.event;
    const groups = family === undefined ? families.values() : [families.get(family) ?? []];
    for (const group of groups) {
      for (const listener of group) if (maySee(each, listener.family)) listener.onEvent(each);
    }
  };

  return {
    run: async (signal) => {
      const onMessage = (message: LoggedMessage): void => {
        for (const each of read(message)) dispatch(each);
        last = message.seq;
      };
      const onStart = (seq: number): void => {
        last = seq;
      };
      await log.follow({ onStart, onMessage, onReset: args.onReset }, signal);
    },
    seq: () => last,
    listen: (listener) => {
      const group = families.get(listener.family) ?? new Set();
      families.set(listener.family, group.add(listener));
      return () => {
        group.delete(listener);
        if (group.size === 0 && families.get(listener.family) === group) {
          families.delete(listener.family);
        }
      };
    },
    eventsFor: (message, family) => read(message).filter((each) => maySee(each, family)),
  };
};
