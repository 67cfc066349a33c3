import type { Clock } from '../../shared/platform/clock.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { runConcurrently } from '../../shared/platform/runConcurrently.ts';
import { createWakeUp } from '../../shared/platform/wakeUp.ts';
import { type Attempts, SLOW_MS } from './attempts.ts';
import {
  type DeliveryQueue,
  LANES,
  type Lane,
  type Lease,
  type QueueEntry,
} from './deliveryQueue.ts';

/** The slot that a webhook occupies in a lane while it is worked on. */
interface Slot {
  /**
   * Frees the slot and continues with a number of attempts outside the lane; false if too many are running there
   * already.
   */
  leave(attempts: number): boolean;
  hasLeft(): boolean;
  /** The work on the webhook has ended. */
  end(): void;
}

/**
 * Bounded slots of a lane; a receiver that does not answer holds none for long.
 * @param limits.slots webhooks in slots at the same time
 * @param limits.attemptsBeside running attempts of webhooks that have left their slots
 * @param onFree called when a slot has become free
 */
const createSlots = (
  limits: { readonly slots: number; readonly attemptsBeside: number },
  onFree: () => void,
) => {
  let taken = 0;
  let beside = 0;
  const take = (): Slot => {
    let own = 0;
    taken += 1;
    return {
      leave: (attempts) => {
        if (beside - own + attempts > limits.attemptsBeside) return false;
        if (own === 0) taken -= 1;
        beside += attempts - own;
        own = attempts;
        onFree();
        return true;
      },
      hasLeft: () => own > 0,
      end: () => {
        if (own > 0) beside -= own;
        else taken -= 1;
        onFree();
      },
    };
  };
  return { free: (): number => limits.slots - taken, take };
};

/**
 * Webhooks that this process works on at the same time. Slow and failing ones have slots of their own: with 1,000
 * receivers that never answer, those that answer quickly wait at most 23 ms, compared with 8 s in one lane for all
 * (PUSH.md).
 */
const WEBHOOKS_MAX: Readonly<Record<Lane, number>> = { ready: 64, slow: 256, failing: 128 };
/**
 * Running attempts of webhooks that turned out to be slow in the quick lane, where they leave their slots to others.
 * Together with the lanes' own this makes at most 1,664 connections: 64 · 8 + 512 + 256 · 2 + 128.
 */
const ATTEMPTS_BESIDE_MAX: Readonly<Record<Lane, number>> = { ready: 512, slow: 0, failing: 0 };
/** Concurrent attempts per webhook: if its last success was quick, and otherwise. */
const QUICK_ATTEMPTS = { whileQuick: 8, otherwise: 2 };
const ATTEMPTS_MAX = {
  ready: QUICK_ATTEMPTS,
  slow: QUICK_ATTEMPTS,
  failing: { whileQuick: 1, otherwise: 1 },
} as const;
/** Deliveries sent as one message; further ones follow in the next. */
const TOGETHER_MAX = 500;
/**
 * Milliseconds that a process stays with a webhook before others get a turn, however many deliveries are waiting.
 */
const TURN_MS_MAX = 1_000;
const RENEW_EVERY_MS = 5_000;
/** Milliseconds between polls of the schedule while nothing is known to be due. */
const POLL_MS = 500;
/** Milliseconds to pause after Redis or ClickHouse was unavailable. */
const AWAY_DELAY_MS = 1_000;

interface DispatcherPorts {
  readonly queue: Omit<DeliveryQueue, 'add' | 'record'>;
  readonly attempts: Pick<Attempts, 'attempt' | 'stored'>;
  /** Whether the due deliveries of a webhook are sent together. */
  readonly isTogether: (entry: QueueEntry) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The due deliveries of a leased webhook, grouped by what is sent at once. */
const takeGroups = async (
  { queue, clock, isTogether }: DispatcherPorts,
  held: Lease,
): Promise<QueueEntry[][]> => {
  const nowMs = clock.now();
  const entries = await queue.take(held, nowMs, ATTEMPTS_MAX[held.lane]);
  const [first] = entries;
  if (!first || !isTogether(first)) return entries.map((entry) => [entry]);
  const all = { whileQuick: TOGETHER_MAX, otherwise: TOGETHER_MAX };
  return [await queue.take(held, nowMs, all)];
};

/** A running attempt. */
interface UnderWay {
  readonly sinceMs: number;
  readonly ended: Promise<void>;
}

/**
 * Works through the due deliveries of a leased webhook. A receiver that takes long for one event still gets the next
 * ones, up to its limit of concurrent attempts; after a second these run outside its slot.
 */
const takeTurn = async (
  ports: DispatcherPorts,
  held: Lease,
  slot: Slot,
  isOver: () => boolean,
): Promise<void> => {
  const { attempts, clock } = ports;
  /**
   * By the first delivery of each group: if the group is taken again while it runs, it begins with the same one.
   */
  const underWay = new Map<string, UnderWay>();
  let failure: unknown;
  const begin = (id: string, group: readonly QueueEntry[]): void => {
    const made = attempts.attempt(group).catch((error) => {
      failure ??= error;
    });
    const ended = made.then(() => void underWay.delete(id));
    underWay.set(id, { sinceMs: clock.now(), ended });
  };
  const allEnded = () => Promise.all([...underWay.values()].map(({ ended }) => ended));
  try {
    while (failure === undefined) {
      // Running deliveries are still due, and count; they may end before the result is here.
      const asked = new Set(underWay.keys());
      const groups = isOver() ? [] : await takeGroups(ports, held);
      const next = groups
        .filter(([first]) => first && !asked.has(first.id))
        .slice(0, Math.max(0, groups.length - underWay.size));
      const hasRoom = !slot.hasLeft() || slot.leave(underWay.size + next.length);
      if (hasRoom) for (const group of next) begin(group[0]?.id ?? '', group);
      if (underWay.size === 0) break;
      const waited = new AbortController();
      await Promise.race([allEnded(), clock.sleep(POLL_MS, waited.signal)]);
      waited.abort();
      if (underWay.size === 0 && slot.hasLeft()) break;
      const sinceMs = Math.min(...[...underWay.values()].map((attempt) => attempt.sinceMs));
      if (clock.now() - sinceMs >= SLOW_MS) slot.leave(underWay.size);
    }
  } finally {
    await allEnded();
  }
  if (failure !== undefined) throw failure;
};

/** Keeps a lease alive, works, releases it. */
const workOn = async (
  ports: DispatcherPorts,
  lease: Lease,
  slot: Slot,
  signal: AbortSignal,
): Promise<void> => {
  const { queue, clock, logger } = ports;
  const endMs = clock.now() + TURN_MS_MAX;
  let held: Lease | undefined = lease;
  let renewal = Promise.resolve();
  const renewing = setInterval(() => {
    renewal = renewal.then(async () => {
      try {
        held = held && (await queue.renew(held, clock.now()));
      } catch (error) {
        logger.warn({ err: error }, 'lease not renewed');
      }
    });
  }, RENEW_EVERY_MS);
  let notBeforeMs = 0;
  try {
    // A webhook that has left its slot blocks no other.
    const isTurnOver = (): boolean => clock.now() >= endMs && !slot.hasLeft();
    await takeTurn(ports, lease, slot, () => signal.aborted || !held || isTurnOver());
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    logger.warn({ err: error, webhook: lease.webhookId }, 'deliveries wait');
    notBeforeMs = clock.now() + AWAY_DELAY_MS;
  } finally {
    clearInterval(renewing);
    await renewal;
  }
  if (!held) return;
  // The rest waits behind those already waiting. A process that cannot release the lease loses it some seconds later.
  await queue.release(held, Math.max(notBeforeMs, clock.now())).catch((error) => {
    logger.warn({ err: error, webhook: lease.webhookId }, 'lease not given back');
  });
};

const runLane = (ports: DispatcherPorts, lane: Lane) => {
  const { queue, clock, logger } = ports;
  const wakeUp = createWakeUp(clock);
  const running = new Set<Promise<void>>();
  const limits = { slots: WEBHOOKS_MAX[lane], attemptsBeside: ATTEMPTS_BESIDE_MAX[lane] };
  const slots = createSlots(limits, () => wakeUp.notify());

  const claim = async (): Promise<Lease[]> => {
    const free = slots.free();
    if (free === 0) return [];
    try {
      return await queue.claim(lane, clock.now(), free);
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      logger.warn({ err: error }, 'schedule is away');
      await clock.sleep(AWAY_DELAY_MS);
      return [];
    }
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    let bug: unknown;
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    while (!stop.aborted) {
      const leases = await claim();
      for (const lease of leases) {
        const slot = slots.take();
        const work = workOn(ports, lease, slot, stop).catch((error) => {
          bug = error;
          failed.abort();
        });
        running.add(work);
        void work.then(() => {
          running.delete(work);
          slot.end();
        });
      }
      if (leases.length === 0) await wakeUp.wait(POLL_MS, stop);
    }
    await Promise.all(running);
    if (bug !== undefined) throw bug;
  };
  return { run, wake: () => wakeUp.notify() };
};

/** The schedule's lanes, each with its own slots. */
export const createDispatcher = (ports: DispatcherPorts) => {
  const lanes = LANES.map((lane) => runLane(ports, lane));
  return {
    /** Polls the schedule now. */
    wake: (): void => {
      for (const lane of lanes) lane.wake();
    },
    /** Works until `signal` aborts; running attempts end first. */
    run: async (signal: AbortSignal): Promise<void> => {
      try {
        await runConcurrently((stop) => lanes.map((lane) => lane.run(stop)), signal);
      } finally {
        await ports.attempts.stored();
      }
    },
  };
};
/** Makes deliveries when they are due. */
export type Dispatcher = ReturnType<typeof createDispatcher>;
