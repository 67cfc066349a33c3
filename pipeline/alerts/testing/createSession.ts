import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts, ChainEvent } from '../../../shared/chain/chainEvent.ts';
import type { Severity } from '../../../shared/messages/alertMessage.ts';
import type { AlertOverrides } from '../../../shared/messages/settingsMessage.ts';
import {
  ALERT_TYPES,
  type AlertType,
  type WatchItem,
} from '../../../shared/messages/watchMessage.ts';
import { createRandom, type Random, shuffled } from '../../../shared/testing/random.ts';
import { block, blocksEvent, pairCreated, reorgEvent, sync, watchItem } from './chainBuilder.ts';
import {
  KINDS,
  type Messages,
  namesOf,
  type Occurrence,
  type OccurringType,
  OPENING,
} from './occurrences.ts';

/** How much happens in a session. */
export interface SessionSize {
  readonly alerting: number;
  readonly silent: number;
  readonly kills: number;
}

/** One thing that is done to the alerts role or its surroundings, in this order. */
export type Step =
  | { readonly kind: 'chain'; readonly event: ChainEvent }
  /** Verdicts of these blocks are gone from the index. */
  | { readonly kind: 'tombstone'; readonly blocks: readonly Hex[] }
  | ({ readonly kind: 'messages' } & Messages)
  | { readonly kind: 'kill' };

/** A whole session, and what must come of it. */
export interface Session {
  readonly items: readonly WatchItem[];
  readonly settings: ReadonlyMap<string, AlertOverrides>;
  /** Numbers of the tokens, see `namesOf`. */
  readonly tokens: readonly number[];
  readonly steps: readonly Step[];
  /** One line an alert, see `alertLine`. */
  readonly expected: readonly string[];
}

/** What two alerts must have in common to be the same. */
export const alertLine = (alert: {
  readonly family: string;
  readonly watchId: number;
  readonly type: AlertType;
  readonly severity: Severity;
  readonly blockHash: Hex;
}): string => [alert.family, alert.watchId, alert.type, alert.severity, alert.blockHash].join(' ');

/** Families by what they set; alerts of the first group must come, of the others none. */
const TOLD_FAMILIES = ['ann', 'bob', 'cleo', 'quiet', 'eager'] as const;
const SILENT_FAMILIES = ['muted', 'off'] as const;
const SETTINGS: ReadonlyMap<string, AlertOverrides> = new Map<string, AlertOverrides>([
  [
    'quiet',
    { quiet_hours: { from: '00:00', to: '00:00', timezone: 'UTC', except_critical: false } },
  ],
  ['eager', { dedupe_window_seconds: 0 }],
  ['muted', { muted: [...ALERT_TYPES] }],
  ['off', { enabled: false }],
]);
const DEDUPE_S = 900;

const EVENTS_PER_BLOCK_MAX = 60;
const POOLS_PER_BLOCK = 100;
const DEPTH_MAX = 5;
const REPEAT_ONE_IN = 8;

const OCCURRING = Object.keys(KINDS) as OccurringType[];

/** An occurrence with who watches it. */
interface Planned {
  readonly n: number;
  readonly type: AlertType;
  readonly occurrence: Occurrence;
  readonly item: WatchItem | null;
  /** Null where no alert is due. */
  readonly severity: Severity | null;
}

const planAlerting = (n: number, random: Random): Planned => {
  const type = random.pick(OCCURRING);
  const occurrence = KINDS[type](n, true, random);
  const { watchedAs, address, severity } = occurrence;
  const family = random.pick(TOLD_FAMILIES);
  const item = watchItem({ family, id: n, type: watchedAs, address, alerts: [type] });
  return { n, type, occurrence, item, severity };
};

/** Too weak, of an unwatched token, of a family that wants none, or of another type than is asked for. */
const planSilent = (n: number, random: Random): Planned => {
  const type = random.pick(OCCURRING);
  const isWeak = random.oneIn(2);
  const occurrence = KINDS[type](n, !isWeak, random);
  const { watchedAs: as, address } = occurrence;
  const plan = (item: WatchItem | null): Planned => ({ n, type, occurrence, item, severity: null });
  const watched = (family: string, alerts: AlertType[], isOfOther = false) =>
    plan(
      watchItem({
        family,
        id: n,
        type: isOfOther ? (as === 'token' ? 'wallet' : 'token') : as,
        address,
        alerts,
      }),
    );
  if (isWeak) return watched(random.pick(TOLD_FAMILIES), [type]);
  // A ring's wallet takes the place of a token: a watcher of it as a token is alerted as well.
  switch (random.below(type === 'cluster_activity' ? 2 : 4)) {
    case 0:
      return plan(null);
    case 1:
      return watched(random.pick(SILENT_FAMILIES), [type]);
    case 2:
      return watched(random.pick(TOLD_FAMILIES), [type], true);
    default:
      return watched(random.pick(TOLD_FAMILIES), [type === 'mint' ? 'new_token' : 'mint']);
  }
};

const openingBlocks = (tokens: readonly number[]): BlockFacts[] =>
  Array.from({ length: Math.ceil(tokens.length / POOLS_PER_BLOCK) }, (_, i) =>
    block(
      i + 1,
      tokens.slice(i * POOLS_PER_BLOCK, (i + 1) * POOLS_PER_BLOCK).flatMap((n) => {
        const { token, pool } = namesOf(n);
        return [
          pairCreated(`o${n}`, pool, token),
          sync(`o${n}`, OPENING.tokens, OPENING.base, pool),
        ];
      }),
    ),
  );

/** A block with what happens in it. */
interface Placed {
  readonly block: BlockFacts;
  readonly plans: readonly Planned[];
}

/** The canonical chain decides: what each item is alerted to, without repetitions. */
const expectedOf = (chain: readonly Placed[]): string[] => {
  const alerted = new Map<number, number>();
  return chain.flatMap(({ block: { hash: blockHash, timestampS }, plans }) =>
    plans.flatMap(({ n, type, item, severity }) => {
      if (!item || !severity) return [];
      const window = SETTINGS.get(item.family)?.dedupe_window_seconds ?? DEDUPE_S;
      const last = alerted.get(n);
      if (last !== undefined && timestampS - last < window) return [];
      alerted.set(n, timestampS);
      return [alertLine({ family: item.family, watchId: item.id, type, severity, blockHash })];
    }),
  );
};

/** Writes a chain of random blocks with reorgs, and what other roles say about it. */
const createScript = (random: Random, opening: readonly BlockFacts[], pending: Planned[]) => {
  const steps: Step[] = opening.map((one) => ({ kind: 'chain', event: blocksEvent([one]) }));
  let chain: Placed[] = [];
  let epoch = 0;
  let branch = 0;

  const publish = (placed: Placed): void => {
    const event = blocksEvent([placed.block], { epoch });
    steps.push({ kind: 'chain', event });
    for (const { occurrence } of placed.plans) {
      const messages = occurrence.messages?.(placed.block);
      if (!messages) continue;
      steps.push({ kind: 'messages', ...messages });
      if (random.oneIn(5)) steps.push({ kind: 'messages', ...messages });
    }
  };
  const mine = (most: number): void => {
    const plans = pending.splice(0, 1 + random.below(most));
    const facts = plans.flatMap(({ occurrence }) => occurrence.facts);
    const number = opening.length + chain.length + 1;
    const placed = { block: block(number, facts, `.${branch}`), plans };
    chain.push(placed);
    publish(placed);
  };
  const leave = (depth: number): Placed[] => {
    const orphaned = chain.slice(-depth);
    chain = chain.slice(0, -depth);
    epoch += 1;
    branch += 1;
    steps.push({
      kind: 'chain',
      event: reorgEvent(
        epoch,
        orphaned.map((one) => one.block),
      ),
    });
    steps.push({ kind: 'tombstone', blocks: orphaned.map((one) => one.block.hash) });
    return orphaned;
  };
  const reorganise = (): void => {
    const depth = Math.min(1 + random.below(DEPTH_MAX), chain.length);
    if (depth === 0) return;
    const orphaned = leave(depth);
    if (random.oneIn(3)) {
      // A, B, A: another branch, and back to the same blocks.
      const aside = 1 + random.below(2);
      for (let i = 0; i < aside; i += 1) mine(3);
      pending.push(...leave(aside).flatMap(({ plans }) => plans));
      for (const placed of orphaned) {
        chain.push(placed);
        publish(placed);
      }
      return;
    }
    // Mined again in other blocks, some of it never.
    const again = orphaned.flatMap(({ plans }) => plans).filter(() => !random.oneIn(6));
    pending.unshift(...shuffled(again, random));
  };
  return { steps, mine, reorganise, chain: () => chain };
};

/** A session: the same seed, the same session. */
export const createSession = (seed: number, size: SessionSize): Session => {
  const random = createRandom(seed);
  const alerting = Array.from({ length: size.alerting }, (_, i) => planAlerting(i + 1, random));
  const silent = Array.from({ length: size.silent }, (_, i) =>
    planSilent(size.alerting + i + 1, random),
  );
  // Once more: an alert only where the first is not, or the family wants repetitions.
  const repeats = alerting.filter(
    ({ type }) => type === 'ownership_change' && random.oneIn(REPEAT_ONE_IN),
  );
  const plans = [...alerting, ...silent];
  const tokens = plans.map(({ n }) => n);
  const pending = [...shuffled(plans, random), ...repeats];
  const script = createScript(random, openingBlocks(tokens), pending);
  const killEvery = Math.ceil(pending.length / (size.kills + 1));
  let nextKill = pending.length - killEvery;
  while (pending.length > 0) {
    if (random.oneIn(8)) script.reorganise();
    script.mine(EVENTS_PER_BLOCK_MAX);
    if (pending.length > nextKill) continue;
    script.steps.push({ kind: 'kill' });
    nextKill -= killEvery;
  }
  return {
    items: plans.flatMap(({ item }) => item ?? []),
    settings: SETTINGS,
    tokens,
    steps: script.steps,
    expected: expectedOf(script.chain()).toSorted(),
  };
};
