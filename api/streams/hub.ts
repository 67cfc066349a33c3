import { eventsOf } from '../../shared/events/eventsOf.ts';
import type { PushEvent } from '../../shared/events/pushEvent.ts';
import { PoisonMessageError } from '../../shared/platform/errors.ts';
import type { EventLog, LoggedMessage } from '../../shared/platform/eventLog.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { channelOf } from './channels.ts';

/** Receives events as they arrive. */
export interface Listener {
  readonly family: string;
  onEvent(outgoing: OutgoingEvent): void;
}

const outgoing = (event: PushEvent) => {
  let socket: Buffer | undefined;
  let stream: Buffer | undefined;
  const { id, type, body } = event;
  return {
    event,
    /** A message of a WebSocket. */
    socketFrame: (): Buffer => {
      socket ??= Buffer.from(`{"op":"event","channel":"${channelOf(type)}",${body.slice(1)}`);
      return socket;
    },
    /** A block of an event stream (SSE). */
    streamFrame: (): Buffer => {
      stream ??= Buffer.from(`id: ${id}\nevent: ${type}\ndata: ${body}\n\n`);
      return stream;
    },
  };
};
/** An event in serialised form: serialised once, however many clients get it. */
export type OutgoingEvent = ReturnType<typeof outgoing>;

/** Listeners by family, so that an alert costs other families nothing. */
export const createHub = (args: {
  log: EventLog;
  /** Whether a family receives its alerts on streams. */
  wantsAlerts: (family: string) => boolean;
  logger: Logger;
  /** All streams must reconnect: the log was recreated, so its sequence numbers start again. */
  onReset: () => void;
}) => {
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
    run: async (signal: AbortSignal): Promise<void> => {
      const onMessage = (message: LoggedMessage): void => {
        for (const each of read(message)) dispatch(each);
        last = message.seq;
      };
      const onStart = (seq: number): void => {
        last = seq;
      };
      await log.follow({ onStart, onMessage, onReset: args.onReset }, signal);
    },
    /** Sequence number of the last message passed to listeners; undefined before the log is open. */
    seq: (): number | undefined => last,
    /** Subscribes until the returned function is called. */
    listen: (listener: Listener): (() => void) => {
      const group = families.get(listener.family) ?? new Set();
      families.set(listener.family, group.add(listener));
      return () => {
        group.delete(listener);
        if (group.size === 0 && families.get(listener.family) === group) {
          families.delete(listener.family);
        }
      };
    },
    /** The events of a message that a family may see. */
    eventsFor: (message: LoggedMessage, family: string): OutgoingEvent[] =>
      read(message).filter((each) => maySee(each, family)),
  };
};
/** One reader of the event log for all open streams of this process. */
export type Hub = ReturnType<typeof createHub>;
