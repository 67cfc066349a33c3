import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { startScript, type TestProcess } from '../../shared/testing/pipelineProcess.ts';
import { freePort } from '../../shared/testing/services.ts';
import { LOOPBACK } from '../local/launch.ts';
import { startBenchStack } from './benchStack.ts';
import {
  childPids,
  cpuSecondsOf,
  memoryOf,
  serverPids,
  untilAnswers,
  watchOthers,
} from './childProcesses.ts';
import { measureRawReading, type Speed } from './rawReading.ts';
import { type ChainTotals, createSyntheticChain, type SyntheticChain } from './syntheticChain.ts';

// Speed of catching up with a chain: ERC-20 transfers from RPC to queryable rows, by the compiled watcher and scorer,
// compared with the limit: plain fetch, JSON.parse and slicing of the same answers in one process. The node generates
// its answers on request. All processes share the machine with the node and the servers.

const BLOCKS = [10_000, 30_000];
/** Each poll takes some 3 ms of a core. */
const POLL_MS = 200;
const TIMEOUT_MS = 300_000;
/** A loaded machine is slow, but never this slow. */
const TIMEOUT_MS_PER_TRANSFER = 0.5;
/** Tenths of the rows. */
const MARKS = 10;
/** Tenths at either end that are compared. */
const MARKS_COMPARED = 2;
/** Any chain's WETH: none of the transfers is of it. */
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';

const countSchema = z.object({ rows: z.number() });
const totalsSchema = z.object({
  transfers: z.number(),
  tokens: z.number(),
  blockNumbers: z.string().transform(BigInt),
  logIndices: z.string().transform(BigInt),
  values: z.string().transform(BigInt),
});
const countsSchema = z.record(z.object({ requests: z.number(), calls: z.number() }));

const countRows = async (clickhouse: Clickhouse): Promise<number> => {
  const [row] = await clickhouse.query(
    'SELECT count() AS rows FROM fact_transfers',
    {},
    countSchema,
  );
  return row?.rows ?? 0;
};

/** @throws Error if a row is missing, duplicated or different. */
const checkRows = async (clickhouse: Clickhouse, expected: ChainTotals): Promise<void> => {
  const sql = `SELECT count() AS transfers, uniqExact(token) AS tokens, toString(sum(block_number)) AS blockNumbers,
    toString(sum(log_index)) AS logIndices, toString(sum(value)) AS values FROM fact_transfers FINAL`;
  const [found] = await clickhouse.query(sql, {}, totalsSchema);
  const show = (totals: ChainTotals | undefined): string =>
    JSON.stringify(totals, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  const same = (Object.keys(expected) as (keyof ChainTotals)[]).every(
    (name) => found?.[name] === expected[name],
  );
  if (!same) throw new Error(`rows differ\nexpected ${show(expected)}\nfound    ${show(found)}`);
};

/** The run when a tenth more of the rows was there. */
interface Mark {
  readonly seconds: number;
  readonly rows: number;
  /** CPU seconds of watcher, scorer and servers so far, without other processes. */
  readonly cpuS: number;
  /** Share of CPU time used by other work so far. */
  readonly others: number;
  /** Parts of all tables, not yet merged. */
  readonly parts: number;
  readonly rssMib: readonly number[];
}

const countParts = async (clickhouse: Clickhouse): Promise<number> => {
  const sql =
    'SELECT count() AS rows FROM system.parts WHERE active AND database = currentDatabase()';
  const [row] = await clickhouse.query(sql, {}, countSchema);
  return row?.rows ?? 0;
};

/** Takes a sample before the first row, and at each tenth of the rows. */
const watchRows = async (
  clickhouse: Clickhouse,
  pids: ReadonlyMap<string, number>,
  total: number,
  roles: readonly TestProcess[],
): Promise<Mark[]> => {
  const others = watchOthers(childPids());
  const startedMs = performance.now();
  const failed = Promise.race(roles.map((role) => role.failed));
  const timeoutMs = TIMEOUT_MS + total * TIMEOUT_MS_PER_TRANSFER;
  const cpuS = (): number => [...pids.values()].reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
  const cpuBeforeS = cpuS();
  const marks: Mark[] = [];
  for (;;) {
    const rows = await Promise.race([countRows(clickhouse), failed]);
    const seconds = (performance.now() - startedMs) / 1_000;
    if (rows * MARKS >= total * marks.length) {
      marks.push({
        seconds,
        rows,
        cpuS: cpuS() - cpuBeforeS,
        others: others(),
        parts: await countParts(clickhouse),
        rssMib: [...pids.values()].map((pid) => memoryOf(pid).rssMib),
      });
    }
    if (rows >= total) return marks;
    if (seconds * 1_000 > timeoutMs) throw new Error(`${rows} of ${total} rows after ${seconds} s`);
    await sleep(POLL_MS);
  }
};

const number = (value: number): string => Math.round(value).toLocaleString('en-US');

const speedOf = (from: Mark, to: Mark): Speed => ({
  perS: (to.rows - from.rows) / (to.seconds - from.seconds),
  perCpuS: (to.rows - from.rows) / (to.cpuS - from.cpuS),
});

/** Figures of each tenth, and whether the end was as fast as the beginning. */
const printMarks = (marks: readonly Mark[], names: readonly string[]): void => {
  console.log(
    `  by tenths: transfers/s, transfers by CPU second, parts, MiB of ${names.join(' / ')}`,
  );
  for (const [i, to] of marks.entries()) {
    const from = marks[i - 1];
    const { perS, perCpuS } = from ? speedOf(from, to) : { perS: 0, perCpuS: 0 };
    const cells = [number(perS), number(perCpuS), String(to.parts)].map((one) => one.padStart(9));
    console.log(`    ${String(i).padStart(2)}${cells.join('')}   ${to.rssMib.join(' / ')}`);
  }
  const at = (i: number): Mark => marks.at(i) as Mark;
  if (marks.length <= 2 * MARKS_COMPARED) return;
  const [start, end] = [
    speedOf(at(0), at(MARKS_COMPARED)),
    speedOf(at(-1 - MARKS_COMPARED), at(-1)),
  ];
  const slower = (name: keyof Speed): string => (start[name] / end[name]).toFixed(2);
  console.log(
    `  time of a transfer at the end by that at the start: ${slower('perS')} by the clock, ${slower('perCpuS')} by CPU seconds`,
  );
};

const printRun = async (
  chain: SyntheticChain,
  marks: readonly Mark[],
  limit: Speed,
  pids: ReadonlyMap<string, number>,
  nodeUrl: string,
): Promise<void> => {
  const { transfers } = chain;
  const blocks = chain.lastBlock - chain.firstBlock + 1;
  const { seconds = 0, others = 0 } = marks.at(-1) ?? {};
  const { perS, perCpuS } = speedOf(marks[0] as Mark, marks.at(-1) as Mark);
  const counts = countsSchema.parse(await (await fetch(`${nodeUrl}/counts`)).json());
  const share = (value: number): string => `${((100 * value) / blocks).toFixed(2)} %`;
  console.log(`\n${number(transfers)} transfers in ${number(blocks)} blocks, rows exact`);
  console.log(`  pipeline  ${number(perS)} transfers/s (${seconds.toFixed(2)} s)`);
  console.log(`  limit     ${number(limit.perS)} transfers/s: fetch + JSON.parse + slicing`);
  console.log(
    `  ratio     ${(perS / limit.perS).toFixed(3)} by the clock, ${(perCpuS / limit.perCpuS).toFixed(3)} by CPU seconds`,
  );
  console.log(`  others    ${(100 * others).toFixed(0)} % of the CPU went to other work`);
  const { requests = 0, calls = 0 } = counts['watcher'] ?? {};
  console.log(
    `  watcher   ${requests} requests, ${calls} calls: ${share(requests)}, ${share(calls)} of a block each`,
  );
  const tokens = counts['scorer'] ?? { requests: 0, calls: 0 };
  console.log(
    `  scorer    ${tokens.requests} requests, ${tokens.calls} calls, to confirm new tokens`,
  );
  for (const [name, pid] of pids) {
    console.log(
      `  ${name.padEnd(17)}${String(memoryOf(pid).peakMib).padStart(5)} MiB at its highest, ${cpuSecondsOf(pid).toFixed(1)} CPU seconds`,
    );
  }
  printMarks(marks, [...pids.keys()]);
};

const measure = async (blocks: number): Promise<void> => {
  const chain = createSyntheticChain(blocks);
  const stack = await startBenchStack();
  const port = await freePort();
  const program = ['--import', 'tsx', 'deploy/bench/syntheticNode.ts'];
  const node = startScript('node', [...program, String(port), String(blocks)]);
  const nodeUrl = `http://${LOOPBACK}:${port}`;
  try {
    await untilAnswers(`${nodeUrl}/counts`, node);
    const limit = await measureRawReading(nodeUrl, chain);
    const environment = (role: string) => ({
      RPC_URL: `${nodeUrl}/${role}`,
      CHAIN_ID: '1',
      START_BLOCK: String(chain.firstBlock),
      WETH_ADDRESS: WETH,
    });
    const scorer = await stack.role('scorer', environment('scorer'), true);
    const watcher = await stack.role('watcher', environment('watcher'), false);
    const pids = new Map([['watcher', watcher.pid], ['scorer', scorer.pid], ...serverPids()]);
    const marks = await watchRows(stack.clickhouse, pids, chain.transfers, [watcher, scorer]);
    await checkRows(stack.clickhouse, chain.totals());
    await printRun(chain, marks, limit, pids, nodeUrl);
  } finally {
    await node.stop();
    await stack.stop();
  }
};

const sizes = process.env['BENCH_BLOCKS']?.split(',').map(Number) ?? BLOCKS;
for (const blocks of sizes) await measure(blocks);
