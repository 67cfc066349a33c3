import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { readMigrations } from '../migrations/migrate.ts';
import { renderForCluster } from '../migrations/renderForCluster.ts';
import { splitStatements } from '../migrations/statements.ts';
import { createWatchlistStore } from '../shared/families/watchlistStore.ts';
import { chainStream } from '../shared/messages/subjects.ts';
import { createClickhouse } from '../shared/platform/clickhouse.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { createRpc, type Rpc } from '../shared/platform/rpc/createRpc.ts';
import {
  createDevnet,
  type Devnet,
  type DevnetToken,
} from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_PRICING } from '../shared/testing/devnet/devnetAddresses.ts';
import { type Role, type TestProcess, until } from '../shared/testing/pipelineProcess.ts';
import { createRandom } from '../shared/testing/random.ts';
import {
  CLICKHOUSE_CLUSTER,
  type NatsServer,
  type Service,
  startAnvil,
} from '../shared/testing/services.ts';
import { poolEventLines, readLogs, transferLines } from './testing/chaos/chainTruth.ts';
import { createDevnetDriver, type DevnetDriver } from './testing/chaos/crashStage.ts';
import {
  assertSameLines,
  DEVNET_BASES,
  isAllRead,
  readDue,
  readStreamProgress,
  storedPoolEvents,
  storedTransfers,
} from './testing/chaos/storedState.ts';
import { assertOneLine } from './testing/leaders.ts';
import { type PipelineStack, startPipelineStack } from './testing/pipelineStack.ts';

const SHARDS = 3;
const NATS_SERVERS = 3;
const CHAIN_IDS = [31_337, 31_338] as const;
/** Creates a watched token as the first action on each chain, so that it has the same address on both. */
const WATCHED_CREATOR = 8;
/** Activity on each chain before, between and after the faults. */
const ACTIONS = 6;
const REORG_DEPTH_MAX = 3;
const WAIT_MS_MAX = 600_000;
const SUPERVISION_MS = 200;

/** A role that is restarted when it exits, as any supervisor does. */
interface Supervised {
  /** All its processes, the running one last. */
  readonly processes: readonly TestProcess[];
  stop(): Promise<void>;
}

const supervise = (start: () => TestProcess): Supervised => {
  const processes = [start()];
  const timer = setInterval(() => {
    if (processes.at(-1)?.hasEnded()) processes.push(start());
  }, SUPERVISION_MS);
  return {
    processes,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(processes.map((process) => process.stop('SIGKILL')));
    },
  };
};

/** A development chain and the roles that read it. */
interface LiveChain {
  readonly id: number;
  readonly node: Service;
  readonly devnet: Devnet;
  readonly driver: DevnetDriver;
  /** No random activity. */
  readonly watched: DevnetToken;
  readonly rpc: Rpc;
  readonly roles: readonly Supervised[];
}

/** Faults hit the first node. */
type LiveChains = readonly [LiveChain, LiveChain];

const startChain = async (stack: PipelineStack, id: number): Promise<LiveChain> => {
  const node = await startAnvil({ chainId: id });
  const devnet = await createDevnet({ url: node.url, chainId: id });
  await devnet.deployUniswap();
  const watched = await devnet.deployToken('ruggable', { creator: WATCHED_CREATOR });
  await devnet.addLiquidity(watched, 5);
  const driver = createDevnetDriver(devnet, createRandom(id));
  await driver.prepare();
  const environment = {
    RPC_URL: node.url,
    CHAIN_ID: String(id),
    START_BLOCK: '0',
    ...DEVNET_PRICING,
  };
  const start = (role: Role): Supervised => supervise(() => stack.start(role, environment));
  const names = ['watcher', 'scorer', 'scorer', 'clusters', 'alerts'] as const;
  const roles = names.map(start);
  const rpc = createRpc([node.url], systemClock);
  return { id, node, devnet, driver, watched, rpc, roles };
};

const act = async (chains: readonly LiveChain[]): Promise<void> => {
  await Promise.all(
    chains.map(async ({ driver }) => {
      for (let i = 0; i < ACTIONS; i += 1) await driver.act(REORG_DEPTH_MAX);
    }),
  );
};

/** @throws Error after some minutes, with the progress of readers and the roles' output */
const untilRead = async (stack: PipelineStack, chains: readonly LiveChain[]): Promise<void> => {
  for (const { id, rpc, roles } of chains) {
    const isRead = () => isAllRead(stack, rpc, id).catch(() => undefined);
    try {
      await until(`everything of ${id} is read`, isRead, WAIT_MS_MAX);
    } catch (error) {
      const outputs = roles.map(({ processes }) => processes.map((one) => one.output()).join('\n'));
      const progress = JSON.stringify(await readStreamProgress(stack.nats, id));
      const due = await readDue(stack.clickhouse, id);
      throw new Error(`${progress}, ${due} tokens due\n${outputs.join('\n--- \n')}`, {
        cause: error,
      });
    }
  }
};

const streamLeader = (stack: PipelineStack, chainId: number): Promise<NatsServer> =>
  until(
    'the stream has a leader',
    async () => {
      const jsm = await stack.nats
        .jetstreamManager({ timeout: 2_000, checkAPI: false })
        .catch(() => undefined);
      const info = await jsm?.streams.info(chainStream(chainId)).catch(() => undefined);
      return stack.natsServers.find(({ name }) => name === info?.cluster?.leader);
    },
    WAIT_MS_MAX,
  );

/** Waits until every server has all messages of every stream. */
const untilCurrent = async (stack: PipelineStack): Promise<void> => {
  const isCurrent = async (): Promise<true | undefined> => {
    const jsm = await stack.nats.jetstreamManager({ timeout: 2_000, checkAPI: false });
    const streams = await jsm.streams.list().next();
    const replicas = streams.flatMap(({ cluster }) => cluster?.replicas ?? []);
    const wanted = streams.length * (stack.natsServers.length - 1);
    return (replicas.length === wanted && replicas.every(({ current }) => current)) || undefined;
  };
  await until(
    'every replica has everything',
    () => isCurrent().catch(() => undefined),
    WAIT_MS_MAX,
  );
};

/** Watches the token that exists on both chains, on all chains. */
const watchToken = async (stack: PipelineStack, [{ watched }]: LiveChains): Promise<void> => {
  const { kind } = await createWatchlistStore(stack.redis).add(
    {
      family: 'family',
      id: 1,
      type: 'token',
      address: watched.address,
      alerts: ['rug_pull', 'liquidity_removed'],
      sensitivity: 'high',
      createdAtMs: 0,
    },
    1,
  );
  assert.equal(kind, 'added');
};

const chainSchema = z.object({ chain: z.number() });
const lineSchema = z.object({ line: z.string() });
const verdictSchema = z.object({
  chain: z.number(),
  token: z.string(),
  block: z.number(),
  hash: z.string(),
});
const countSchema = z.object({ rows: z.number() });

describe('two chains on clusters of NATS and ClickHouse, parts of which fail', () => {
  let stack: PipelineStack;
  let chains: LiveChains;

  before(async () => {
    stack = await startPipelineStack({ shards: SHARDS, natsServers: NATS_SERVERS });
    const [first, second] = CHAIN_IDS;
    chains = await Promise.all([startChain(stack, first), startChain(stack, second)]);
    await watchToken(stack, chains);
    await act(chains);
  });
  after(async () => {
    for (const { roles, rpc, node } of chains ?? []) {
      await Promise.all(roles.map((role) => role.stop()));
      rpc.close();
      await node.stop();
    }
    await sleep(SUPERVISION_MS);
    await stack?.stop();
  });

  const linesOf = async (view: string): Promise<string[]> => {
    const sql = `SELECT concat(toString(t.chain_id), ' ', t.token) AS line FROM ${view} AS t`;
    return (await stack.clickhouse.query(sql, {}, lineSchema)).map(({ line }) => line).toSorted();
  };
  /** Row counts of each shard. */
  const onEach = (sql: string): Promise<number[]> =>
    Promise.all(
      stack.clickhouseServers.map(async ({ url }) => {
        const server = createClickhouse({ url });
        const [row] = await server.query(sql, {}, countSchema);
        await server.close();
        return row?.rows ?? 0;
      }),
    );

  test('both are read to their ends without the NATS server that led a stream and was killed', async () => {
    const killed = await streamLeader(stack, chains[0].id);
    await killed.kill();
    const isOther = async (): Promise<true | undefined> =>
      (await streamLeader(stack, chains[0].id)).name === killed.name ? undefined : true;
    await until('another server leads', isOther, WAIT_MS_MAX);
    await act(chains);
    await untilRead(stack, chains);
    await killed.restart();
    await untilCurrent(stack);
  });

  test('an alert on a watched token that both have is of the chain on which it happened', async () => {
    await act(chains);
    await untilRead(stack, chains);
    const [other, { id, devnet, watched }] = chains;
    assert.equal(watched.address, other.watched.address);
    await devnet.removeLiquidity(watched);
    const raised = async () => {
      const sql = 'SELECT a.chain_id AS chain FROM alerts AS a FINAL';
      const rows = await stack.clickhouse.query(sql, {}, chainSchema);
      return rows.length > 0 ? rows : undefined;
    };
    const rows = await until('an alert', raised, WAIT_MS_MAX);
    await untilRead(stack, chains);
    assert.ok(rows.every(({ chain }) => chain === id));
  });

  test('transfers and pool events are those of the nodes: none missing, none doubled', async () => {
    const logs = await Promise.all(chains.map(({ devnet }) => readLogs(devnet.publicClient)));
    const { clickhouse } = stack;
    assertSameLines(await storedTransfers(clickhouse), transferLines(logs.flat()), 'transfers');
    assertSameLines(await storedPoolEvents(clickhouse), poolEventLines(logs.flat()), 'pool events');
  });

  test('there is one verdict for each token and chain, resting on a block of that chain', async () => {
    const tokens = await linesOf('tokens');
    assertSameLines(await linesOf('verdicts'), tokens, 'verdicts');
    const addresses = new Set(tokens.map((line) => line.split(' ')[1]));
    assert.ok(addresses.size < tokens.length, 'tokens of the same address are on both chains');
    const sql =
      'SELECT v.chain_id AS chain, v.token AS token, v.block_number AS block, v.block_hash AS hash FROM verdicts AS v';
    for (const verdict of await stack.clickhouse.query(sql, {}, verdictSchema)) {
      const { chain, token, block, hash } = verdict;
      if (DEVNET_BASES.includes(token)) continue;
      const own = chains.find(({ id }) => id === chain);
      assert.equal(hash, (await own?.rpc.source.header(block))?.hash, `${token} on chain ${chain}`);
    }
  });

  test('each shard holds a part and shows the whole, all versions of a row in one', async () => {
    const parts = await onEach('SELECT count() AS rows FROM fact_transfers_local FINAL');
    const total = parts.reduce((sum, rows) => sum + rows, 0);
    assert.ok(
      parts.every((rows) => rows < total),
      `no server has all: ${parts.join(', ')}`,
    );
    const all = parts.map(() => total);
    assert.deepEqual(await onEach('SELECT count() AS rows FROM fact_transfers FINAL'), all);
    const twice = `SELECT count() AS rows FROM (SELECT chain_id, token FROM token_verdicts
      GROUP BY chain_id, token HAVING uniqExact(_shard_num) > 1)`;
    assert.deepEqual(
      await onEach(twice),
      parts.map(() => 0),
    );
  });

  test('the engine parses every statement for a replicated cluster', async () => {
    const target = { cluster: CLICKHOUSE_CLUSTER, database: 'tsd' };
    const statements = (await readMigrations())
      .flatMap(({ sql }) => splitStatements(sql))
      .flatMap((one) => renderForCluster(one, target));
    for (const statement of statements) await stack.clickhouse.exec(`EXPLAIN AST ${statement}`);
  });

  test('there are three copies of every stream, and each block in one follows its parent', async () => {
    const jsm = await stack.nats.jetstreamManager();
    for await (const { config } of jsm.streams.list()) {
      assert.equal(config.num_replicas, NATS_SERVERS, config.name);
    }
    for (const { id, rpc } of chains) {
      await assertOneLine(stack.nats, id, (await rpc.source.follow(0, 0)).head.hash);
    }
  });
});
