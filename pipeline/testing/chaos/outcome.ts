import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percentile } from '../../../deploy/bench/figures.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { alertMessageSchema } from '../../../shared/messages/alertMessage.ts';
import { decodeChainEvent } from '../../../shared/messages/chainMessage.ts';
import { type ScoreMessage, scoreMessageSchema } from '../../../shared/messages/scoreMessage.ts';
import { chainStream, EVENTS_STREAM } from '../../../shared/messages/subjects.ts';
import {
  DEVNET_ADDRESSES,
  DEVNET_NATIVE_USD,
} from '../../../shared/testing/devnet/devnetAddresses.ts';
import { untilHolds } from '../../../shared/testing/pipelineProcess.ts';
import { readStream, type StreamEntry } from '../../../shared/testing/stores.ts';
import { isAtHead, scoreMessageId } from '../../scorer/verdict/verdictOutbox.ts';
import { createVerdictStore } from '../../scorer/verdict/verdictStore.ts';
import { expectedAlerts } from '../simulation/alertOracle.ts';
import {
  readBlocks,
  readLogs,
  ringLines,
  storedRings,
  type TruthLog,
  truthOf,
} from './chainTruth.ts';
import type { CrashStage } from './crashStage.ts';
import { type LiveStack, STACK_CHAIN_ID, STACK_WAIT_MS_MAX } from './liveStack.ts';
import {
  assertSameLines,
  historyBlocks,
  storedAlerts,
  storedTokens,
  storedVerdicts,
} from './storedState.ts';

/** Maximum time from reading facts from the node to processing them, outages included. */
const HANDLED_MS_MAX = 120_000;

/** When past facts were read, whose verdicts are stored but not published. */
const timesOfPast = (entries: readonly StreamEntry[]): number[] =>
  entries.flatMap(({ data }) => {
    const event = decodeChainEvent(data);
    if (event.kind !== 'blocks') return [];
    const { head, from, readAtMs } = event;
    return isAtHead({ lagBlocks: head - (from - 1), lateMs: 0 }) ? [] : [readAtMs];
  });

/** Each message continues from the last one on its token, except for past verdicts in between. */
const assertContinuous = (published: readonly ScoreMessage[], pastMs: readonly number[]): void => {
  const last = new Map<Hex, ScoreMessage>();
  for (const message of published) {
    const { token, previousPrediction, analyzedAtMs } = message;
    const before = last.get(token);
    last.set(token, message);
    // A token that a reorg removed starts over.
    if (previousPrediction === null || previousPrediction === before?.prediction) continue;
    const sinceMs = (before?.analyzedAtMs ?? 0) - HANDLED_MS_MAX;
    const isExcused = pastMs.some((atMs) => atMs >= sinceMs && atMs <= analyzedAtMs);
    assert.ok(isExcused, `a turn of ${token} was never published, before ${analyzedAtMs}`);
  }
};

/**
 * Subscribers received every due verdict, each once and in order.
 * @returns published verdicts
 */
const assertPublishedOnce = async (
  { clickhouse, nats }: LiveStack,
  events: readonly StreamEntry[],
): Promise<number> => {
  const published = events
    .filter(({ subject }) => subject.startsWith(`score.${STACK_CHAIN_ID}.`))
    .map(({ data }) => scoreMessageSchema.parse(JSON.parse(Buffer.from(data).toString())));
  const ids = new Set(published.map(scoreMessageId));
  assert.equal(ids.size, published.length, 'verdicts published twice');
  const inForce = await createVerdictStore(clickhouse).unpublished(STACK_CHAIN_ID, 0);
  const unpublished = inForce.filter((message) => !ids.has(scoreMessageId(message)));
  assert.deepEqual(unpublished, [], 'verdicts in force that were not published');
  assertContinuous(published, timesOfPast(await readStream(nats, chainStream(STACK_CHAIN_ID))));
  return published.length;
};

const { weth, stable } = DEVNET_ADDRESSES;
const PRICING = {
  weth,
  stables: [stable],
  nativePriceUsd: DEVNET_NATIVE_USD,
  stableDecimals: new Map([[stable, 6]]),
};

/** The canonical chain, read when all activity has stopped. */
interface Truth {
  readonly logs: readonly TruthLog[];
  readonly blocks: readonly BlockFacts[];
  readonly made: ReadonlyMap<Hex, { creator: Hex; madeIn: Hex; madeAt: number }>;
  readonly pools: readonly { address: Hex; token0: Hex; token1: Hex }[];
}

/** How much was compared. */
interface Outcome {
  readonly logs: number;
  readonly tokens: number;
  readonly announcements: number;
  readonly alerts: number;
  readonly rings: number;
  readonly webhooks: number;
}

export const readTruth = async ({
  devnet,
  rpc,
}: Pick<CrashStage, 'devnet' | 'rpc'>): Promise<Truth> => {
  const [logs, blocks] = [await readLogs(devnet.publicClient), await readBlocks(rpc)];
  const made = new Map<Hex, { creator: Hex; madeIn: Hex; madeAt: number }>();
  const pools: { address: Hex; token0: Hex; token1: Hex }[] = [];
  for (const { facts, hash, number } of blocks) {
    for (const fact of facts) {
      if (fact.kind === 'creation') {
        made.set(fact.contract, { creator: fact.creator, madeIn: hash, madeAt: number });
      } else if (fact.kind === 'poolCreated') {
        pools.push({ address: fact.pool, token0: fact.token0, token1: fact.token1 });
      }
    }
  }
  return { logs, blocks, made, pools };
};

/** Tokens of the canonical chain; a reorg may have removed others. */
const wantedTokens = ({ driver }: Pick<CrashStage, 'driver'>, { made }: Truth): Hex[] => {
  const all = new Set<Hex>([weth, stable, ...driver.tokens().map(({ address }) => address)]);
  return [...all].filter((address) => made.has(address));
};

/** Tokens are those of the canonical chain, with their creators and first blocks. @returns their number */
export const assertTokens = async (
  stage: Pick<CrashStage, 'driver' | 'stack'>,
  truth: Truth,
): Promise<number> => {
  const tokens = await storedTokens(stage.stack.clickhouse);
  assertSameLines(
    tokens.map(({ token, creator, block }) => [token, creator, block].join(' ')).toSorted(),
    wantedTokens(stage, truth)
      .map((token) => [token, truth.made.get(token)?.creator, truth.made.get(token)?.madeIn])
      .map((parts) => parts.join(' '))
      .toSorted(),
    'tokens',
  );
  return tokens.length;
};

/**
 * Later blocks in which a sale of the token failed: they touch it too, but only if the watcher read them in full.
 */
const failedSalesAfter = ({ blocks }: Truth, token: Hex, after: Hex): Hex[] => {
  const from = blocks.findIndex(({ hash }) => hash === after) + 1;
  return blocks
    .slice(from)
    .filter(({ facts }) => facts.some((fact) => fact.kind === 'failedSale' && fact.token === token))
    .map(({ hash }) => hash);
};

const assertVerdicts = async (stage: CrashStage, truth: Truth): Promise<void> => {
  const { clickhouse } = stage.stack;
  const verdicts = new Map((await storedVerdicts(clickhouse)).map((row) => [row.token, row]));
  const wanted = wantedTokens(stage, truth);
  assertSameLines([...verdicts.keys()].toSorted(), wanted.toSorted(), 'tokens with a verdict');
  for (const address of wanted) {
    const token = truth.made.get(address);
    if (!token || address === weth || address === stable) continue;
    const pair = truth.pools.find(({ token0, token1 }) => token0 === address || token1 === address);
    const pool = pair && { address: pair.address, tokenIs0: pair.token0 === address };
    const due = truthOf({ address, ...token }, pool, truth.logs, DEVNET_NATIVE_USD);
    const verdict = verdicts.get(address);
    const { holder_count, transaction_count, liquidity_usd = 0 } = verdict?.features ?? {};
    assert.equal(holder_count, due.holderCount, `holders of ${address}`);
    assert.equal(transaction_count, due.transactionCount, `transactions of ${address}`);
    assert.ok(
      Math.abs(liquidity_usd - due.liquidityUsd) <= 1e-6 * Math.max(1, due.liquidityUsd),
      `liquidity of ${address}: ${liquidity_usd} instead of ${due.liquidityUsd}`,
    );
    const blocks = [due.block, ...failedSalesAfter(truth, address, due.block)];
    assert.ok(
      blocks.some((block) => block === verdict?.block),
      `block of the verdict on ${address}: ${verdict?.block} instead of ${blocks.join(' or ')}`,
    );
  }
  const canonical = new Set<string>(truth.blocks.map(({ hash }) => hash));
  for (const hash of await historyBlocks(clickhouse)) {
    assert.ok(canonical.has(hash), `a verdict of the orphaned block ${hash} is left`);
  }
};

/**
 * Alerts in force are those that the canonical chain alone implies for the watched items. @returns their number
 */
export const assertAlerts = async (
  { stack, watches }: Pick<CrashStage, 'stack' | 'watches'>,
  truth: Truth,
): Promise<number> => {
  const line = (alert: object): string =>
    JSON.stringify(Object.entries(alert).toSorted((a, b) => a[0].localeCompare(b[0])));
  const expected = (await expectedAlerts(truth.blocks, watches, PRICING)).map(line);
  assertSameLines((await storedAlerts(stack.clickhouse)).map(line), expected, 'alerts');
  return expected.length;
};

const assertRings = async (
  { stack: { clickhouse } }: CrashStage,
  truth: Truth,
): Promise<number> => {
  const expected = await ringLines(clickhouse, STACK_CHAIN_ID, truth.blocks, { weth, stable });
  assertSameLines(await storedRings(clickhouse), expected, 'rings');
  return expected.length;
};

/**
 * Every published alert has reached its family's webhook under its id, with one body, and subscribers have what is
 * stored.
 */
const assertWebhooks = async (
  { stack, webhooks }: CrashStage,
  events: readonly StreamEntry[],
): Promise<number> => {
  const published = events
    .filter(({ subject }) => subject.startsWith('alert.'))
    .map(({ data }) => alertMessageSchema.parse(JSON.parse(Buffer.from(data).toString())));
  const held = new Map(published.map(({ alert, state }) => [alert.id, state]));
  assert.equal(
    [...held.values()].filter((state) => state === 'raised').length,
    (await storedAlerts(stack.clickhouse)).length,
    'alerts in force, as a listener counts them',
  );
  const received = webhooks.received();
  assertSameLines(
    [...received.keys()].toSorted(),
    [...new Set(published.map(({ eventId }) => eventId))].toSorted(),
    'events that reached the webhook',
  );
  const familyOf = new Map(published.map(({ eventId, alert }) => [eventId, alert.family]));
  for (const [id, arrivals] of received) {
    const [{ body } = {}] = arrivals;
    const family = familyOf.get(id);
    assert.ok(
      arrivals.every((one) => one.body === body && one.family === family),
      `${id} came with one body, and to ${family} alone`,
    );
  }
  return received.size;
};

/** The API answers a client whose key was created before all events. */
const assertAnswers = async (stage: CrashStage, truth: Truth): Promise<void> => {
  const api = stage.stack.roles.get('api');
  const token = wantedTokens(stage, truth).at(-1);
  const answer = await fetch(`${api?.url}/tokens/${token}`, {
    headers: { 'X-API-Key': stage.apiKey },
  });
  assert.equal(answer.status, 200, `the API on ${token}`);
};

/**
 * Nothing is lost or duplicated: everything stored and sent is exactly what the canonical chain implies. Roles that
 * do not run are ignored. There must be no chain activity meanwhile.
 */
const assertOutcome = async (stage: CrashStage): Promise<Outcome> => {
  const truth = await readTruth(stage);
  return untilHolds(async () => {
    await stage.stack.assertFacts(stage.devnet.publicClient);
    const tokens = await assertTokens(stage, truth);
    await assertVerdicts(stage, truth);
    const alerts = await assertAlerts(stage, truth);
    const { roles } = stage.stack;
    const rings = roles.has('clusters') ? await assertRings(stage, truth) : 0;
    const events = await readStream(stage.stack.nats, EVENTS_STREAM);
    const announcements = await assertPublishedOnce(stage.stack, events);
    const webhooks = roles.has('push') ? await assertWebhooks(stage, events) : 0;
    if (roles.has('api')) await assertAnswers(stage, truth);
    const logs = truth.logs.length;
    return { logs, tokens, announcements, alerts, rings, webhooks };
  }, STACK_WAIT_MS_MAX);
};

/** Depth of reorgs among the last actions: shallower than the compared part. */
const LAST_DEPTH_MAX = 3;

/**
 * Performs the last actions, so that more remains to compare than the deepest reorg removes, waits until everything
 * is read, and compares. Reports how often roles exited by themselves, what was compared, and what had happened.
 */
export const settleAndCompare = async (
  stage: CrashStage,
  lastActions: number,
  report: (line: string) => void,
): Promise<void> => {
  const { stack, devnet, driver, life } = stage;
  await life.stop();
  for (let i = 0; i < lastActions; i += 1) await driver.act(LAST_DEPTH_MAX);
  await devnet.mine(2, 1);
  await stack.untilConverged(devnet.publicClient);
  const exits = [...stack.roles.values()].map((role) => `${role.role} ${role.ownExits()}`);
  report(`own exits: ${exits.join(', ')}`);
  report(JSON.stringify(await assertOutcome(stage)));
  report(JSON.stringify(driver.counts()));
};

/** Time limit within which everything must work again. */
const BACK_MS_MAX = 30_000;

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

export const createRecoveries = () => {
  const tookMs = new Map<string, number[]>();
  return {
    note: (what: string, ms: number): void => {
      tookMs.set(what, [...(tookMs.get(what) ?? []), ms]);
    },
    /** One table row each: what, how often, median and longest in seconds. */
    rows: (): string[] =>
      [...tookMs].map(([what, ms]) => {
        const [median, longest] = [percentile(ms, 0.5), Math.max(...ms)];
        return `| ${what} | ${ms.length} | ${seconds(median)} | ${seconds(longest)} |`;
      }),
    /** @throws AssertionError naming everything that took thirty seconds or longer. */
    assertInTime: (): void => {
      const late = [...tookMs].filter(([, ms]) => Math.max(...ms) >= BACK_MS_MAX);
      assert.deepEqual(late, [], `took ${BACK_MS_MAX} ms or longer`);
    },
  };
};
/** Recovery times, by kind of disturbance. */
type Recoveries = ReturnType<typeof createRecoveries>;

/** The final tests of a crash program: nothing is missing, and nothing was down for long. */
export const testOutcome = (
  stage: () => CrashStage,
  recoveries: Recoveries,
  lastActions: number,
): void => {
  test('nothing is lost and nothing doubled', async (context) => {
    await settleAndCompare(stage(), lastActions, (line) => context.diagnostic(line));
    for (const row of recoveries.rows()) context.diagnostic(row);
  });
  test('no recovery takes as long as thirty seconds', () => {
    recoveries.assertInTime();
  });
};
