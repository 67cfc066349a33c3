import type { Clock } from '../../shared/runtime/clock.ts';
import { RetryableError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createWakeUp } from '../../shared/runtime/wakeUp.ts';
import type { Attempts } from './attempts.ts';
import { type DeliveryQueue, LANES, type Lane, type Lease } from './deliveryQueue.ts';

/**
 * Webhooks worked on at the same time by this process. Those that are failing have places of their
 * own: however many hang, those that answer never wait for them.
 */
const WEBHOOKS_MAX: Readonly<Record<Lane, number>> = { ready: 64, slow: 64 };
/** Attempts under way for one webhook; one at a time while it is failing. */
const ATTEMPTS_PER_WEBHOOK_MAX = 8;
/** How long a process stays with a webhook before others get a turn. */
const TURN_MS_MAX = 10_000;
const RENEW_EVERY_MS = 5_000;
/** How often the schedule is looked at while nothing is known to be due. */
const POLL_MS = 500;
/** Pause after Redis or ClickHouse was away. */
const AWAY_DELAY_MS = 1_000;

export interface DispatcherPorts {
  readonly queue: Omit<DeliveryQueue, 'add' | 'settle'>;
  readonly attempts: Pick<Attempts, 'attempt' | 'stored'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Carries deliveries out when they are due. */
export interface Dispatcher {
  /** Looks at the schedule now. */
  wake(): void;
  /** Works until `signal` aborts; attempts under way end first. */
  run(signal: AbortSignal): Promise<void>;
}

/** Works through what of a leased webhook is due. Resolves to the earliest moment of the next turn. */
const takeTurn = async (ports: DispatcherPorts, held: Lease, isOver: () => boolean) => {
  const { queue, attempts, clock } = ports;
  const limits = { deliveries: ATTEMPTS_PER_WEBHOOK_MAX, whileFailing: 1 };
  while (!isOver()) {
    const entries = await queue.take(held.webhookId, clock.now(), limits);
    if (entries.length === 0) break;
    const made = await Promise.allSettled(entries.map((entry) => attempts.attempt(entry)));
    const failure = made.find((one) => one.status === 'rejected');
    if (failure) throw failure.reason;
  }
};

/** Keeps a lease alive, works, gives it back. */
const workOn = async (ports: DispatcherPorts, lease: Lease, signal: AbortSignal): Promise<void> => {
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
    await takeTurn(ports, lease, () => signal.aborted || !held || clock.now() >= endMs);
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    logger.warn({ err: error, webhook: lease.webhookId }, 'deliveries wait');
    notBeforeMs = clock.now() + AWAY_DELAY_MS;
  } finally {
    clearInterval(renewing);
    await renewal;
  }
  if (!held) return;
  // Whoever cannot say so loses the lease by itself, some seconds later.
  await queue.release(held, notBeforeMs).catch((error) => {
    logger.warn({ err: error, webhook: lease.webhookId }, 'lease not given back');
  });
};

const runLane = (ports: DispatcherPorts, lane: Lane) => {
  const { queue, clock, logger } = ports;
  const wakeUp = createWakeUp(clock);
  const running = new Set<Promise<void>>();

  const claim = async (): Promise<Lease[]> => {
    const free = WEBHOOKS_MAX[lane] - running.size;
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
        const work = workOn(ports, lease, stop).catch((error) => {
          bug = error;
          failed.abort();
        });
        running.add(work);
        void work.then(() => {
          running.delete(work);
          wakeUp.notify();
        });
      }
      if (leases.length === 0) await wakeUp.wait(POLL_MS, stop);
    }
    await Promise.all(running);
    if (bug !== undefined) throw bug;
  };
  return { run, wake: () => wakeUp.notify() };
};

/** The schedule's two lanes, each with its own places. */
export const createDispatcher = (ports: DispatcherPorts): Dispatcher => {
  const lanes = LANES.map((lane) => runLane(ports, lane));
  return {
    wake: () => {
      for (const lane of lanes) lane.wake();
    },
    run: async (signal) => {
      const failed = new AbortController();
      const stop = AbortSignal.any([signal, failed.signal]);
      const running = lanes.map((lane) => lane.run(stop).finally(() => failed.abort()));
      await Promise.allSettled(running);
      await ports.attempts.stored();
      await Promise.all(running);
    },
  };
};
