import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from 'nats';
import { migrate } from '../migrations/migrate.ts';
import { type Clickhouse, createClickhouse } from '../shared/adapters/clickhouse.ts';
import { connectNats } from '../shared/adapters/nats.ts';
import { createRpc, type Rpc } from '../shared/adapters/rpc/createRpc.ts';
import type { Hex } from '../shared/chain/block.ts';
import { addressParam } from '../shared/encode/addressSet.ts';
import type { WatchItem } from '../shared/messages/watchMessage.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { errorMessage } from '../shared/runtime/errors.ts';
import { silentLogger } from '../shared/runtime/logger.ts';
import { assertSameLines } from '../shared/testing/chaos/assertSameLines.ts';
import {
  poolEventLines,
  readBlocks,
  readLogs,
  transferLines,
  truthOf,
} from '../shared/testing/chaos/chainTruth.ts';
import { createDevnetDriver, type DevnetDriver } from '../shared/testing/chaos/devnetDriver.ts';
import { readDue, readStanding } from '../shared/testing/chaos/standing.ts';
import {
  historyBlocks,
  storedAlerts,
  storedPoolEvents,
  storedTokens,
  storedTransfers,
  storedVerdicts,
} from '../shared/testing/chaos/storedState.ts';
import { type SupervisedRole, supervise } from '../shared/testing/chaos/supervisor.ts';
import { createDevnet, type Devnet } from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../shared/testing/devnet/devnetAddresses.ts';
import { until } from '../shared/testing/pipelineProcess.ts';
import {
  type Service,
  startAnvil,
  startClickhouse,
  startNats,
  startRedis,
} from '../shared/testing/services.ts';
import { expectedAlerts } from '../shared/testing/simulation/alertOracle.ts';
import { createRandom } from '../shared/testing/simulation/random.ts';

const CHAIN_ID = 31_337;
const NATIVE_USD = 2_000;
const SEED = Number(process.env['SEED'] ?? 1);
/** A killed part has to be at work again within this time: asserted by `make chaos` only, where no other test runs. */
const BACK_MS_MAX = 30_000;
/** Any wait. Only failures reach it, however slow the machine. */
const WAIT_MS_MAX = 180_000;
const POLL_MS = 25;
/** What happens on the chain during one kill: on a slow machine what is compared must not grow with it. */
const ACTIONS_PER_KILL_MAX = 25;
const OUTPUT_CHARS = 3_000;
/** What happens after the last kill, so that more than the deepest reorg leaves is compared. */
const LAST_ACTIONS = 60;
const LAST_DEPTH_MAX = 3;
/** How often each part is killed in a round: 11 kills. `make chaos` runs many rounds. */
const KILLS = { watcher: 2, scorer: 2, alerts: 2, nats: 2, redis: 1, clickhouse: 2 } as const;
/** Set by `make chaos`. */
const CHAOS_ROUNDS = process.env['CHAOS_ROUNDS'];
const ROUNDS = Number(CHAOS_ROUNDS ?? 1);
type Victim = keyof typeof KILLS;
const VICTIMS = Object.keys(KILLS) as Victim[];

const shuffled = <T>(values: readonly T[], below: (limit: number) => number): T[] =>
  values
    .map((value) => ({ value, at: below(1_000_000) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value);

describe('the pipeline on real components, killed at any time', () => {
  const random = createRandom(SEED);
  let services: Record<'nats' | 'redis' | 'clickhouse', Service>;
  let anvil: Service;
  let roles: Record<'watcher' | 'scorer' | 'alerts', SupervisedRole>;
  let devnet: Devnet;
  let driver: DevnetDriver;
  let rpc: Rpc;
  let connection: NatsConnection;
  let clickhouse: Clickhouse;
  const watches: WatchItem[] = [];

  const watch = async (id: number, address: Hex, sensitivity: WatchItem['sensitivity']) => {
    const alerts = ['rug_pull', 'liquidity_removed', 'ownership_change'] as const;
    const item: WatchItem = {
      family: 'family',
      id,
      type: 'token',
      address,
      alerts: [...alerts],
      sensitivity,
      createdAtMs: 0,
    };
    watches.push(item);
    await clickhouse.exec(
      `INSERT INTO watchlist (family, id, type, address, alerts, sensitivity, created_at, version)
       SELECT {family:String}, {id:UInt64}, {type:String}, unhex({address:String}),
         {alerts:Array(String)}, {sensitivity:String}, now64(3), 1`,
      { ...item, address: addressParam(item.address) },
    );
  };

  const startRoles = async () => {
    const environment = {
      NATS_URL: services.nats.url,
      REDIS_URL: services.redis.url,
      CLICKHOUSE_URL: services.clickhouse.url,
      RPC_URL: anvil.url,
      CHAIN_ID: String(CHAIN_ID),
      WETH_ADDRESS: DEVNET_ADDRESSES.weth,
      STABLE_ADDRESSES: DEVNET_ADDRESSES.stable,
      NATIVE_PRICE_USD: String(NATIVE_USD),
    };
    const [watcher, scorer, alerts] = await Promise.all([
      supervise('watcher', environment),
      supervise('scorer', environment),
      supervise('alerts', environment),
    ]);
    roles = { watcher, scorer, alerts };
  };

  before(async () => {
    const [nats, redis, clickhouseServer, node] = await Promise.all([
      startNats(),
      startRedis(),
      startClickhouse(),
      startAnvil(),
    ]);
    services = { nats, redis, clickhouse: clickhouseServer };
    anvil = node;
    clickhouse = createClickhouse({ url: clickhouseServer.url });
    await migrate(clickhouse, silentLogger);
    connection = await connectNats(nats.url, 'test');
    rpc = createRpc([anvil.url], systemClock);
    devnet = await createDevnet({ url: anvil.url });
    driver = createDevnetDriver(devnet, random);
    await driver.prepare();
    let id = 0;
    for (const { address } of driver.tokens()) {
      await watch((id += 1), address, 'high');
      await watch((id += 1), address, 'low');
    }
    await startRoles();
  });

  after(async () => {
    await Promise.all(Object.values(roles ?? {}).map((role) => role.stop()));
    await connection?.close();
    await clickhouse?.close();
    rpc?.close();
    await Promise.all([...Object.values(services ?? {}), anvil].map((one) => one?.stop()));
  });

  const headHash = async (): Promise<Hex> => (await rpc.source.follow(0, 0)).head.hash;

  /** All roles answer, and what was published when this was called has been handled. */
  const atWork = async (what: string): Promise<void> => {
    const isReady = async (): Promise<boolean> =>
      (await Promise.all(Object.values(roles).map((role) => role.isReady()))).every(Boolean);
    await until(`${what}: ready`, async () => (await isReady()) || undefined, WAIT_MS_MAX);
    const before = await until(what, () => readStanding(connection, CHAIN_ID), WAIT_MS_MAX);
    const isMoving = async (): Promise<true | undefined> => {
      const now = await readStanding(connection, CHAIN_ID);
      if (!now) return undefined;
      const { scorer, alerts } = now.acknowledged;
      const published = now.lastSeq > before.lastSeq || now.tip === (await headHash());
      return (scorer >= before.lastSeq && alerts >= before.lastSeq && published) || undefined;
    };
    await until(`${what}: at work`, isMoving, WAIT_MS_MAX);
  };

  /** A failure tells what the roles said last. */
  const withOutputs = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      const outputs = Object.values(roles).map(
        (role) => `--- ${role.role}\n${role.output().slice(-OUTPUT_CHARS)}`,
      );
      throw new Error([errorMessage(error), ...outputs].join('\n'), { cause: error });
    }
  };

  const strike = async (victim: Victim): Promise<number> => {
    const startMs = performance.now();
    if (victim === 'nats' || victim === 'redis' || victim === 'clickhouse') {
      await services[victim].kill();
      await sleep(random.below(500));
      await services[victim].restart();
    } else await roles[victim].kill();
    await withOutputs(atWork(`after the kill of ${victim}`));
    return performance.now() - startMs;
  };

  const converged = async (): Promise<true | undefined> => {
    const standing = await readStanding(connection, CHAIN_ID);
    if (!standing || standing.tip !== (await headHash())) return undefined;
    const { scorer, alerts } = standing.acknowledged;
    if (scorer < standing.lastSeq || alerts < standing.lastSeq) return undefined;
    return (await readDue(clickhouse, CHAIN_ID)) === 0 || undefined;
  };

  const untilConverged = async (): Promise<void> => {
    await withOutputs(until('everything is read', converged, WAIT_MS_MAX));
  };

  test('reads the chain that was there before', async () => {
    await atWork('after the start');
    await untilConverged();
  });

  test('is at work again soon after every kill', async (context) => {
    const plan = shuffled(
      VICTIMS.flatMap((victim) => Array.from({ length: ROUNDS * KILLS[victim] }, () => victim)),
      (limit) => random.below(limit),
    );
    let isOver = false;
    let actionsLeft = 0;
    const living = (async () => {
      while (!isOver) {
        if (actionsLeft > 0) await driver.act();
        actionsLeft -= 1;
        await sleep(POLL_MS);
      }
    })();
    const tookMs: Partial<Record<Victim, number[]>> = {};
    try {
      for (const victim of plan) {
        actionsLeft = ACTIONS_PER_KILL_MAX;
        await sleep(random.below(700));
        const ms = Math.round(await strike(victim));
        tookMs[victim] = [...(tookMs[victim] ?? []), ms];
        if (CHAOS_ROUNDS) assert.ok(ms < BACK_MS_MAX, `${victim} took ${ms} ms`);
      }
    } finally {
      isOver = true;
      await living;
    }
    const exits = Object.values(roles).map((role) => `${role.role} ${role.ownExits()}`);
    context.diagnostic(`kill to work, ms: ${JSON.stringify(tookMs)}`);
    context.diagnostic(`done: ${JSON.stringify(driver.counts())}; own exits: ${exits.join(', ')}`);
  });

  test('nothing is lost and nothing doubled', async (context) => {
    for (let i = 0; i < LAST_ACTIONS; i += 1) await driver.act(LAST_DEPTH_MAX);
    await devnet.mine(2, 1);
    await untilConverged();
    const logs = await readLogs(devnet.publicClient);
    const blocks = await readBlocks(rpc);
    assertSameLines(await storedTransfers(clickhouse), transferLines(logs), 'transfers');
    assertSameLines(await storedPoolEvents(clickhouse), poolEventLines(logs), 'pool events');

    const made = new Map<string, { creator: Hex; madeIn: Hex; madeAt: number }>();
    for (const { facts, hash, number } of blocks) {
      for (const fact of facts) {
        if (fact.kind !== 'creation') continue;
        made.set(fact.contract, { creator: fact.creator, madeIn: hash, madeAt: number });
      }
    }
    const wanted = [
      DEVNET_ADDRESSES.weth,
      DEVNET_ADDRESSES.stable,
      ...driver.tokens().map(({ address }) => address),
    ].filter((address, i, all) => made.has(address) && all.indexOf(address) === i);
    const tokens = await storedTokens(clickhouse);
    assert.deepEqual(
      tokens.map(({ token, creator, block }) => [token, creator, block].join(' ')).toSorted(),
      wanted
        .map((token) => [token, made.get(token)?.creator, made.get(token)?.madeIn].join(' '))
        .toSorted(),
      'tokens',
    );

    const pairs = blocks.flatMap(({ facts }) =>
      facts.flatMap((fact) => (fact.kind === 'pairCreated' ? [fact] : [])),
    );
    const verdicts = new Map((await storedVerdicts(clickhouse)).map((row) => [row.token, row]));
    assert.deepEqual([...verdicts.keys()].toSorted(), wanted.toSorted(), 'tokens with a verdict');
    for (const address of driver.tokens().map((token) => token.address)) {
      const token = made.get(address);
      if (!token) continue;
      const pair = pairs.find(({ token0, token1 }) => token0 === address || token1 === address);
      const pool = pair && { address: pair.pool, tokenIs0: pair.token0 === address };
      const truth = truthOf({ address, ...token }, pool, logs, NATIVE_USD);
      const verdict = verdicts.get(address);
      const { holder_count, transaction_count, liquidity_usd = 0 } = verdict?.features ?? {};
      assert.equal(holder_count, truth.holderCount, `holders of ${address}`);
      assert.equal(transaction_count, truth.transactionCount, `transactions of ${address}`);
      assert.ok(
        Math.abs(liquidity_usd - truth.liquidityUsd) <= 1e-6 * Math.max(1, truth.liquidityUsd),
        `liquidity of ${address}: ${liquidity_usd} instead of ${truth.liquidityUsd}`,
      );
      assert.equal(verdict?.block, truth.block, `block of the verdict on ${address}`);
    }
    const canonical = new Set<string>(blocks.map(({ hash }) => hash));
    for (const hash of await historyBlocks(clickhouse)) {
      assert.ok(canonical.has(hash), `a verdict of the orphaned block ${hash} is left`);
    }

    const pools = pairs.map(({ pool, token0, token1 }) => ({ address: pool, token0, token1 }));
    const market = { pools, weth: DEVNET_ADDRESSES.weth };
    const line = (alert: object): string =>
      JSON.stringify(Object.entries(alert).toSorted((a, b) => a[0].localeCompare(b[0])));
    const alerts = (await storedAlerts(clickhouse)).map(line);
    const expected = watches.flatMap((item) => expectedAlerts(blocks, item, market)).map(line);
    assertSameLines(alerts, expected, 'alerts');
    context.diagnostic(`${logs.length} logs, ${tokens.length} tokens, ${alerts.length} alerts`);
  });
});
