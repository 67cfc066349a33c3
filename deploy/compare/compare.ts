import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { TOPIC } from '../../shared/decode/topic.ts';
import { freePort } from '../../shared/testing/services.ts';
import { startBenchStack } from '../bench/benchStack.ts';
import {
  type Child,
  childPids,
  cpuSecondsOf,
  cpuSecondsOfTree,
  memoryOf,
  serverPids,
  startNode,
  untilAnswers,
  watchOthersBeside,
} from '../bench/childProcesses.ts';
import { MARKET_LOGS } from '../bench/markets.ts';
import { measureRawReading } from '../bench/rawReading.ts';
import { createSyntheticChain } from '../bench/syntheticChain.ts';
import { LOOPBACK } from '../local/launch.ts';
import { machineLine, markdownTable, whole, writeReport } from '../report.ts';
import { installPonder, installSqd, type Peer } from './peers.ts';
import { type Postgres, startPostgres } from './postgres.ts';

// Backfill of one synthetic chain by this service, Ponder and SQD, in turns, from the same node: make compare
// The table goes into COMPARISON.md; what is compared, and what is not, is said there.

const BLOCKS = Number(process.env['BLOCKS'] || 4_000);
const ROUNDS = Number(process.env['ROUNDS'] || 3);
const MARKETS = 'uniswap_v2';
/** Any chain's WETH: none of the transfers is of it. */
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const POLL_MS = 50;
const RUN_TIMEOUT_MS = 900_000;
const MARKS = ['<!-- table: written by make compare -->', '<!-- end of the table -->'] as const;

const chain = createSyntheticChain(BLOCKS, MARKETS);
/** Every second block has the events of the markets. */
const poolEvents = (BLOCKS / 2) * MARKET_LOGS[MARKETS].length;
const expected = {
  transfers: chain.transfers,
  pool_events: poolEvents,
  value: chain.totals().values.toString(),
};
const EVENTS = expected.transfers + expected.pool_events;
const totalsSchema = z.array(
  z.object({
    transfers: z.coerce.number(),
    pool_events: z.coerce.number(),
    value: z.coerce.string(),
  }),
);

/** One that reads the chain while it is measured. */
interface Subject {
  readonly programs: readonly number[];
  readonly servers: readonly number[];
  /** Whether all rows are stored. @throws Error when a program has ended before. */
  isDone(): Promise<boolean>;
  readTotals(): Promise<unknown[]>;
  stop(): Promise<void>;
}

/** Prepared servers; `start` starts the programs, and time is measured from there. */
interface Prepared {
  start(rpcUrl: string): Promise<Subject>;
}

interface Result {
  readonly seconds: number;
  readonly programCpuS: number;
  readonly serverCpuS: number;
  readonly nodeCpuS: number;
  readonly programMib: number;
  readonly requests: number;
  /** Of raw reading, in the same run. */
  readonly ratio: number;
  readonly others: number;
}

const totalsSql = (transfers: string, events: string): string =>
  `SELECT count(*) AS transfers, (${events}) AS pool_events, sum(value) AS value FROM ${transfers}`;

const prepareOurs = async (): Promise<Prepared> => {
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
  return {
    start: async (rpcUrl) => {
      const environment = (role: string) => ({
        RPC_URL: `${rpcUrl}/${role}`,
        CHAIN_ID: '1',
        START_BLOCK: String(chain.firstBlock),
        WETH_ADDRESS: WETH,
      });
      const roles = await Promise.all(
        ['watcher', 'scorer'].map((role) => stack.role(role, environment(role), false)),
      );
      const failed = Promise.race(roles.map((role) => role.failed));
      return {
        programs: roles.map(({ pid }) => pid),
        servers: [...serverPids().values()],
        isDone: async () => {
          const [found] = await Promise.race([readTotals(false), failed]);
          return (found?.transfers ?? 0) + (found?.pool_events ?? 0) >= EVENTS;
        },
        readTotals: () => readTotals(true),
        stop: () => stack.stop(),
      };
    },
  };
};

const environmentOf = (postgres: Postgres, rpcUrl: string): Record<string, string> => ({
  DB_URL: postgres.url,
  RPC_URL: rpcUrl,
  FIRST_BLOCK: String(chain.firstBlock),
  LAST_BLOCK: String(chain.lastBlock),
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
  program: (port: number) => { args: string[]; isDone: (child: Child) => Promise<boolean> },
): Promise<Prepared> => {
  const logs = mkdtempSync(join(tmpdir(), 'tsd-compare-'));
  const postgres = await startPostgres(folder);
  const { args, isDone } = program(await freePort());
  return {
    start: async (rpcUrl) => {
      const env = environmentOf(postgres, rpcUrl);
      const child = startNode({ name, args, env, folder: logs, cwd: folder });
      const events = `SELECT (SELECT count(*) FROM ${schema}.sync) + (SELECT count(*) FROM ${schema}.swap)`;
      return {
        programs: [child.pid],
        servers: [postgres.pid],
        isDone: () => isDone(child),
        readTotals: () => postgres.query(totalsSql(`${schema}.transfer`, events)),
        stop: async () => {
          await child.stop();
          await postgres.stop();
          rmSync(logs, { recursive: true, force: true });
        },
      };
    },
  };
};

const preparePonder = (peer: Peer): Promise<Prepared> =>
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

const prepareSqd = (peer: Peer): Promise<Prepared> =>
  preparePeer(peer, 'public', () => ({
    args: ['main.js'],
    // It ends after the last block; whether well is said by its rows.
    isDone: (child) => Promise.race([child.ended.then(() => true), sleep(POLL_MS, false)]),
  }));

const countsSchema = z.record(z.object({ requests: z.number() }));
const requestsOf = async (nodeUrl: string, path: string): Promise<number> => {
  const counts = countsSchema.parse(await (await fetch(`${nodeUrl}/counts`)).json());
  return Object.entries(counts)
    .filter(([key]) => key.startsWith(path))
    .reduce((sum, [, { requests }]) => sum + requests, 0);
};

/** CPU seconds of trees of processes: what was last seen of those that have ended. */
const watchCpu = (pids: readonly number[]): (() => number) => {
  const seen = new Map(pids.map((pid) => [pid, 0]));
  return () => {
    for (const [pid, last] of seen) seen.set(pid, Math.max(last, cpuSecondsOfTree(pid)));
    return [...seen.values()].reduce((sum, one) => sum + one, 0);
  };
};

const measure = async (prepare: () => Promise<Prepared>): Promise<Result> => {
  const folder = mkdtempSync(join(tmpdir(), 'tsd-compare-'));
  const port = await freePort();
  const nodeUrl = `http://${LOOPBACK}:${port}`;
  const program = ['--import', 'tsx', 'deploy/bench/syntheticNode.ts'];
  const args = [...program, String(port), String(BLOCKS), MARKETS];
  const node = startNode({ name: 'node', args, folder });
  const prepared = await prepare();
  let subject: Subject | undefined;
  try {
    await untilAnswers(`${nodeUrl}/counts`, node);
    const { perS: rawPerS } = await measureRawReading(nodeUrl, chain);
    const nodeBeforeS = cpuSecondsOf(node.pid);
    const serverBefore = new Map(childPids().map((pid) => [pid, cpuSecondsOfTree(pid)]));
    const startedMs = performance.now();
    subject = await prepared.start(`${nodeUrl}/subject`);
    const [programCpuS, serverCpuS] = [watchCpu(subject.programs), watchCpu(subject.servers)];
    const others = watchOthersBeside(() => programCpuS() + serverCpuS() + cpuSecondsOf(node.pid));
    let programMib = 0;
    for (;;) {
      const isDone = await subject.isDone();
      programCpuS();
      const mib = subject.programs.reduce((sum, pid) => sum + memoryOf(pid).rssMib, 0);
      programMib = Math.max(programMib, mib);
      if (isDone) break;
      const elapsedMs = performance.now() - startedMs;
      if (elapsedMs > RUN_TIMEOUT_MS) throw new Error(`not done after ${elapsedMs / 1_000} s`);
      await sleep(POLL_MS);
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    const before = subject.servers.reduce((sum, pid) => sum + (serverBefore.get(pid) ?? 0), 0);
    const result = {
      seconds,
      programCpuS: programCpuS(),
      serverCpuS: serverCpuS() - before,
      nodeCpuS: cpuSecondsOf(node.pid) - nodeBeforeS,
      programMib,
      requests: await requestsOf(nodeUrl, 'subject'),
      ratio: EVENTS / seconds / rawPerS,
      others: others(),
    };
    const [found] = totalsSchema.parse(await subject.readTotals());
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      throw new Error(`rows differ: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
    }
    return result;
  } finally {
    await subject?.stop();
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

const medianOf = (results: readonly Result[], name: keyof Result): number =>
  results.map((one) => one[name]).toSorted((a, b) => a - b)[Math.floor(results.length / 2)] ?? 0;

const tableOf = (results: ReadonlyMap<string, readonly Result[]>): string => {
  const heads = [
    '',
    'seconds',
    'events/s',
    'CPU seconds: programs + servers',
    'events per CPU second',
    'programs, MiB',
    'requests',
    'CPU seconds of the node',
  ];
  const rows = [...results].map(([name, all]) => {
    const of = (field: keyof Result): number => medianOf(all, field);
    const cpuS = of('programCpuS') + of('serverCpuS');
    return [
      name,
      of('seconds').toFixed(1),
      whole(EVENTS / of('seconds')),
      `${of('programCpuS').toFixed(1)} + ${of('serverCpuS').toFixed(1)}`,
      whole(EVENTS / cpuS),
      whole(of('programMib')),
      whole(of('requests')),
      of('nodeCpuS').toFixed(1),
    ];
  });
  return markdownTable([heads, ...rows]);
};

const main = async (): Promise<void> => {
  const [ponder, sqd] = [await installPonder(), await installSqd()];
  const probe = await startPostgres(sqd.folder);
  await probe.stop();
  const store = `PostgreSQL ${probe.version}`;
  const subjects = new Map([
    ['this service, ClickHouse', prepareOurs],
    [`Ponder ${ponder.version}, ${store}`, () => preparePonder(ponder)],
    [`SQD ${sqd.version}, ${store}`, () => prepareSqd(sqd)],
  ]);
  const results = new Map([...subjects.keys()].map((name): [string, Result[]] => [name, []]));
  const order = [...subjects];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, prepare] of order) {
      const result = await measure(prepare);
      results.get(name)?.push(result);
      console.log(name, JSON.stringify(result));
    }
    order.push(...order.splice(0, 1));
  }
  const others = medianOf([...results.values()].flat(), 'others');
  writeReport('COMPARISON.md', MARKS, [
    `${whole(expected.transfers)} transfers and ${whole(poolEvents)} pool events in ${whole(BLOCKS)} blocks, median of ${ROUNDS} alternating rounds, ${machineLine(others)}:`,
    '',
    tableOf(results),
  ]);
};

await main();
