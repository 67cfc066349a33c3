import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Clickhouse } from '../../shared/adapters/clickhouse.ts';
import { freePort } from '../../shared/testing/services.ts';
import { LOOPBACK } from '../local/launch.ts';
import { startBenchStack } from './benchStack.ts';
import {
  type Child,
  childPids,
  cpuSecondsOf,
  memoryOf,
  serverPids,
  untilAnswers,
  watchOthers,
} from './childProcesses.ts';
import { measureRawReading } from './rawReading.ts';
import { type ChainTotals, createSyntheticChain, type SyntheticChain } from './syntheticChain.ts';

// How fast a chain is caught up with: ERC-20 transfers from RPC to rows that SQL finds, by the watcher and the
// scorer as built, beside the limit: plain fetch, JSON.parse and slicing of the same answers in one process.
// The node makes its answers when it is asked. All processes share the machine with the node and the servers.

const BLOCKS = [10_000, 30_000];
const POLL_MS = 50;
const TIMEOUT_MS = 300_000;
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

/** @throws Error where a row is missing, doubled or different. */
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

/** Memory of every process when a third, two thirds and all of the rows were there. */
interface Reading {
  readonly seconds: number;
  readonly thirds: ReadonlyMap<string, readonly number[]>;
}

/** Memory and processor seconds of every process before the watcher started. */
interface Before {
  readonly rssMib: ReadonlyMap<string, number>;
  readonly cpuS: ReadonlyMap<string, number>;
}

const readBefore = (pids: ReadonlyMap<string, number>): Before => ({
  rssMib: new Map([...pids].map(([name, pid]) => [name, memoryOf(pid).rssMib])),
  cpuS: new Map([...pids].map(([name, pid]) => [name, cpuSecondsOf(pid)])),
});

type Run = Reading & { readonly before: Before; readonly others: number };

const watchRows = async (
  clickhouse: Clickhouse,
  pids: ReadonlyMap<string, number>,
  total: number,
  roles: readonly Child[],
): Promise<Reading> => {
  const thirds = new Map<string, number[]>([...pids].map(([name]) => [name, []]));
  const startedMs = performance.now();
  const failed = Promise.race(roles.map((role) => role.failed));
  for (let third = 1; ; ) {
    const rows = await Promise.race([countRows(clickhouse), failed]);
    const seconds = (performance.now() - startedMs) / 1_000;
    if (rows * 3 >= total * third) {
      for (const [name, pid] of pids) thirds.get(name)?.push(memoryOf(pid).rssMib);
      third += 1;
    }
    if (rows >= total) return { seconds, thirds };
    if (seconds * 1_000 > TIMEOUT_MS)
      throw new Error(`${rows} of ${total} rows after ${seconds} s`);
    await sleep(POLL_MS);
  }
};

const number = (value: number): string => Math.round(value).toLocaleString('en-US');

const printRun = async (
  chain: SyntheticChain,
  reading: Run,
  limitPerS: number,
  pids: ReadonlyMap<string, number>,
  nodeUrl: string,
): Promise<void> => {
  const { transfers } = chain;
  const blocks = chain.lastBlock - chain.firstBlock + 1;
  const perS = transfers / reading.seconds;
  const counts = countsSchema.parse(await (await fetch(`${nodeUrl}/counts`)).json());
  const share = (value: number): string => `${((100 * value) / blocks).toFixed(2)} %`;
  console.log(`\n${number(transfers)} transfers in ${number(blocks)} blocks, rows exact`);
  console.log(`  pipeline  ${number(perS)} transfers/s (${reading.seconds.toFixed(2)} s)`);
  console.log(`  limit     ${number(limitPerS)} transfers/s: fetch + JSON.parse + slicing`);
  console.log(`  ratio     ${(perS / limitPerS).toFixed(3)}`);
  console.log(
    `  others    ${(100 * reading.others).toFixed(0)} % of the processors went to other work`,
  );
  const { requests = 0, calls = 0 } = counts['watcher'] ?? {};
  console.log(
    `  watcher   ${requests} requests, ${calls} calls: ${share(requests)}, ${share(calls)} of a block each`,
  );
  const tokens = counts['scorer'] ?? { requests: 0, calls: 0 };
  console.log(
    `  scorer    ${tokens.requests} requests, ${tokens.calls} calls, to confirm new tokens`,
  );
  console.log('  MiB before, at 1/3, 2/3, 3/3 of the rows, highest; processor seconds of the run');
  for (const [name, pid] of pids) {
    const thirds = [reading.before.rssMib.get(name) ?? 0, ...(reading.thirds.get(name) ?? [])]
      .map((mib) => String(mib).padStart(5))
      .join('');
    const { peakMib } = memoryOf(pid);
    const cpu = (cpuSecondsOf(pid) - (reading.before.cpuS.get(name) ?? 0)).toFixed(1);
    console.log(
      `    ${name.padEnd(17)}${thirds}${String(peakMib).padStart(6)}   ${cpu.padStart(5)} s`,
    );
  }
};

const measure = async (blocks: number): Promise<void> => {
  const chain = createSyntheticChain(blocks);
  const stack = await startBenchStack();
  try {
    const port = await freePort();
    const nodeUrl = `http://${LOOPBACK}:${port}`;
    const program = ['--import', 'tsx', 'deploy/bench/syntheticNode.ts'];
    const node = stack.start('node', [...program, String(port), String(blocks)]);
    await untilAnswers(`${nodeUrl}/counts`, node);
    const limitPerS = await measureRawReading(nodeUrl, chain);
    const environment = (role: string) => ({
      RPC_URL: `${nodeUrl}/${role}`,
      CHAIN_ID: '1',
      START_BLOCK: String(chain.firstBlock),
      WETH_ADDRESS: WETH,
    });
    const scorer = await stack.role('scorer', environment('scorer'), true);
    const watcher = await stack.role('watcher', environment('watcher'), false);
    const pids = new Map([
      ['watcher', watcher.pid],
      ['scorer', scorer.pid],
      ...serverPids(),
      ['synthetic node', node.pid],
    ]);
    const before = readBefore(pids);
    const others = watchOthers(childPids());
    const reading = await watchRows(stack.clickhouse, pids, chain.transfers, [watcher, scorer]);
    const run = { ...reading, before, others: others() };
    await checkRows(stack.clickhouse, chain.totals());
    await printRun(chain, run, limitPerS, pids, nodeUrl);
  } finally {
    await stack.stop();
  }
};

const sizes = process.env['BENCH_BLOCKS']?.split(',').map(Number) ?? BLOCKS;
for (const blocks of sizes) await measure(blocks);
