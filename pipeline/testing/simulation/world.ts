import type { ChainEvent } from '../../../shared/chain/chainEvent.ts';
import type { AlertMessage } from '../../../shared/messages/alertMessage.ts';
import { decodeChainEvent } from '../../../shared/messages/chainMessage.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import type { WatchChanged, WatchItem } from '../../../shared/messages/watchMessage.ts';
import type { SequencedEvent } from '../../../shared/platform/chainConsumer.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { Random } from '../../../shared/testing/random.ts';
import { createFakeStream, type FakeStream } from '../../watcher/testing/scriptedWatcher.ts';
import { createDatabase, type Database } from './database.ts';
import type { Statement } from './fakeFactStores.ts';
import { createProgramme, type Programme } from './programme.ts';

/** One run of a process. After it has been killed, none of its pending work ever continues. */
export interface Life {
  readonly role: string;
  isAlive: boolean;
}

/** Failures of an input or output: before it took effect, or after. */
type Trouble = 'none' | 'failsBefore' | 'failsAfter' | 'diesBefore' | 'diesAfter';

/** Virtual milliseconds of one step. */
const STEP_MS = 5;
const START_MS = 1_700_000_000_000;

/** Resolves when everything has happened that needs no input or output. */
export const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = (): Promise<never> => new Promise(() => undefined);

/** @param troubleOneIn one in this many inputs and outputs fails. */
export const createScheduler = (random: Random, troubleOneIn: number) => {
  let waiting: { readonly life: Life; readonly resume: () => void }[] = [];
  let nowMs = START_MS;
  let isCalm = false;

  const pause = (life: Life): Promise<void> =>
    new Promise((resume) => {
      if (life.isAlive) waiting.push({ life, resume });
    });
  const draw = (): Trouble => {
    if (isCalm || !random.oneIn(troubleOneIn)) return 'none';
    return random.pick(['failsBefore', 'failsAfter', 'diesBefore', 'diesAfter'] as const);
  };
  const die = (life: Life): Promise<never> => {
    life.isAlive = false;
    return never();
  };

  return {
    /** Waits for its turn; forever once the process was killed. */
    pause,
    /** One input or output with its possible failures. `failure` creates the error it may end with. */
    io: async <T>(life: Life, failure: () => Error, effect: () => T): Promise<T> => {
      if (!life.isAlive) return never();
      const trouble = draw();
      await pause(life);
      if (trouble === 'diesBefore') return die(life);
      if (trouble === 'failsBefore') throw failure();
      const result = effect();
      if (trouble === 'diesAfter') return die(life);
      await pause(life);
      if (trouble === 'failsAfter') throw failure();
      return result;
    },
    /** Whether something fails now that no `io` decides. */
    troubles: (): boolean => draw() !== 'none',
    /** Lets one waiting step continue. False: nothing waits. */
    step: async (): Promise<boolean> => {
      waiting = waiting.filter(({ life }) => life.isAlive);
      if (waiting.length === 0) return false;
      const [next] = waiting.splice(random.below(waiting.length), 1);
      nowMs += STEP_MS;
      next?.resume();
      // Everything that follows without another input or output happens before the next step.
      await immediate();
      return true;
    },
    /** Stops failures and crashes from now on. */
    calm: (): void => {
      isCalm = true;
    },
    clock: (life: Life): Clock => ({ now: () => nowMs, sleep: () => pause(life) }),
  };
};
/**
 * Chooses which pending step of which process continues next, by the seed alone. Every input and output of the
 * simulated processes waits here twice: before it takes effect, and before the process gets its result.
 */
export type Scheduler = ReturnType<typeof createScheduler>;

/** Statements of a process's database, each with its possible failures. */
export const statementsOf =
  (scheduler: Scheduler, life: Life): Statement =>
  (effect) =>
    scheduler.io(life, () => new RetryableError('fake ClickHouse: no answer'), effect);

/** The stream's state of a reader, which outlives its process. */
interface Durable {
  acknowledged: number;
  /** Highest sequence that any of its processes has seen. */
  delivered: number;
  /** Whether one of them is handling something now, or died doing so and has not been replaced. */
  isAtWork: boolean;
}

/** Maximum messages handled at once. */
const BATCH_MAX = 12;
/** One in this many batches loses its acknowledgement. */
const LOST_ACK_ONE_IN = 8;

const decoded = new WeakMap<Uint8Array, ChainEvent>();

/** Each message is decoded once, because events are immutable. */
export const eventOf = (data: Uint8Array): ChainEvent => {
  const known = decoded.get(data);
  if (known) return known;
  const event = decodeChainEvent(data);
  decoded.set(data, event);
  return event;
};

/**
 * The contract of `consumeChain` in memory: in order, the same batch again after a RetryableError, everything since
 * the last acknowledgement again after a restart, everything again when the stream went back.
 */
export const consumeFake = async (parts: {
  readonly stream: FakeStream;
  readonly durable: Durable;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly life: Life;
  readonly handle: (batch: readonly SequencedEvent[]) => Promise<void>;
}): Promise<never> => {
  const { stream, durable, scheduler, random, life, handle } = parts;
  let handled = 0;
  for (;;) {
    await scheduler.pause(life);
    const messages = stream.messages();
    const lastSeq = messages.at(-1)?.seq ?? 0;
    if (lastSeq < Math.max(handled, durable.acknowledged)) {
      durable.acknowledged = 0;
      handled = 0;
    }
    const after = Math.max(handled, durable.acknowledged);
    const batch = messages
      .filter(({ seq }) => seq > after)
      .slice(0, 1 + random.below(BATCH_MAX))
      .map(({ seq, data }) => ({ seq, event: eventOf(data) }));
    durable.isAtWork = batch.length > 0;
    if (!durable.isAtWork) continue;
    durable.delivered = Math.max(durable.delivered, batch.at(-1)?.seq ?? 0);
    await untilHandled(() => handle(batch), scheduler, life);
    handled = batch.at(-1)?.seq ?? handled;
    await scheduler.pause(life);
    if (!random.oneIn(LOST_ACK_ONE_IN)) durable.acknowledged = handled;
  }
};

/** Repeats work until it is not interrupted by a temporary error. */
export const untilHandled = async (
  handle: () => Promise<void>,
  scheduler: Scheduler,
  life: Life,
): Promise<void> => {
  for (;;) {
    try {
      return await handle();
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      await scheduler.pause(life);
    }
  }
};

/** The stream of verdicts, and its state of the only reader. */
interface Scores {
  readonly messages: ScoreMessage[];
  acknowledged: number;
}

/** Everything outside the processes, which outlives them all. */
export interface World {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly programme: Programme;
  readonly stream: FakeStream;
  readonly database: Database;
  readonly durables: {
    readonly scorer: Durable;
    readonly alerts: Durable;
    readonly clusters: Durable;
  };
  readonly scores: Scores;
  /** All published alert events, including repetitions. */
  readonly alertMessages: AlertMessage[];
  readonly watchlists: Watchlists;
  /** Whether final history is read in ranges of many blocks. */
  readonly backfills: boolean;
}

const createWatchlists = () => {
  const items = new Map<number, WatchItem>();
  const listeners = new Set<(change: WatchChanged) => void>();
  const publish = (change: WatchChanged): void => {
    for (const listener of listeners) listener(change);
  };
  const every: WatchItem[] = [];
  return {
    items,
    listeners,
    /** All that ever existed. */
    everyItem: (): readonly WatchItem[] => every,
    add: (item: WatchItem): void => {
      every.push(item);
      items.set(item.id, item);
      publish({ v: 1, change: 'added', item });
    },
    remove: (id: number): void => {
      const item = items.get(id);
      items.delete(id);
      if (item) publish({ v: 1, change: 'removed', item });
    },
  };
};
/** The watchlists: contents of Redis, and the followers of changes. */
type Watchlists = ReturnType<typeof createWatchlists>;

/** A world in which nothing runs yet. */
export const createWorld = (random: Random, scheduler: Scheduler): World => ({
  random,
  scheduler,
  programme: createProgramme(random),
  stream: createFakeStream(),
  database: createDatabase(random.oneIn(2)),
  durables: {
    scorer: { acknowledged: 0, delivered: 0, isAtWork: false },
    alerts: { acknowledged: 0, delivered: 0, isAtWork: false },
    clusters: { acknowledged: 0, delivered: 0, isAtWork: false },
  },
  scores: { messages: [], acknowledged: 0 },
  alertMessages: [],
  watchlists: createWatchlists(),
  backfills: random.oneIn(2),
});
