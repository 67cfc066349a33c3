import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { TOPIC } from '../../shared/decode/topic.ts';
import { startScript, type TestProcess } from '../../shared/testing/pipelineProcess.ts';
import { freePort } from '../../shared/testing/services.ts';
import { startBenchStack } from '../bench/benchStack.ts';
import { serverPids } from '../bench/childProcesses.ts';
import { LOOPBACK } from '../local/launch.ts';
import type { Peer } from './peers.ts';
import { type Postgres, startPostgres } from './postgres.ts';

/** What of a chain is to be stored. */
export interface Task {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly firstBlock: number;
  /** Absent: the head is followed, which the node announces by WebSocket. */
  readonly lastBlock?: number;
  /** More settings of this service. */
  readonly environment: Readonly<Record<string, string>>;
}

export const totalsSchema = z.array(
  z.object({
    transfers: z.coerce.number(),
    pool_events: z.coerce.number(),
    value: z.coerce.string(),
  }),
);

/** One that reads the chain while it is measured. */
export interface Subject {
  readonly programs: readonly number[];
  readonly servers: readonly number[];
  /** Whether `events` rows are stored. @throws Error when a program has ended before. */
  isDone(events: number): Promise<boolean>;
  /** How many transfers of a block are stored. @throws Error when a program has ended. */
  transfersOf(block: number): Promise<number>;
  readTotals(): Promise<unknown[]>;
  stop(): Promise<void>;
}

/** Prepared servers; `start` starts the programs, and time is measured from there. */
export interface Prepared {
  start(task: Task): Promise<Subject>;
}

const POLL_MS = 50;
/** Of PostgreSQL. The programs create their tables. */
const NO_SUCH_TABLE = '42P01';
const countSchema = z.object({ found: z.number() });

const totalsSql = (transfers: string, events: string): string =>
  `SELECT count(*) AS transfers, (${events}) AS pool_events, sum(value) AS value FROM ${transfers}`;

export const prepareOurs = async (): Promise<Prepared> => {
  const stack = await startBenchStack();
  const readTotals = (isFinal: boolean): Promise<z.infer<typeof totalsSchema>> => {
    const final = isFinal ? 'FINAL' : '';
    const events = `SELECT count() FROM fact_pool_events ${final}`;
    const sql = totalsSql(`fact_transfers ${final}`, events);
    return stack.clickhouse.query(
      sql.replace('sum(value)', 'toString(sum(value))'),
      {},
      totalsSchema.element,
    );
  };
  const readTransfersOf = async (block: number): Promise<number> => {
    const sql = `SELECT count() AS found FROM fact_transfers WHERE block_number = {block:UInt64}`;
    const [row] = await stack.clickhouse.query(sql, { block }, countSchema);
    return row?.found ?? 0;
  };
  return {
    start: async ({ rpcUrl, chainId, firstBlock, lastBlock, environment }) => {
      const environmentOf = (role: string) => ({
        RPC_URL: lastBlock === undefined ? rpcUrl.replace('http', 'ws') : `${rpcUrl}/${role}`,
        CHAIN_ID: String(chainId),
        START_BLOCK: String(firstBlock),
        ...environment,
      });
      const roles = await Promise.all(
        ['watcher', 'scorer'].map((role) => stack.role(role, environmentOf(role), false)),
      );
      const failed = Promise.race(roles.map((role) => role.failed));
      return {
        programs: roles.map(({ pid }) => pid),
        servers: [...serverPids()].flatMap(([name, pid]) => (name === 'anvil' ? [] : pid)),
        isDone: async (events) => {
          const [found] = await Promise.race([readTotals(false), failed]);
          return (found?.transfers ?? 0) + (found?.pool_events ?? 0) >= events;
        },
        transfersOf: (block) => Promise.race([readTransfersOf(block), failed]),
        readTotals: () => readTotals(true),
        stop: () => stack.stop(),
      };
    },
  };
};

const environmentOf = (
  postgres: Postgres,
  { rpcUrl, chainId, firstBlock, lastBlock }: Task,
): Record<string, string> => ({
  DB_URL: postgres.url,
  RPC_URL: rpcUrl,
  CHAIN_ID: String(chainId),
  FIRST_BLOCK: String(firstBlock),
  ...(lastBlock === undefined
    ? { WS_URL: rpcUrl.replace('http', 'ws') }
    : { LAST_BLOCK: String(lastBlock) }),
  TRANSFER: TOPIC.transfer,
  SYNC: TOPIC.sync,
  SWAP: TOPIC.swap,
  PONDER_TELEMETRY_DISABLED: '1',
  NODE_ENV: 'production',
});

/** @param schema where its tables are */
const preparePeer = async (
  { folder, name }: Peer,
  schema: string,
  program: (port: number) => { args: string[]; isDone: (child: TestProcess) => Promise<boolean> },
): Promise<Prepared> => {
  const postgres = await startPostgres(folder);
  const { args, isDone } = program(await freePort());
  const readTransfersOf = async (block: number): Promise<number> => {
    const sql = `SELECT count(*)::int AS found FROM ${schema}.transfer WHERE block_number = ${block}`;
    const rows = await postgres.query(sql).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === NO_SUCH_TABLE) return [];
      throw error;
    });
    return z.array(countSchema).parse(rows)[0]?.found ?? 0;
  };
  return {
    start: async (task) => {
      const env = environmentOf(postgres, task);
      const child = startScript(name, args, env, { cwd: folder });
      const events = `SELECT (SELECT count(*) FROM ${schema}.sync) + (SELECT count(*) FROM ${schema}.swap)`;
      return {
        programs: [child.pid],
        servers: [postgres.pid],
        isDone: () => isDone(child),
        transfersOf: (block) => Promise.race([readTransfersOf(block), child.failed]),
        readTotals: () => postgres.query(totalsSql(`${schema}.transfer`, events)),
        stop: async () => {
          await child.stop();
          await postgres.stop();
        },
      };
    },
  };
};

export const preparePonder = (peer: Peer): Promise<Prepared> =>
  preparePeer(peer, 'ponder', (port) => ({
    args: [
      'node_modules/ponder/dist/esm/bin/ponder.js',
      'start',
      '--schema=ponder',
      `--port=${port}`,
      '--log-level=warn',
    ],
    isDone: (child) => {
      // It answers once it has read up to the last block.
      const isReady = fetch(`http://${LOOPBACK}:${port}/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      return Promise.race([isReady, child.failed]);
    },
  }));

export const prepareSqd = (peer: Peer): Promise<Prepared> =>
  preparePeer(peer, 'public', () => ({
    args: ['main.js'],
    // It ends after the last block; whether well is said by its rows.
    isDone: (child) => Promise.race([child.ended.then(() => true), sleep(POLL_MS, false)]),
  }));
