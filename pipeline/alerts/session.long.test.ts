import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Redis } from 'ioredis';
import type { JetStreamClient, NatsConnection } from 'nats';
import { z } from 'zod';
import { addressParam } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import type { BlockFacts, ChainEvent } from '../../shared/chain/chainEvent.ts';
import { createAlertSettingsStore } from '../../shared/families/alertSettingsStore.ts';
import { createWatchlistStore } from '../../shared/families/watchlistStore.ts';
import {
  type AlertMessage,
  alertMessageSchema,
  type Severity,
} from '../../shared/messages/alertMessage.ts';
import { encodeChainEvent } from '../../shared/messages/chainMessage.ts';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import type { AlertOverrides } from '../../shared/messages/settingsMessage.ts';
import {
  chainStream,
  chainSubject,
  clusterSubject,
  EVENTS_STREAM,
  scoreSubject,
} from '../../shared/messages/subjects.ts';
import type { AlertType, WatchItem } from '../../shared/messages/watchMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { ensureStreams } from '../../shared/platform/nats.ts';
import { ALERT_TYPES } from '../../shared/rules/artifacts/alertTypes.ts';
import { until } from '../../shared/testing/pipelineProcess.ts';
import { createRandom, type Random, shuffled } from '../../shared/testing/random.ts';
import { readStream, type Stores, startStores } from '../../shared/testing/stores.ts';
import {
  openSessionWebhooks,
  PUSH_ENVIRONMENT,
  type SessionWebhooks,
} from '../push/testing/sessionWebhooks.ts';
import { type SupervisedRole, supervise, untilReady } from '../testing/chaos/liveStack.ts';
import { createAlertStore } from './raise/alertStore.ts';
import {
  block,
  blocksEvent,
  CHAIN_ID,
  GENESIS_S,
  pairCreated,
  reorgEvent,
  sync,
  USD,
  WETH,
  watchItem,
} from './testing/chainBuilder.ts';
import {
  KINDS,
  type Messages,
  namesOf,
  type Occurrence,
  type OccurringType,
  OPENING,
} from './testing/occurrences.ts';

/** How much happens in a session. */
interface SessionSize {
  readonly alerting: number;
  readonly silent: number;
  readonly kills: number;
}

/** One thing that is done to the alerts role or its surroundings, in this order. */
type Step =
  | { readonly kind: 'chain'; readonly event: ChainEvent }
  /** Verdicts of these blocks are gone from the index. */
  | { readonly kind: 'tombstone'; readonly blocks: readonly Hex[] }
  | ({ readonly kind: 'messages' } & Messages)
  | { readonly kind: 'kill' };

/** A whole session, and what must come of it. */
interface Session {
  readonly items: readonly WatchItem[];
  readonly settings: ReadonlyMap<string, AlertOverrides>;
  /** Numbers of the tokens, see `namesOf`. */
  readonly tokens: readonly number[];
  readonly steps: readonly Step[];
  /** One line an alert, see `alertLine`. */
  readonly expected: readonly string[];
}

/** What two alerts must have in common to be the same. */
const alertLine = (alert: {
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
const createSession = (seed: number, size: SessionSize): Session => {
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

/** `SEED=7 SESSION_ALERTS=500 SESSION_KILLS=20`: another session, eight times as long, killed more often. */
const SEED = Number(process.env['SEED'] ?? 1);
const ALERTING = Number(process.env['SESSION_ALERTS'] ?? 60);
const KILLS = Number(process.env['SESSION_KILLS'] ?? 3);
const SILENT_PER_ALERTING = 10;
const SIZE = { alerting: ALERTING, silent: ALERTING * SILENT_PER_ALERTING, kills: KILLS };
const SETTLED_MS_MAX = 200_000 + 3_000 * ALERTING;
/** Of one answer of NATS: the machine may be busy with much else. */
const ANSWER_MS_MAX = 60_000;
/** Messages that are still to be handled when a process is killed, at the most. */
const BEHIND_MAX = 12;
const TOKENS_PER_INSERT = 1_000;
const ALL_TIME = { fromS: GENESIS_S, toS: GENESIS_S + 10_000_000 };

describe('a session on real servers with two alerts processes and two push processes', () => {
  const random = createRandom(SEED);
  let stores: Stores;
  let connection: NatsConnection;
  let jetstream: JetStreamClient;
  let clickhouse: Clickhouse;
  let redis: Redis;
  let roles: SupervisedRole[];
  let pushes: SupervisedRole[];
  let webhooks: SessionWebhooks;
  let session: Session;
  let rowVersion = 1;

  const saveTokens = async (tokens: readonly number[]): Promise<void> => {
    for (let at = 0; at < tokens.length; at += TOKENS_PER_INSERT) {
      const names = tokens.slice(at, at + TOKENS_PER_INSERT).map(namesOf);
      await clickhouse.exec(
        `INSERT INTO dim_tokens (chain_id, token, name, symbol, creator, total_supply)
         SELECT ${CHAIN_ID}, unhex(pair.1), 'Moon', 'MOON', unhex(pair.2), toUInt256('1000000000000000000000000')
         FROM (SELECT arrayJoin(arrayZip({tokens:Array(String)}, {creators:Array(String)})) AS pair)`,
        {
          tokens: names.map(({ token }) => addressParam(token)),
          creators: names.map(({ creator }) => addressParam(creator)),
        },
      );
    }
  };
  const saveAudience = async ({ items, settings }: Session): Promise<void> => {
    const store = createWatchlistStore(redis);
    const kinds = items.map(async (item) => (await store.add(item, items.length)).kind);
    assert.deepEqual(new Set(await Promise.all(kinds)), new Set(['added']));
    const settingsStore = createAlertSettingsStore(redis);
    for (const [family, overrides] of settings) await settingsStore.update(family, () => overrides);
  };

  /** The row of `verdict_history` that the scorer writes before it sends the message. */
  const saveTax = async (
    { token, blockNumber, blockHash }: Pick<ScoreMessage, 'token' | 'blockNumber' | 'blockHash'>,
    tax: number,
  ): Promise<void> => {
    rowVersion += 1;
    await clickhouse.exec(
      `INSERT INTO verdict_history (chain_id, token, block_number, block_hash, trade_tax, version)
       SELECT ${CHAIN_ID}, unhex({token:String}), {blockNumber:UInt64}, unhex({hash:String}), {tax:Float64}, {version:UInt64}`,
      { token: token.slice(2), blockNumber, hash: blockHash.slice(2), tax, version: rowVersion },
    );
  };
  const writeTombstones = async (blocks: readonly Hex[]): Promise<void> => {
    rowVersion += 1;
    await clickhouse.exec(
      `INSERT INTO verdict_history (chain_id, token, block_number, block_hash, trade_tax, version, is_deleted)
       SELECT chain_id, token, block_number, block_hash, trade_tax, {version:UInt64}, 1 FROM verdict_history FINAL
       WHERE lower(hex(block_hash)) IN {blocks:Array(String)}`,
      { version: rowVersion, blocks: blocks.map((hash) => hash.slice(2)) },
    );
  };

  /** Chain messages that are not acknowledged yet. */
  const pending = async (): Promise<number> => {
    const jsm = await connection.jetstreamManager({ timeout: ANSWER_MS_MAX });
    const [{ state }, { ack_floor }] = await Promise.all([
      jsm.streams.info(chainStream(CHAIN_ID)),
      jsm.consumers.info(chainStream(CHAIN_ID), 'alerts'),
    ]);
    return state.last_seq - ack_floor.stream_seq;
  };
  const isSettled = async (): Promise<true | undefined> => {
    if ((await pending()) > 0) return undefined;
    const jsm = await connection.jetstreamManager({ timeout: ANSWER_MS_MAX });
    const events = await jsm.consumers.info(EVENTS_STREAM, `alerts-${CHAIN_ID}`);
    return (events.num_pending === 0 && events.num_ack_pending === 0) || undefined;
  };
  const killOne = async (): Promise<void> => {
    const least = random.below(BEHIND_MAX);
    await until('nearly done', async () => (await pending()) <= least || undefined, SETTLED_MS_MAX);
    await Promise.all([random.pick(roles).kill(), random.pick(pushes).kill()]);
  };
  const play = async (step: Step): Promise<void> => {
    switch (step.kind) {
      case 'chain':
        await jetstream.publish(chainSubject(CHAIN_ID), encodeChainEvent(step.event));
        return;
      case 'tombstone':
        return writeTombstones(step.blocks);
      case 'kill':
        return killOne();
      case 'messages': {
        const { score, tax, cluster } = step;
        if (score && tax !== undefined) await saveTax(score, tax);
        if (score) {
          await jetstream.publish(scoreSubject(CHAIN_ID, score.token), JSON.stringify(score));
        }
        if (cluster) {
          const subject = clusterSubject(CHAIN_ID, cluster.clusterId);
          await jetstream.publish(subject, JSON.stringify(cluster));
        }
      }
    }
  };

  const familiesOf = ({ items }: Session): string[] => [
    ...new Set(items.map(({ family }) => family)),
  ];
  const stored = async () => {
    const rows = await createAlertStore(clickhouse).recent(familiesOf(session), ALL_TIME);
    return rows.filter(({ isWithdrawn }) => !isWithdrawn).map(({ alert }) => alert);
  };
  const sent = async (): Promise<AlertMessage[]> =>
    (await readStream(connection, EVENTS_STREAM))
      .filter(({ subject }) => subject.startsWith('alert.'))
      .map(({ data }) => alertMessageSchema.parse(JSON.parse(Buffer.from(data).toString())));

  before(async () => {
    stores = await startStores();
    ({ clickhouse, redis, nats: connection } = stores);
    await ensureStreams(connection, [CHAIN_ID]);
    jetstream = connection.jetstream({ timeout: ANSWER_MS_MAX });
    session = createSession(SEED, SIZE);
    await saveTokens(session.tokens);
    await saveAudience(session);
    webhooks = await openSessionWebhooks(clickhouse, redis, familiesOf(session));
    await clickhouse.exec(
      `INSERT INTO verdict_history (chain_id, token, block_number, block_hash, trade_tax, version)
       SELECT chain_id, token, 0, '', 0, 1 FROM dim_tokens`,
    );
    const environment = {
      ...stores.environment,
      CHAIN_ID: String(CHAIN_ID),
      WETH_ADDRESS: WETH,
      STABLE_ADDRESSES: USD,
      NATIVE_PRICE_USD: '2000',
    };
    const pushing = { ...environment, ...PUSH_ENVIRONMENT };
    roles = await Promise.all([supervise('alerts', environment), supervise('alerts', environment)]);
    pushes = await Promise.all([supervise('push', pushing), supervise('push', pushing)]);
    await untilReady('alerts and push', [...roles, ...pushes]);
  });
  after(async () => {
    await Promise.all([...(roles ?? []), ...(pushes ?? [])].map((role) => role.stop()));
    webhooks?.close();
    await stores?.stop();
  });

  it(`ends with exactly the alerts that are due, over ${KILLS} kills, reorgs and repetitions`, async (context) => {
    for (const step of session.steps) await play(step);
    await until('settled', isSettled, SETTLED_MS_MAX);
    const alerts = await stored();
    context.diagnostic(
      `${session.steps.length} steps, ${alerts.length} alerts of ${session.items.length} items`,
    );
    assert.deepEqual(alerts.map(alertLine).toSorted(), session.expected);
    assert.deepEqual(
      [...roles, ...pushes].map((role) => role.ownExits()),
      [0, 0, 0, 0],
      [...roles, ...pushes].map((role) => role.output()).join('\n'),
    );
  });

  it('gives each alert an id of its own in its family, and shows it through the table alone', async () => {
    const alerts = await stored();
    assert.equal(new Set(alerts.map(({ family, id }) => `${family} ${id}`)).size, alerts.length);
    const [row] = await clickhouse.query(
      'SELECT count() AS total FROM alerts FINAL',
      {},
      z.object({ total: z.number() }),
    );
    assert.equal(row?.total, alerts.length);
  });

  it('has sent what a subscriber needs to hold the same, and nothing in quiet hours', async () => {
    const messages = await sent();
    const held = new Map<string, AlertMessage['state']>();
    for (const { state, alert } of messages) held.set(`${alert.family} ${alert.id}`, state);
    const received = [...held].filter(([, state]) => state === 'raised').map(([key]) => key);
    const due = (await stored()).filter(({ family }) => family !== 'quiet');
    assert.deepEqual(
      received.toSorted(),
      due.map(({ family, id }) => `${family} ${id}`).toSorted(),
    );
    assert.ok(messages.every(({ alert }) => alert.family !== 'quiet'));
    assert.equal(new Set(messages.map(({ eventId }) => eventId)).size, messages.length);
  });

  it('sends every webhook every event at least once, each time with the same id and body', async (context) => {
    const due = new Map<string, string>();
    for (const { eventId, alert } of await sent()) due.set(eventId, alert.family);
    const missing = () => {
      const received = webhooks.received();
      return [...due.keys()].filter((id) => !received.has(id));
    };
    await until('webhooks', () => missing().length === 0 || undefined, SETTLED_MS_MAX).catch(
      (error) => {
        throw new Error(`not received: ${missing().join(', ')}`, { cause: error });
      },
    );
    const received = webhooks.received();
    assert.deepEqual([...received.keys()].toSorted(), [...due.keys()].toSorted());
    for (const [id, arrivals] of received) {
      const received = new Set(arrivals.map(({ family, body }) => `${family} ${body}`));
      assert.equal(received.size, 1, id);
      assert.equal(arrivals[0]?.family, due.get(id));
    }
    const times = [...received.values()].reduce((sum, { length }) => sum + length, 0);
    context.diagnostic(`${due.size} events arrived ${times} times`);
  });
});
