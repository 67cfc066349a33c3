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
/**
 * Clock difference: an event may be stored in the log earlier, by the log's clock, than it was created by its
 * producer's.
 */
const CLOCK_SKEW_MS = 60_000;
/** Events per replay; a client that missed more subscribes again from the last one. */
const REPLAY_EVENTS_MAX = 5_000;
/** Events that may arrive during a replay. */
const HELD_EVENTS_MAX = 5_000;
/** Replays that run at the same time, so that a reconnection of all clients does not block the log. */
const REPLAYS_MAX = 8;

/** Which events are wanted. */
export interface SubscriptionRequest {
  readonly family: string;
  readonly types: readonly PushEventType[];
  readonly filter: EventFilter | null;
  /** The last event that arrived: later ones are replayed first. */
  readonly lastEventId?: string | undefined;
}

/** Events missed since the last one received. */
export interface Missed {
  readonly events: readonly OutgoingEvent[];
  /** Whether there were more: the client must subscribe again. */
  readonly isCut: boolean;
  /** Whether the log no longer reaches back to the last event: events may be lost. */
  readonly isGap: boolean;
  /** For a client without an event yet: an id from which it can resume. */
  readonly startId?: string;
}

/** Receives a subscription's events. */
export interface Outlet {
  /** Missed events, before anything else. Resolves when there is room for more. */
  begin(missed: Missed): Promise<void>;
  send(outgoing: OutgoingEvent): void;
  /** More events arrive than can be buffered. */
  overflow(): void;
}

/** Delivers wanted events, missed ones first, each once. */
export type Subscribe = (
  request: SubscriptionRequest,
  outlet: Outlet,
) => { started: Promise<void>; end: () => void };

/** Whether a text can be an event id to resume from. */
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
  // An id from the future cannot be ours.
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

/** Dependencies of an open stream. */
export interface SessionPorts {
  readonly subscribe: Subscribe;
  readonly registry: Pick<Registry, 'add' | 'remove'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** For a client that starts now; a replay from this id reaches back as far as clocks may differ. */
const beginning = (nowMs: number): Missed => {
  const startId = eventId('beginning', nowMs);
  return { events: [], isCut: false, isGap: false, startId };
};

/**
 * Events that arrive during a replay are buffered and sent after it. The replay ends at the sequence number where
 * buffering began, so nothing is lost and nothing is sent twice.
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
