import assert from 'node:assert';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NatsError } from 'nats';
import { z } from 'zod';
import { migrate } from '../../migrations/migrate.ts';
import { renderForCluster } from '../../migrations/renderForCluster.ts';
import { chainStream } from '../../shared/messages/subjects.ts';
import { type Clickhouse, createClickhouse } from '../../shared/platform/clickhouse.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { connectNats, ensureStreams } from '../../shared/platform/nats.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import {
  type Role,
  startRole,
  startScript,
  type TestProcess,
  until,
} from '../../shared/testing/pipelineProcess.ts';
import {
  CLICKHOUSE_CLUSTER,
  freePort,
  loopbackHosts,
  type NatsServer,
  type Service,
  startClickhouseCluster,
  startNatsCluster,
} from '../../shared/testing/services.ts';
import { type Stores, startStores } from '../../shared/testing/stores.ts';
import { HORIZONS_S } from '../scorer/horizon/horizons.ts';
import { readDue } from './chaos/storedState.ts';

const ON_CLUSTER = ` ON CLUSTER ${CLICKHOUSE_CLUSTER}`;
const REPLICATED = /ENGINE = Replicated(\w+)\('[^']*', '[^']*'(?:, )?/;

/**
 * What the embedded engine can run of a statement for a cluster. It refuses ON CLUSTER ("Replicated DDL queries are
 * disabled"), so the statement is run on every server instead. It makes replicated tables read-only ("Parameter
 * 'interserver_http(s)_port' required for replication is not specified"), so replication is left out.
 */
const embedded = (statement: string): string =>
  statement.replace(ON_CLUSTER, '').replace(REPLICATED, 'ENGINE = $1(');

/** Creates the tables of a sharded deployment on servers that know one another. */
const migrateShards = async (urls: readonly string[]): Promise<void> => {
  const target = { cluster: CLICKHOUSE_CLUSTER, database: 'tsd' };
  const servers = urls.map((url) => createClickhouse({ url }));
  const [first] = servers;
  assert.ok(first);
  const exec = async (statement: string): Promise<void> => {
    const where = statement.includes(ON_CLUSTER) ? servers : [first];
    await Promise.all(where.map((server) => server.exec(embedded(statement))));
  };
  const render = (statement: string): string[] => renderForCluster(statement, target);
  await migrate({ ...first, exec }, silentLogger, { render });
  await Promise.all(servers.map((server) => server.close()));
};

const progressSql = `SELECT p.block_number AS block FROM chain_progress AS p FINAL
  WHERE p.chain_id = {chainId:UInt64} AND p.reader = 'scorer'`;
const progressSchema = z.object({ block: z.number() });
const horizonsSql = `SELECT count() AS passed FROM (
    SELECT toUnixTimestamp(first_sync_at) + arrayJoin({horizons:Array(UInt32)}) AS at FROM pool_first_syncs FINAL WHERE chain_id = {chainId:UInt64})
  WHERE at > (SELECT toUnixTimestamp(max(timestamp)) FROM chain_progress FINAL WHERE chain_id = {chainId:UInt64} AND reader = 'horizons')
    AND at < (SELECT toUnixTimestamp(max(timestamp)) FROM chain_progress FINAL WHERE chain_id = {chainId:UInt64} AND reader = 'scorer')`;

/** Horizons that the stored facts have passed, and that are not recorded as scored. */
export const horizonsLeft = async (clickhouse: Clickhouse, chainId: number): Promise<number> => {
  const params = { chainId, horizons: HORIZONS_S };
  const [row] = await clickhouse.query(horizonsSql, params, z.object({ passed: z.number() }));
  return row?.passed ?? 0;
};

const NATS_CLUSTER_MS = 180_000;

/** A NATS cluster that has elected a JetStream leader. */
const startNatsServers = async (count: number): Promise<NatsServer[]> => {
  const names = Array.from({ length: count }, (_, i) => `nats-${i}`);
  const members = await startNatsCluster(await loopbackHosts(names));
  const connection = await connectNats(urlOf(members), 'test');
  let failure: unknown;
  const isFormed = () =>
    ensureStreams(connection, [], count).then(
      () => true as const,
      (error: unknown) => {
        failure = error;
        return undefined;
      },
    );
  await until('the NATS cluster', isFormed, NATS_CLUSTER_MS).catch((error: unknown) => {
    throw new Error(`${errorMessage(error)}${errorMessage(failure)}`, { cause: failure });
  });
  await connection.close();
  return members;
};

const urlOf = (members: readonly Service[]): string => members.map(({ url }) => url).join(',');

/** Whether the scorer has acknowledged everything in a chain's stream. */
const isTaken = async (nats: Stores['nats'], chainId: number): Promise<boolean> => {
  try {
    const manager = await nats.jetstreamManager();
    const info = await manager.consumers.info(chainStream(chainId), 'scorer');
    return info.num_pending === 0 && info.num_ack_pending === 0;
  } catch (error) {
    // The stream and its reader may not exist yet.
    if (error instanceof NatsError) return false;
    throw error;
  }
};

/**
 * Starts NATS, Redis and ClickHouse, and creates the tables. @param options number of servers of a kind, one if
 * absent
 */
export const startPipelineStack = async ({
  shards = 1,
  natsServers = 1,
}: {
  shards?: number;
  natsServers?: number;
} = {}) => {
  const [members, tables] = await Promise.all([
    natsServers > 1 ? startNatsServers(natsServers) : [],
    shards > 1 ? startClickhouseCluster(shards) : [],
  ]);
  const [member, table] = [members[0], tables[0]];
  if (table) await migrateShards(tables.map(({ url }) => url));
  const stores = await startStores({
    ...(member && { nats: async () => ({ ...member, url: urlOf(members) }) }),
    ...(table && { clickhouse: async () => table }),
  });
  const { clickhouse, nats } = stores;
  const roles: TestProcess[] = [];
  const isScored = async (
    chainId: number,
    block: number,
    besides: readonly string[],
  ): Promise<boolean> => {
    const [progress] = await clickhouse.query(progressSql, { chainId }, progressSchema);
    if ((progress?.block ?? -1) < block || !(await isTaken(nats, chainId))) return false;
    const due = await readDue(clickhouse, chainId, besides);
    return due === 0 && (await horizonsLeft(clickhouse, chainId)) === 0;
  };
  return {
    ...stores,
    /** The shards of a cluster; empty where there is one server. */
    clickhouseServers: tables,
    /** The servers of a NATS cluster; empty where there is one server. */
    natsServers: members,
    /** Starts a role with the servers' addresses and the test's settings. */
    start: (role: Role, environment: Readonly<Record<string, string>>): TestProcess => {
      const started = startRole(role, {
        ...stores.environment,
        NATS_REPLICAS: String(natsServers),
        ...environment,
      });
      roles.push(started);
      return started;
    },
    /**
     * Waits until the scorer has stored everything up to the block and has no verdict left to compute.
     * @param besides tokens whose verdict is not waited for: base tokens are scored once a minute.
     */
    untilScored: async (
      chainId: number,
      block: number,
      timeoutMs: number,
      besides: readonly string[] = [],
    ): Promise<void> => {
      const ask = async () => (await isScored(chainId, block, besides)) || undefined;
      await until(`scored up to ${block}`, ask, timeoutMs, roles);
    },
    /** Ends roles, then servers. */
    stop: async (): Promise<void> => {
      await Promise.all(roles.map((role) => role.stop('SIGKILL')));
      await stores.stop();
      await Promise.all([...members.slice(1), ...tables.slice(1)].map((server) => server.stop()));
    },
  };
};
/** Servers with empty, migrated tables, and the roles a test starts on them. */
export type PipelineStack = Awaited<ReturnType<typeof startPipelineStack>>;

const SHARED = join(projectRoot(), '../shared');
const TOOL = join(SHARED, 'tools/replay-rpc.mjs');
/** Verified mainnet blocks. */
export const RECORDED_BLOCKS = join(SHARED, 'data/mainnet-blocks');
/** The history of pools of 2020 and 2021. */
export const RECORDED_MARKET = join(SHARED, 'data/univ2-weth-pools');

/** Why a test of recorded data is skipped, reported loudly; false if the data is available. */
export const skipUnless = (folder: string): string | false =>
  existsSync(TOOL) && existsSync(folder) ? false : `SKIPPED: ${folder} is not there`;

/** A node that serves recorded data. */
export interface Replay {
  readonly url: string;
  readonly process: TestProcess;
}

const READY_MS = 180_000;
/** A free port may be taken before the tool binds it: then another one is tried. */
const START_ATTEMPTS_MAX = 3;

/** The replay tool as the chain's node. */
export const startReplay = async (args: readonly string[]): Promise<Replay> => {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const process = startScript('replay', [TOOL, ...args, '--port', String(port)]);
    const isUp = () => process.output().includes('replaying') || undefined;
    try {
      await until('the replayed chain', isUp, READY_MS, [process]);
      return { url: `http://127.0.0.1:${port}`, process };
    } catch (error) {
      await process.stop('SIGKILL');
      if (attempt === START_ATTEMPTS_MAX) throw error;
    }
  }
};

/** Starts a watcher and a scorer that read a replayed chain from a block on. */
export const readReplay = (
  stack: PipelineStack,
  { url }: Replay,
  from: { readonly chainId: number; readonly startBlock: number },
): void => {
  const environment = {
    RPC_URL: url,
    CHAIN_ID: String(from.chainId),
    START_BLOCK: String(from.startBlock),
  };
  stack.start('watcher', environment);
  stack.start('scorer', environment);
};
