import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { DEVNET_PRICING } from '../../shared/testing/devnet/devnetAddresses.ts';
import { startAnvil } from '../../shared/testing/services.ts';
import { apiEnvironment, type BenchApi, startBenchApi } from './benchApi.ts';
import { type BenchStack, type RoleProcess, startBenchStack } from './benchStack.ts';
import { childPids, cpuSecondsOf, serverPids, watchOthers } from './childProcesses.ts';
import { summary } from './figures.ts';
import { createHeadChain, type HeadChain, TRANSFERS_PER_BLOCK } from './headChain.ts';

// Latency at the head: from the return of the call that mined a block to the block's facts in SQL, to the verdict of
// its token in the API, and to the alert of a watched token in SQL. Blocks are processed one at a time, each with
// transfers, every third with a purchase, every second with an alert. Also reported: the scorer's requests to others,
// which do not depend on the load of the machine.

const BLOCKS = Number(process.env['HEAD_BENCH_BLOCKS'] ?? 200);
/** Warm-up blocks: connections, compiled code, caches. */
const WARM_UP_BLOCKS = 15;
const ALERT_EVERY_BLOCKS = 2;
const PAUSE_MS = 30;
const SQL_POLL_MS = 2;
const API_POLL_MS = 4;
const TIMEOUT_MS = 20_000;
const CHAIN_ID = 31_337;

const verdictSchema = z.object({
  data: z.object({ provenance: z.object({ block_number: z.number() }) }),
});
const countSchema = z.object({ found: z.number() });

const waitFor = async (pollMs: number, isThere: () => Promise<boolean>): Promise<number> => {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await isThere())) {
    if (performance.now() > deadline) throw new Error('a block did not arrive in time');
    await sleep(pollMs);
  }
  return performance.now();
};

/** Latencies of one block, milliseconds after it was mined. */
interface Latency {
  readonly factsMs: number;
  readonly verdictMs: number;
  readonly alertMs: number | undefined;
}

interface Bench {
  readonly stack: BenchStack;
  readonly scorer: RoleProcess;
  readonly api: BenchApi;
  readonly chain: HeadChain;
}

const rowsOf = async (stack: BenchStack, table: string, number: number): Promise<number> => {
  const sql = `SELECT count() AS found FROM ${table} WHERE chain_id = ${CHAIN_ID} AND block_number = {number:UInt64}`;
  const [row] = await stack.clickhouse.query(sql, { number }, countSchema);
  return row?.found ?? 0;
};

const measureBlock = async (bench: Bench, index: number): Promise<Latency> => {
  const { stack, api, chain } = bench;
  const hasAlert = index % ALERT_EVERY_BLOCKS === 0;
  const { number, minedAt } = await chain.mine(hasAlert);
  const verdict = async (): Promise<boolean> => {
    const { data } = verdictSchema.parse(await api.call(`/tokens/${chain.token}`));
    return data.provenance.block_number >= number;
  };
  const facts = async () => (await rowsOf(stack, 'fact_transfers', number)) >= TRANSFERS_PER_BLOCK;
  const alert = async () => (await rowsOf(stack, 'alerts', number)) > 0;
  const [factsAt, verdictAt, alertAt] = await Promise.all([
    waitFor(SQL_POLL_MS, facts),
    waitFor(API_POLL_MS, verdict),
    hasAlert ? waitFor(SQL_POLL_MS, alert) : undefined,
  ]);
  return {
    factsMs: factsAt - minedAt,
    verdictMs: verdictAt - minedAt,
    alertMs: alertAt === undefined ? undefined : alertAt - minedAt,
  };
};

/** A role's requests to others since its start. */
interface Requests {
  readonly queries: number;
  readonly inserts: number;
  readonly nodeRequests: number;
  readonly verdicts: number;
}

const requestsOf = async ({ probesUrl }: RoleProcess): Promise<Requests> => {
  const text = await (await fetch(`${probesUrl}/metrics`)).text();
  const sum = (name: string): number =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm'))].reduce(
      (total, [, count]) => total + Number(count),
      0,
    );
  return {
    queries: sum('tsd_clickhouse_query_seconds_count'),
    inserts: sum('tsd_clickhouse_insert_seconds_count'),
    nodeRequests: sum('tsd_node_request_seconds_count'),
    verdicts: sum('tsd_verdicts_total'),
  };
};

const printRequests = (before: Requests, after: Requests): void => {
  const each = (name: keyof Requests): string => ((after[name] - before[name]) / BLOCKS).toFixed(1);
  console.log('the scorer, a block');
  console.log(`  queries               ${each('queries')}`);
  console.log(`  inserts               ${each('inserts')}`);
  console.log(`  requests to the node  ${each('nodeRequests')}`);
  console.log(`  verdicts              ${each('verdicts')}`);
};

/** CPU seconds of each process so far, by name. */
const cpuSecondsByName = ({ scorer }: Bench): Map<string, number> =>
  new Map([
    ['scorer', cpuSecondsOf(scorer.pid)],
    ...[...serverPids()].map(([name, pid]) => [name, cpuSecondsOf(pid)] as const),
    ['all', childPids().reduce((sum, pid) => sum + cpuSecondsOf(pid), 0)],
  ]);

/** A watched token with a pool and a first verdict. */
const prepare = async (stack: BenchStack, url: string): Promise<Bench> => {
  const chain = await createHeadChain(url);
  const environment = {
    RPC_URL: url.replace('http', 'ws'),
    CHAIN_ID: String(CHAIN_ID),
    ...DEVNET_PRICING,
  };
  const [scorer] = await Promise.all([
    stack.role('scorer', environment, true),
    stack.role('alerts', environment, true),
    stack.role('watcher', environment, true),
  ]);
  const api = await startBenchApi(stack, apiEnvironment(CHAIN_ID, 0));
  const isThere = () =>
    api.call(`/tokens/${chain.token}`).then(
      () => true,
      () => false,
    );
  await waitFor(SQL_POLL_MS * 10, isThere);
  const alerts = ['ownership_change'];
  await api.call('/watchlist', {
    type: 'token',
    address: chain.token,
    alerts,
    sensitivity: 'high',
  });
  // With no deduplication window, alerts of one kind about one token are repeated.
  await api.call('/api/alerts/configure', { dedupe_window_seconds: 0 });
  return { stack, scorer, api, chain };
};

const stack = await startBenchStack();
const anvil = await startAnvil();
try {
  const bench = await prepare(stack, anvil.url);
  const latencies: Latency[] = [];
  const others = watchOthers(childPids());
  for (let index = 0; index < WARM_UP_BLOCKS; index += 1) await measureBlock(bench, index);
  const [before, beforeS] = [await requestsOf(bench.scorer), cpuSecondsByName(bench)];
  for (let index = 0; index < BLOCKS; index += 1) {
    await sleep(PAUSE_MS);
    latencies.push(await measureBlock(bench, WARM_UP_BLOCKS + index));
  }
  const [after, afterS] = [await requestsOf(bench.scorer), cpuSecondsByName(bench)];
  const alerts = latencies.flatMap(({ alertMs }) => alertMs ?? []);
  console.log(
    `\nmilliseconds after a block was mined, ${BLOCKS} blocks on anvil, p50 / p95 / p99 / max`,
  );
  console.log(`  facts in SQL          ${summary(latencies.map(({ factsMs }) => factsMs))}`);
  console.log(`  verdict in the API    ${summary(latencies.map(({ verdictMs }) => verdictMs))}`);
  console.log(`  alert in SQL          ${summary(alerts)}   (${alerts.length} alerts)`);
  printRequests(before, after);
  const used = [...afterS].map(
    ([name, seconds]) => `${name} ${((seconds - (beforeS.get(name) ?? 0)) / BLOCKS).toFixed(3)}`,
  );
  console.log(`  CPU seconds           ${used.join(', ')}`);
  console.log(`  others took ${(100 * others()).toFixed(0)} % of the CPU`);
} finally {
  await stack.stop();
  await anvil.stop();
}
