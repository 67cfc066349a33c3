import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WIDE_PLANS } from '../../api/testing/sampleAccount.ts';
import { startApi } from '../../api/testing/startApi.ts';
import { createClickhouse } from '../../shared/platform/clickhouse.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { startMigratingClickhouse } from '../../shared/testing/migratedClickhouse.ts';
import {
  askOnce,
  CONNECTIONS,
  HOT_PATH,
  hammer,
  type Measured,
  READS,
  type Target,
} from './apiReads.ts';
import { cpuSecondsOf, MIB, memoryOf, serverPids } from './childProcesses.ts';
import { insertTokens, untilMerged } from './manyTokens.ts';

// Reads of the API at sizes that grow tenfold, each by a process that first builds its index, over HTTP with
// authentication and quota, compared with a bare Koa route that returns the same bytes in the same run. The API is
// compiled, as `make up` runs it. API_BENCH_TOKENS=10000000 is the size for which the aims are stated;
// API_BENCH_ONLY=list,search measures the reads whose names begin in this way.

const TOKENS = Number(process.env['API_BENCH_TOKENS'] ?? 300_000);
const ONLY = (process.env['API_BENCH_ONLY'] ?? '').split(',');
const SIZES = [100_000, 1_000_000, TOKENS].filter((size, at) => at === 2 || size < TOKENS);
/** Duration of each read. */
const SECONDS = Number(process.env['API_BENCH_SECONDS'] ?? 5);
const FILL_TIMEOUT_MS = 600_000;
const READY_MS_MAX = 1_800_000;
/** Rows stored this recently are read twice by an index that starts. */
const READ_AGAIN_MS = 60_000;

/** Resets the peak memory of a process: proc(5). */
const forgetMemory = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** The engine's minimum: an empty query over HTTP. */
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

/** Size of the API's index, an unlinked file, bytes. */
const indexBytes = (pid: number): number => {
  const folder = `/proc/${pid}/fd`;
  const files = readdirSync(folder).map((fd) => join(folder, fd));
  const index = files.find((file) => readlinkSync(file).includes('/token-index-'));
  return index === undefined ? 0 : statSync(index).size;
};

const clickhouse = await startMigratingClickhouse();
const databasePid = serverPids().get('clickhouseServer') ?? 0;
const filling = createClickhouse({ url: clickhouse.url, timeoutMs: FILL_TIMEOUT_MS });

/** An API that starts on what is stored. */
const startOn = async (size: number) => {
  const startMs = Date.now();
  const api = await startApi(
    { RATE_PLANS: WIDE_PLANS, LOG_LEVEL: 'warn' },
    [join(projectRoot(), 'dist/api/main.js')],
    async () => ({ ...clickhouse, stop: async () => undefined }),
    READY_MS_MAX,
  );
  const pid = api.process.pid ?? 0;
  const [seconds, bytes] = [(Date.now() - startMs) / 1_000, indexBytes(pid)];
  const { peakMib } = memoryOf(pid);
  console.log(
    `${size} tokens: the API is ready after ${seconds.toFixed(0)} s (aim for ten million: 300), its index has ${(bytes / MIB).toFixed(0)} MiB, ${(bytes / size).toFixed(0)} B a token; highest memory ${peakMib} MiB`,
  );
  return { api, pid };
};

const first = new Map<string, Measured>();
const reads = Object.entries(READS).filter(([name]) =>
  ONLY.some((start) => name.startsWith(start)),
);

const measureReads = async (target: Target, pid: number, size: number): Promise<number> => {
  let highestMib = 0;
  console.log(`${CONNECTIONS} connections; p50, p99, requests a second`);
  console.log(
    `(in brackets: p50 and p99 as a multiple of those at ${SIZES[0]} tokens; highest memory of the API meanwhile; CPU time of the database for each)`,
  );
  for (const [name, read] of reads) {
    // Warm-up: code is compiled, and features are loaded.
    await askOnce(target, read(size));
    await hammer({ ...target, seconds: 1 }, read(size));
    forgetMemory(pid);
    const measured = await costOf(databasePid, () => hammer(target, read(size)));
    const { peakMib } = memoryOf(pid);
    highestMib = Math.max(highestMib, peakMib);
    const { p50, p99 } = first.get(name) ?? measured;
    if (size === SIZES[0]) first.set(name, measured);
    const growth = [measured.p50 / p50, measured.p99 / p99].map((ratio) => ratio.toFixed(2));
    show(
      name,
      measured,
      `(${growth.join(', ')}) ${peakMib} MiB, ${(measured.cpuUs / 1_000).toFixed(2)} ms`,
    );
  }
  return highestMib;
};

const measureHotPath = async (target: Target, pid: number): Promise<void> => {
  const answer = await fetch(`${target.baseUrl}${HOT_PATH}`, { headers: target.callers[0] ?? {} });
  const bare = await bareKoa(Buffer.from(await answer.arrayBuffer()));
  show('bare Koa, same bytes', bare);
  const hot = await costOf(pid, () => hammer(target, HOT_PATH));
  const [byTime, byRequests] = [bare.cpuUs / hot.cpuUs, hot.perSecond / bare.perSecond].map(
    (ratio) => ratio.toFixed(2),
  );
  console.log(
    `a hot point read costs ${hot.cpuUs.toFixed(0)} µs of the API's CPU time: ${byTime} of bare Koa (aim: 0.4), by requests ${byRequests}`,
  );
};

try {
  const startMs = Date.now();
  const report = (done: number): void => {
    if (done % 1_000_000 === 0) {
      console.error(`${done} tokens after ${((Date.now() - startMs) / 1000).toFixed(0)} s`);
    }
  };
  show('the engine: SELECT 1', await emptyQueries(clickhouse.url));
  for (const [at, size] of SIZES.entries()) {
    await insertTokens(filling, SIZES[at - 1] ?? 0, size, report);
    await untilMerged(filling);
    await sleep(READ_AGAIN_MS);
    const { api, pid } = await startOn(size);
    try {
      const keys = await Promise.all(
        Array.from({ length: CONNECTIONS }, () => api.newKey('enterprise')),
      );
      const callers = keys.map(({ key }) => ({ 'x-api-key': key }));
      const target = { baseUrl: api.baseUrl, callers, seconds: SECONDS };
      const highestMib = await measureReads(target, pid, size);
      if (size === SIZES.at(-1)) await measureHotPath(target, pid);
      console.log(`API process, highest memory in reads: ${highestMib} MiB (aim: 300)`);
    } finally {
      await api.close();
    }
  }
} finally {
  await filling.close();
  await clickhouse.stop();
}
process.exit();
