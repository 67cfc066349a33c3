import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WIDE_PLANS } from '../../api/testing/sampleAccount.ts';
import { startApi } from '../../api/testing/startApi.ts';
import { createClickhouse } from '../../shared/platform/clickhouse.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { startMigratingClickhouse } from '../../shared/testing/migratedClickhouse.ts';
import { CONNECTIONS, HOT_PATH, hammer, type Measured, READS } from './apiReads.ts';
import { cpuSecondsOf, memoryOf } from './childProcesses.ts';
import { insertTokens, untilMerged } from './manyTokens.ts';

// Reads of the API while the index grows tenfold at a time, over HTTP with authentication and quota, beside a
// bare Koa route that answers the same bytes in the same run; the API as built, as `make up` runs it. API_BENCH_TOKENS=10000000 is the size the aims are
// stated for; API_BENCH_ONLY=list measures the reads whose names begin so.

const TOKENS = Number(process.env['API_BENCH_TOKENS'] ?? 300_000);
const ONLY = process.env['API_BENCH_ONLY'] ?? '';
const SIZES = [100_000, 1_000_000, TOKENS].filter((size, at) => at === 2 || size < TOKENS);
/** Each read is repeated for so long. */
const SECONDS = Number(process.env['API_BENCH_SECONDS'] ?? 5);
const FILL_TIMEOUT_MS = 600_000;

/** Forgets the highest memory of a process so far: proc(5). */
const forgetMemory = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** What the engine answers at the best: an empty query over HTTP. */
const emptyQueries = (databaseUrl: string): Promise<Measured> => {
  const { protocol, host, username, password } = new URL(databaseUrl);
  const caller = {
    'X-ClickHouse-User': username,
    'X-ClickHouse-Key': decodeURIComponent(password),
  };
  const target = { baseUrl: `${protocol}//${host}`, callers: [caller], seconds: SECONDS };
  return hammer(target, '/?query=SELECT%201');
};

/** Requests, and what a process spent on each. */
interface Costed extends Measured {
  readonly cpuUs: number;
}

const costOf = async (pid: number, ask: () => Promise<Measured>): Promise<Costed> => {
  const beforeS = cpuSecondsOf(pid);
  const measured = await ask();
  const spentS = cpuSecondsOf(pid) - beforeS;
  return { ...measured, cpuUs: (spentS * 1e6) / (measured.perSecond * SECONDS) };
};

const bareKoa = async (body: Buffer): Promise<Costed> => {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'bareKoa.ts')],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  child.stdin.end(body);
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  try {
    const target = { baseUrl: `http://127.0.0.1:${Number(port)}`, callers: [], seconds: SECONDS };
    await hammer(target, '/');
    return await costOf(child.pid ?? 0, () => hammer(target, '/'));
  } finally {
    child.kill('SIGKILL');
  }
};

const show = (name: string, { p50, p99, perSecond, shed }: Measured, note = ''): void => {
  const figures = [p50, p99].map((ms) => String(ms).padStart(6)).join('');
  const refused = shed > 0 ? `, ${shed} answers of 503` : '';
  console.log(
    `${name.padEnd(30)}${figures} ms ${perSecond.toFixed(0).padStart(7)}/s  ${note}${refused}`,
  );
};

const api = await startApi(
  { RATE_PLANS: WIDE_PLANS, LOG_LEVEL: 'warn' },
  [join(projectRoot(), 'dist/api/main.js')],
  startMigratingClickhouse,
);
const filling = createClickhouse({
  url: api.stores.servers.clickhouse.url,
  timeoutMs: FILL_TIMEOUT_MS,
});
try {
  const keys = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => api.newKey('enterprise')),
  );
  const callers = keys.map(({ key }) => ({ 'x-api-key': key }));
  const target = { baseUrl: api.baseUrl, callers, seconds: SECONDS };
  const startMs = Date.now();
  const report = (done: number): void => {
    if (done % 1_000_000 === 0) {
      console.error(`${done} tokens after ${((Date.now() - startMs) / 1000).toFixed(0)} s`);
    }
  };
  const first = new Map<string, Measured>();
  const pid = api.process.pid ?? 0;
  let memoryMbMax = 0;
  const reads = Object.entries(READS).filter(([name]) => name.startsWith(ONLY));
  const floor = await emptyQueries(api.stores.servers.clickhouse.url);
  show('the engine: SELECT 1', floor);
  for (const [at, size] of SIZES.entries()) {
    await insertTokens(filling, SIZES[at - 1] ?? 0, size, report);
    await untilMerged(filling);
    console.log(`${size} tokens, ${CONNECTIONS} connections; p50, p99, requests a second`);
    console.log(
      `(in brackets: p50 and p99 as a multiple of those at ${SIZES[0]} tokens; highest memory of the API meanwhile)`,
    );
    for (const [name, read] of reads) {
      // Code that runs for the first time is compiled first.
      if (at === 0) await hammer(target, read(size));
      forgetMemory(pid);
      const measured = await hammer(target, read(size));
      const memoryMb = memoryOf(pid).peakMib;
      memoryMbMax = Math.max(memoryMbMax, memoryMb);
      const { p50, p99 } = first.get(name) ?? measured;
      if (at === 0) first.set(name, measured);
      const growth = [measured.p50 / p50, measured.p99 / p99].map((ratio) => ratio.toFixed(2));
      show(name, measured, `(${growth.join(', ')}) ${memoryMb} MiB`);
    }
  }
  const answer = await fetch(`${api.baseUrl}${HOT_PATH}`, { headers: callers[0] ?? {} });
  const bare = await bareKoa(Buffer.from(await answer.arrayBuffer()));
  show('bare Koa, same bytes', bare);
  const hot = await costOf(pid, () => hammer(target, HOT_PATH));
  const [byTime, byRequests] = [bare.cpuUs / hot.cpuUs, hot.perSecond / bare.perSecond].map(
    (ratio) => ratio.toFixed(2),
  );
  console.log(
    `a hot point read costs ${hot.cpuUs.toFixed(0)} µs of the API's CPU time: ${byTime} of bare Koa (aim: 0.4), by requests ${byRequests}`,
  );
  console.log(`API process, highest memory: ${memoryMbMax} MiB (aim: < 256)`);
} finally {
  await filling.close();
  await api.close();
}
process.exit();
