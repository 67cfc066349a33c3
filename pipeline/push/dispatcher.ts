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

/** The slot that one webhook takes in a lane while it is worked on. */
interface Slot {
  /** Leaves it to others and goes on with so many attempts beside the lane; false where too many are there already. */
  leave(attempts: number): boolean;
  hasLeft(): boolean;
  /** The work on the webhook has ended. */
  end(): void;
}

/**
 * Slots of a lane: bounded, and none is held for long by a receiver that does not answer.
 * @param limits.slots webhooks in their slots at the same time
 * @param limits.attemptsBeside attempts under way of webhooks that have left their slots
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
 * Webhooks worked on at the same time by this process. Those that answer slowly and those that fail have slots
 * of their own: of 1,000 receivers that never answer, those that answer quickly wait 23 ms at most, and 8 s in one lane for all (PUSH.md).
 */
const WEBHOOKS_MAX: Readonly<Record<Lane, number>> = { ready: 64, slow: 256, failing: 128 };
/**
 * Attempts under way of webhooks that turned out to be slow in the lane of the quick ones, where they leave their
 * slots to others. With the lanes' own this makes 1,664 connections at the most: 64 · 8 + 512 + 256 · 2 + 128.
 */
const ATTEMPTS_BESIDE_MAX: Readonly<Record<Lane, number>> = { ready: 512, slow: 0, failing: 0 };
/** Attempts under way for one webhook: where its last success came quickly, and else. */
const QUICK_ATTEMPTS = { whileQuick: 8, otherwise: 2 };
const ATTEMPTS_MAX = {
  ready: QUICK_ATTEMPTS,
  slow: QUICK_ATTEMPTS,
  failing: { whileQuick: 1, otherwise: 1 },
} as const;
/** Deliveries sent as one message; further ones follow in the next. */
const TOGETHER_MAX = 500;
/** How long a process stays with a webhook before others get a turn, however much waits for it. */
const TURN_MS_MAX = 1_000;
const RENEW_EVERY_MS = 5_000;
/** How often the schedule is looked at while nothing is known to be due. */
const POLL_MS = 500;
/** Pause after Redis or ClickHouse was away. */
const AWAY_DELAY_MS = 1_000;

interface DispatcherPorts {
  readonly queue: Omit<DeliveryQueue, 'add' | 'record'>;
  readonly attempts: Pick<Attempts, 'attempt' | 'stored'>;
  /** Whether what is due at the webhook of a delivery is sent together. */
  readonly isTogether: (entry: QueueEntry) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What of a leased webhook is due, by what is sent in one go. */
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

/** An attempt under way. */
interface UnderWay {
  readonly sinceMs: number;
  readonly ended: Promise<void>;
}

/**
 * Works through what of a leased webhook is due. A receiver that takes long for one event gets the next ones all the same, as many
 * at a time as it may; after a second it does so beside its slot.
 */
const takeTurn = async (
  ports: DispatcherPorts,
  held: Lease,
  slot: Slot,
  isOver: () => boolean,
): Promise<void> => {
  const { attempts, clock } = ports;
  /** By the first delivery of each group: what is taken again while it is under way begins with it, too. */
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
      // What is under way is still due, and counts; it may end before the answer is here.
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

/** Keeps a lease alive, works, gives it back. */
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
    // Whoever has left the slot keeps no other webhook waiting.
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
  // What is left waits behind those that wait already. A process that cannot say so loses the lease some seconds later.
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
    /** Looks at the schedule now. */
    wake: (): void => {
      for (const lane of lanes) lane.wake();
    },
    /** Works until `signal` aborts; attempts under way end first. */
    run: async (signal: AbortSignal): Promise<void> => {
      try {
        await runConcurrently((stop) => lanes.map((lane) => lane.run(stop)), signal);
      } finally {
        await ports.attempts.stored();
      }
    },
  };
};
/** Carries deliveries out when they are due. */
export type Dispatcher = ReturnType<typeof createDispatcher>;
