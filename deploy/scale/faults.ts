import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { readMigrations } from '../../migrations/migrate.ts';
import { renderForCluster } from '../../migrations/renderForCluster.ts';
import { splitStatements } from '../../migrations/statements.ts';
import {
  poolEventLines,
  readLogs,
  transferLines,
} from '../../pipeline/testing/chaos/chainTruth.ts';
import { createDevnetDriver, type DevnetDriver } from '../../pipeline/testing/chaos/crashStage.ts';
import {
  assertSameLines,
  DEVNET_BASES,
  isAllRead,
  readDue,
  readStreamProgress,
  storedPoolEvents,
  storedTransfers,
} from '../../pipeline/testing/chaos/storedState.ts';
import { assertOneLine, leaderOf } from '../../pipeline/testing/leaders.ts';
import type { PipelineStack } from '../../pipeline/testing/pipelineStack.ts';
import { createWatchlistStore } from '../../shared/families/watchlistStore.ts';
import { chainStream } from '../../shared/messages/subjects.ts';
import { createClickhouse } from '../../shared/platform/clickhouse.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { createRpc, type Rpc } from '../../shared/platform/rpc/createRpc.ts';
import {
  createDevnet,
  type Devnet,
  type DevnetToken,
} from '../../shared/testing/devnet/createDevnet.ts';
import { DEVNET_PRICING } from '../../shared/testing/devnet/devnetAddresses.ts';
import { type Role, type TestProcess, until } from '../../shared/testing/pipelineProcess.ts';
import { createRandom } from '../../shared/testing/random.ts';
import {
  CLICKHOUSE_CLUSTER,
  type NatsServer,
  type Service,
  startAnvil,
} from '../../shared/testing/services.ts';

// Two chains with random life on one sharded deployment, while parts of it are killed.

/** What was checked, and what was seen. */
export interface Check {
  readonly what: string;
  readonly seen: string;
}

const CHAIN_IDS = [31_337, 31_338] as const;
const SCORERS = 2;
/** Makes a token that is watched, first of all on each chain: so it has the same address on both. */
const WATCHED_CREATOR = 8;
/** Things that happen on each chain before, between and after the faults. */
const ACTIONS = 6;
const REORG_DEPTH_MAX = 3;
const WAIT_MS_MAX = 600_000;
const SUPERVISION_MS = 200;

/** A role that is started again when it ends, as every supervisor does. */
interface Supervised {
  /** All processes of it, the one that runs last. */
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
  /** Nothing happens to it by chance. */
  readonly watched: DevnetToken;
  readonly rpc: Rpc;
  readonly scorers: readonly Supervised[];
  readonly roles: readonly Supervised[];
}

/** At least one chain; faults hit the first. */
type LiveChains = readonly [LiveChain, ...LiveChain[]];
/** Makes one part of the deployment fail and waits until the rest has made up for it. */
type Fault = (stack: PipelineStack, chains: LiveChains) => Promise<Check>;

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
  const scorers = Array.from({ length: SCORERS }, () => start('scorer'));
  const roles = [start('watcher'), ...scorers, start('clusters'), start('alerts')];
  const rpc = createRpc([node.url], systemClock);
  return { id, node, devnet, driver, watched, rpc, scorers, roles };
};

const act = async (chains: readonly LiveChain[]): Promise<void> => {
  await Promise.all(
    chains.map(async ({ driver }) => {
      for (let i = 0; i < ACTIONS; i += 1) await driver.act(REORG_DEPTH_MAX);
    }),
  );
};

/** @throws Error after some minutes with how far readers are, and what the roles wrote */
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

const seconds = (fromMs: number): string =>
  `${((performance.now() - fromMs) / 1_000).toFixed(1)} s`;

const killScorer: Fault = async (stack, [chain]) => {
  const leader = (): Promise<TestProcess | undefined> => {
    const running = chain.scorers.flatMap(({ processes }) => processes);
    const alive = running.filter((process) => !process.hasEnded());
    return leaderOf(stack.nats, `scorer.${chain.id}`, alive);
  };
  const killed = await until('a scorer leads', leader, WAIT_MS_MAX);
  await killed.stop('SIGKILL');
  const startMs = performance.now();
  await until('another scorer leads', leader, WAIT_MS_MAX);
  return {
    what: 'the leading scorer of a chain killed',
    seen: `the other leads after ${seconds(startMs)}`,
  };
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

/** Waits until every server has everything of every stream: the next fault may take another server. */
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

/** Waits until another server leads the stream of a chain, and everything was read without the lost one. @returns what was seen */
const untilReadWithout = async (
  stack: PipelineStack,
  chains: LiveChains,
  lost: NatsServer,
): Promise<string> => {
  const startMs = performance.now();
  const isOther = async (): Promise<true | undefined> =>
    (await streamLeader(stack, chains[0].id)).name === lost.name ? undefined : true;
  await until('another server leads', isOther, WAIT_MS_MAX);
  const took = seconds(startMs);
  await act(chains);
  await untilRead(stack, chains);
  return `another leads after ${took}; both chains were read to their ends by the two that were left`;
};

const killStreamLeader: Fault = async (stack, chains) => {
  const killed = await streamLeader(stack, chains[0].id);
  await killed.kill();
  const seen = await untilReadWithout(stack, chains, killed);
  await killed.restart();
  await untilCurrent(stack);
  return { what: 'the NATS server that leads a stream killed', seen };
};

const freezeStreamLeader: Fault = async (stack, chains) => {
  const frozen = await streamLeader(stack, chains[0].id);
  frozen.signal('SIGSTOP');
  const seen = await untilReadWithout(stack, chains, frozen);
  frozen.signal('SIGCONT');
  await untilCurrent(stack);
  return { what: 'the NATS server that leads a stream frozen, then awake again', seen };
};

/** Watches the token that both chains have, on all chains. */
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

/** Pulls the liquidity of the watched token on the last chain. @throws AssertionError where an alert is of another one */
const checkAlerts = async (stack: PipelineStack, chains: LiveChains): Promise<Check> => {
  const { id, devnet, watched } = chains.at(-1) ?? chains[0];
  assert.equal(watched.address, chains[0].watched.address);
  await devnet.removeLiquidity(watched);
  const raised = async () => {
    const sql = 'SELECT a.chain_id AS chain FROM alerts AS a FINAL';
    const rows = await stack.clickhouse.query(sql, {}, chainSchema);
    return rows.length > 0 ? rows : undefined;
  };
  const rows = await until('an alert', raised, WAIT_MS_MAX);
  await untilRead(stack, chains);
  assert.ok(rows.every(({ chain }) => chain === id));
  return {
    what: 'liquidity pulled from a watched token that both chains have',
    seen: 'an alert of the chain on which it happened, and none of the other',
  };
};

const lineSchema = z.object({ line: z.string() });
const verdictSchema = z.object({
  chain: z.number(),
  token: z.string(),
  block: z.number(),
  hash: z.string(),
});
const countSchema = z.object({ rows: z.number() });

/** Looks for the block that each verdict rests on, but those on base tokens. @throws AssertionError where its chain has another one */
const checkVerdicts = async (stack: PipelineStack, chains: LiveChains): Promise<void> => {
  const sql =
    'SELECT v.chain_id AS chain, v.token AS token, v.block_number AS block, v.block_hash AS hash FROM verdicts AS v';
  const verdicts = await stack.clickhouse.query(sql, {}, verdictSchema);
  for (const { chain, token, block, hash } of verdicts) {
    if (DEVNET_BASES.includes(token)) continue;
    const own = chains.find(({ id }) => id === chain);
    assert.equal(hash, (await own?.rpc.source.header(block))?.hash, `${token} on chain ${chain}`);
  }
};

/** Compares what is stored with the chains. @throws AssertionError */
const checkFacts = async (stack: PipelineStack, chains: LiveChains): Promise<Check[]> => {
  const { clickhouse } = stack;
  const logs = (
    await Promise.all(chains.map(({ devnet }) => readLogs(devnet.publicClient)))
  ).flat();
  const transfers = transferLines(logs);
  const events = poolEventLines(logs);
  assertSameLines(await storedTransfers(clickhouse), transfers, 'transfers');
  assertSameLines(await storedPoolEvents(clickhouse), events, 'events of pools');
  const linesOf = async (view: string): Promise<string[]> => {
    const sql = `SELECT concat(toString(t.chain_id), ' ', t.token) AS line FROM ${view} AS t`;
    return (await clickhouse.query(sql, {}, lineSchema)).map(({ line }) => line).toSorted();
  };
  const tokens = await linesOf('tokens');
  assertSameLines(await linesOf('verdicts'), tokens, 'verdicts');
  const shared = tokens.length - new Set(tokens.map((line) => line.split(' ')[1])).size;
  assert.ok(shared > 0, 'tokens of the same address are on both chains');
  await checkVerdicts(stack, chains);
  const seen =
    'as eth_getLogs of the nodes shows them, reorgs taken back: none missing, none doubled';
  return [
    {
      what: `${transfers.length} transfers and ${events.length} pool events of both chains`,
      seen,
    },
    {
      what: `verdicts on ${tokens.length} tokens, ${shared} of which have the same address on both chains`,
      seen: 'one for each token and chain, resting on a block of that chain',
    },
  ];
};

/** Compares the shards. @throws AssertionError */
const checkShards = async (stack: PipelineStack): Promise<Check[]> => {
  const onEach = (sql: string): Promise<number[]> =>
    Promise.all(
      stack.clickhouseServers.map(async ({ url }) => {
        const server = createClickhouse({ url });
        const [row] = await server.query(sql, {}, countSchema);
        await server.close();
        return row?.rows ?? 0;
      }),
    );
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
  const target = { cluster: CLICKHOUSE_CLUSTER, database: 'tsd' };
  const statements = (await readMigrations())
    .flatMap(({ sql }) => splitStatements(sql))
    .flatMap((one) => renderForCluster(one, target));
  for (const statement of statements) await stack.clickhouse.exec(`EXPLAIN AST ${statement}`);
  return [
    { what: 'transfers by shard', seen: `${parts.join(', ')}; each server shows all ${total}` },
    {
      what: 'versions of verdicts',
      seen: 'all of a token in one shard',
    },
    {
      what: `${statements.length} statements for a replicated cluster`,
      seen: 'the engine parses them',
    },
  ];
};

/** Reads the streams. @throws AssertionError */
const checkStreams = async (stack: PipelineStack, chains: readonly LiveChain[]): Promise<Check> => {
  const jsm = await stack.nats.jetstreamManager();
  for await (const { config } of jsm.streams.list()) {
    assert.equal(config.num_replicas, stack.natsServers.length, config.name);
  }
  let messages = 0;
  for (const { id, rpc } of chains) {
    messages += await assertOneLine(stack.nats, id, (await rpc.source.follow(0, 0)).head.hash);
  }
  return {
    what: `${messages} messages of two streams`,
    seen: 'three copies of every stream; only events of its own chain; each block follows its parent',
  };
};

/** Runs two chains, kills parts, and compares everything with the nodes. @throws AssertionError */
export const checkFaults = async (stack: PipelineStack): Promise<Check[]> => {
  const [first, second] = CHAIN_IDS;
  const chains = await Promise.all([startChain(stack, first), startChain(stack, second)]);
  try {
    await watchToken(stack, chains);
    const faults: Check[] = [];
    for (const fault of [killScorer, killStreamLeader, freezeStreamLeader]) {
      await act(chains);
      const check = await fault(stack, chains);
      console.log(`${check.what}: ${check.seen}`);
      faults.push(check);
    }
    await act(chains);
    await untilRead(stack, chains);
    const alerts = await checkAlerts(stack, chains);
    const started = chains.flatMap(({ roles }) => roles);
    const restarts = started.reduce((sum, { processes }) => sum + processes.length - 1, 0);
    return [
      ...faults,
      {
        what: `processes that ended and were started again, of ${started.length}`,
        seen: `${restarts}, the killed scorer among them`,
      },
      alerts,
      ...(await checkFacts(stack, chains)),
      ...(await checkShards(stack)),
      await checkStreams(stack, chains),
    ];
  } finally {
    for (const { roles, rpc, node } of chains) {
      await Promise.all(roles.map((role) => role.stop()));
      rpc.close();
      await node.stop();
    }
    await sleep(SUPERVISION_MS);
  }
};
