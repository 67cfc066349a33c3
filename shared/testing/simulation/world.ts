import type { ScoreMessage } from '../../messages/scoreMessage.ts';
import type { WatchChanged, WatchItem } from '../../messages/watchMessage.ts';
import { createFakeStream, type FakeStream } from '../fakeStream.ts';
import { createDatabase, type Database } from './database.ts';
import type { Durable } from './fakeConsumer.ts';
import { createProgramme, type Programme } from './programme.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

/** The watchlists: what Redis holds, and who follows the changes. */
export interface Watchlists {
  readonly items: Map<number, WatchItem>;
  /** All there ever were. */
  everyItem(): readonly WatchItem[];
  listeners: Set<(change: WatchChanged) => void>;
  add(item: WatchItem): void;
  remove(id: number): void;
}

/** The stream of verdicts, and what it remembers of its only reader. */
export interface Scores {
  readonly messages: ScoreMessage[];
  acknowledged: number;
}

/** Everything outside the processes: it outlives them all. */
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
  readonly watchlists: Watchlists;
  /** Whether final history is read in ranges of many blocks. */
  readonly backfills: boolean;
}

const createWatchlists = (): Watchlists => {
  const items = new Map<number, WatchItem>();
  const listeners = new Set<(change: WatchChanged) => void>();
  const tell = (change: WatchChanged): void => {
    for (const listener of listeners) listener(change);
  };
  const every: WatchItem[] = [];
  return {
    items,
    listeners,
    everyItem: () => every,
    add: (item) => {
      every.push(item);
      items.set(item.id, item);
      tell({ v: 1, change: 'added', item });
    },
    remove: (id) => {
      const item = items.get(id);
      items.delete(id);
      if (item) tell({ v: 1, change: 'removed', item });
    },
  };
};

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
  watchlists: createWatchlists(),
  backfills: random.oneIn(2),
});
