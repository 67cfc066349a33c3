import pLimit from 'p-limit';
import {
  type EventFilter,
  eventId,
  isWanted,
  type PushEventType,
  timeOfEventId,
} from '../../shared/events/pushEvent.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import type { EventLog } from '../../shared/platform/eventLog.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { subjectsOf } from './channels.ts';
import type { Hub, OutgoingEvent } from './hub.ts';
import type { Registry } from './registry.ts';

const DAY_MS = 24 * 3_600_000;
/** An event may be stored before, by the clock of the log, it came about by that of its maker. */
const CLOCK_SKEW_MS = 60_000;
/** Events of one replay; a client that missed more subscribes again from the last one. */
const REPLAY_EVENTS_MAX = 5_000;
/** Events that may come while a replay is sent. */
const HELD_EVENTS_MAX = 5_000;
/** Replays read at the same time, so that the reconnection of all clients does not stop the log. */
const REPLAYS_MAX = 8;

/** Which events are wanted. */
export interface SubscriptionRequest {
  readonly family: string;
  readonly types: readonly PushEventType[];
  readonly filter: EventFilter | null;
  /** The last event that arrived: what came after it is sent first. */
  readonly lastEventId?: string | undefined;
}

/** What was missed since the last event. */
export interface Missed {
  readonly events: readonly OutgoingEvent[];
  /** Whether there was more: the client has to ask again. */
  readonly isCut: boolean;
  /** Whether the log does not hold the last event's time: events may be lost. */
  readonly isGap: boolean;
  /** Where the client begins, for one that has no event yet: the id of none, to resume from. */
  readonly startId?: string;
}

/** Where a subscription's events go. */
export interface Outlet {
  /** What was missed, before anything else. Resolves when there is room for more. */
  begin(missed: Missed): Promise<void>;
  send(outgoing: OutgoingEvent): void;
  /** More comes than can be kept. */
  overflow(): void;
}

/** Delivers wanted events, first those missed, each once. */
export type Subscribe = (
  request: SubscriptionRequest,
  outlet: Outlet,
) => { started: Promise<void>; end: () => void };

/** Whether a text can be the id to resume from. */
export const isEventId = (text: string): boolean => timeOfEventId(text) !== undefined;

const readMissed = async (
  { hub, log, clock }: SubscribePorts,
  request: SubscriptionRequest,
  upToSeq: number,
): Promise<Missed> => {
  const { family, types, filter, lastEventId = '' } = request;
  const nowMs = clock.now();
  const oldestMs = nowMs - DAY_MS;
  const eventMs = timeOfEventId(lastEventId) ?? 0;
  // An id of the future is none of ours.
  const isOutside = eventMs < oldestMs || eventMs > nowMs + CLOCK_SKEW_MS;
  const fromMs = isOutside ? oldestMs : Math.max(eventMs - CLOCK_SKEW_MS, oldestMs);
  const subjects = subjectsOf(types, family);
  let events: OutgoingEvent[] = [];
  let isFound = false;
  let isCut = false;
  for await (const message of log.replay({ subjects, fromMs, upToSeq })) {
    for (const each of hub.eventsFor(message, family)) {
      if (each.event.id === lastEventId) {
        isFound = true;
        isCut = false;
        events = [];
      } else if (events.length === REPLAY_EVENTS_MAX) isCut = true;
      else if (types.includes(each.event.type) && isWanted(each.event, filter)) events.push(each);
    }
    if (isCut && isFound) break;
  }
  return { events, isCut, isGap: !isFound && isOutside };
};

interface SubscribePorts {
  readonly hub: Hub;
  readonly log: Pick<EventLog, 'replay'>;
  readonly clock: Clock;
}

/** What an open stream works with. */
export interface SessionPorts {
  readonly subscribe: Subscribe;
  readonly registry: Pick<Registry, 'add' | 'remove'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** For a client that begins now; replays from its id reach back as far as clocks may differ. */
const beginning = (nowMs: number): Missed => {
  const startId = eventId('beginning', nowMs);
  return { events: [], isCut: false, isGap: false, startId };
};

/**
 * What comes while the past is read is held, and sent after it: the past is read up to the sequence
 * number after which events are held, so nothing is lost and nothing comes twice.
 */
export const createSubscribe = (ports: SubscribePorts): Subscribe => {
  const inTurn = pLimit(REPLAYS_MAX);
  return (request, outlet) => {
    let held: OutgoingEvent[] | undefined = [];
    let hasEnded = false;
    const upToSeq = ports.hub.seq();
    if (upToSeq === undefined) throw new RetryableError('the event log is not open');
    const stop = ports.hub.listen({
      family: request.family,
      onEvent: (outgoing) => {
        const { event } = outgoing;
        if (!request.types.includes(event.type) || !isWanted(event, request.filter)) return;
        if (!held) outlet.send(outgoing);
        else if (held.length < HELD_EVENTS_MAX) held.push(outgoing);
        else outlet.overflow();
      },
    });
    const start = async (): Promise<void> => {
      const missed =
        request.lastEventId === undefined
          ? beginning(ports.clock.now())
          : await inTurn(() => readMissed(ports, request, upToSeq));
      if (hasEnded) return;
      await outlet.begin(missed);
      const rest = held ?? [];
      held = undefined;
      for (const each of rest) if (!hasEnded) outlet.send(each);
    };
    return {
      started: start(),
      end: () => {
        hasEnded = true;
        stop();
      },
    };
  };
};
