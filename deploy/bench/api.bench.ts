import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { z } from 'zod';
import { WIDE_PLANS } from '../../api/testing/sampleAccount.ts';
import { startApi } from '../../api/testing/startApi.ts';
import { type Clickhouse, createClickhouse } from '../../shared/platform/clickhouse.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { startMigratingClickhouse } from '../../shared/testing/migratedClickhouse.ts';
import { cpuSecondsOf, memoryOf } from './childProcesses.ts';
import { birthOf, creatorAt, FAILING, insertTokens, tokenAt } from './manyTokens.ts';

// Reads of the API while the index grows tenfold at a time, over HTTP with authentication and quota, beside a
// bare Koa route that answers the same bytes in the same run; the API as built, as `make up` runs it. API_BENCH_TOKENS=10000000 is the size the aims are
// stated for; API_BENCH_ONLY=list measures the reads whose names begin so.

const TOKENS = Number(process.env['API_BENCH_TOKENS'] ?? 300_000);
const ONLY = process.env['API_BENCH_ONLY'] ?? '';
const SIZES = [100_000, 1_000_000, TOKENS].filter((size, at) => at === 2 || size < TOKENS);
const CONNECTIONS = 32;
/** The API answers at most 16 costly requests of one key at once: they are asked with so many by turns. */
const KEYS = CONNECTIONS;
/** Each read is repeated for so long. */
const SECONDS = Number(process.env['API_BENCH_SECONDS'] ?? 5);
const FILL_TIMEOUT_MS = 600_000;
const MERGED_POLL_MS = 500;
const MERGED_POLLS = 6;
const TIMEOUT_S = 30;

interface Measured {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
  /** Answers of 503: the API takes on no more than it can do. */
  readonly shed: number;
}

/** A path, or a body for `POST /api/search/advanced`. */
type Read = () => string | object;

const requestOf = (read: Read) => {
  const asked = read();
  if (typeof asked === 'string') return { method: 'GET' as const, path: asked };
  return { method: 'POST' as const, path: '/api/search/advanced', body: JSON.stringify(asked) };
};

type Headers = Readonly<Record<string, string>>;

/**
 * @param read one path for all requests, or one made again for each, which costs this process as much as the request.
 * @param callers headers of those who ask by turns; of one path for all requests the first alone.
 */
const hammer = async (
  baseUrl: string,
  read: string | Read,
  callers: readonly Headers[],
): Promise<Measured> => {
  let asked = 0;
  const nextCaller = (): Headers => callers[asked++ % callers.length] ?? {};
  const result = await autocannon({
    url: typeof read === 'string' ? `${baseUrl}${read}` : baseUrl,
    connections: CONNECTIONS,
    duration: SECONDS,
    timeout: TIMEOUT_S,
    headers: { 'content-type': 'application/json', ...callers[0] },
    ...(typeof read === 'string'
      ? {}
      : {
          requests: [
            {
              setupRequest: (request) => ({
                ...request,
                headers: { ...request.headers, ...nextCaller() },
                ...requestOf(read),
              }),
            },
          ],
        }),
  });
  const shed = result.statusCodeStats?.['503']?.count ?? 0;
  if (result.non2xx > shed || result.errors > 0) {
    const example = JSON.stringify(typeof read === 'string' ? read : read());
    throw new Error(`${example}: ${result.non2xx} refusals, ${result.errors} errors`);
  }
  const { p50, p99 } = result.latency;
  return { p50, p99, perSecond: result['2xx'] / SECONDS, shed };
};

/** After so many rows at once the server merges for minutes, which takes a core from what is measured. */
const untilMerged = async (database: Clickhouse): Promise<void> => {
  const row = z.object({ merges: z.number() });
  const sql = 'SELECT count() AS merges FROM system.merges WHERE database = currentDatabase()';
  const startMs = performance.now();
  // None runs for a moment between one and the next.
  for (let quiet = 0; quiet < MERGED_POLLS; ) {
    const [answer] = await database.query(sql, {}, row);
    quiet = answer?.merges === 0 ? quiet + 1 : 0;
    if (performance.now() - startMs > FILL_TIMEOUT_MS) throw new Error('merges do not end');
    await sleep(MERGED_POLL_MS);
  }
};

const random = (below: number): number => Math.floor(Math.random() * below);
const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;

const SORTS_A = ['created_at', 'confidence', 'risk_score'];
const SORTS_B = [...SORTS_A, 'analyzed_at', 'symbol'];
const ORDERS = ['asc', 'desc'];
const LEVELS = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];
const iso = (atS: number): string => new Date(atS * 1000).toISOString();

/** Any of a million lists of style A, so that hardly one is asked for twice. */
const anyListA = (): string => {
  const only = pick(['', '', '&prediction=SCAM', '&prediction=LEGIT']);
  const confident = pick(['', `&min_confidence=${50 + random(50)}`]);
  return `/tokens?limit=${20 + random(81)}&offset=${random(1_000)}&sort=${pick(SORTS_A)}&order=${pick(ORDERS)}${only}${confident}`;
};

/** Any list of style B: sorts and filters at random, months of birth among them. */
const anyListB = (size: number) => (): string => {
  const firstSyncS = birthOf(random(size));
  const filters = [
    pick(['', '', '&is_rug=true', '&is_rug=false']),
    pick(['', '', `&risk_level=${pick(LEVELS)}`]),
    pick(['', '', `&confidence_min=${(0.5 + random(49) / 100).toFixed(2)}`]),
    pick(['', '', `&created_after=${iso(firstSyncS)}`, `&created_before=${iso(firstSyncS)}`]),
  ];
  return `/api/tokens?limit=${20 + random(81)}&offset=${random(1_000)}&sort_by=${pick(SORTS_B)}&sort_order=${pick(ORDERS)}${filters.join('')}`;
};

/** One that never fails among them. */
const CHECKS = [...Object.keys(FAILING), 'proxy'];

const HOT_PATH = `/tokens/${tokenAt(7)}`;
/** Reads by name; `size` is the number of tokens there are. */
const READS: Record<string, (size: number) => string | Read> = {
  'token, always the same': () => HOT_PATH,
  'token, any (cold)': (size) => () => `/tokens/${tokenAt(random(size))}`,
  'list, newest': () => () => '/tokens?limit=50',
  'list, by risk': () => () => '/tokens?limit=50&sort=risk_score',
  'list, by confidence': () => () => '/tokens?limit=50&sort=confidence&order=asc',
  'list, scams only': () => () => '/tokens?limit=50&prediction=SCAM',
  'list, confident only': () => () => '/tokens?limit=50&min_confidence=90',
  'list, page 20': () => () => '/tokens?limit=50&offset=1000',
  'list B, high risk': () => () => '/api/tokens?limit=50&risk_level=HIGH',
  'list B, by symbol': () => () => '/api/tokens?limit=50&sort_by=symbol&sort_order=asc',
  'list, first pages by turns': () => () =>
    `/tokens?limit=50&sort=${pick(SORTS_A)}&order=${pick(ORDERS)}&prediction=${pick(['SCAM', 'LEGIT'])}`,
  'list, any page, any filter': () => anyListA,
  'list B, any page, any filter': anyListB,
  'search, a symbol': () => () => `/api/search?q=S${100 + random(900)}`,
  'search, a word': () => () => `/api/search?q=word${random(100)}`,
  'search, inside names': () => () => `/api/search?q=oin${random(100)}`,
  'search, mistyped': () => () => `/api/search?q=wrod${10 + random(90)}`,
  'search, start of an address': () => () =>
    `/api/search?q=${tokenAt(random(100_000)).slice(0, 8)}`,
  'search, filters': () => () => ({
    filters: { risk_level: [pick(LEVELS)], risk_score: { min: random(50) } },
    sort_by: pick(SORTS_B),
    limit: 50,
  }),
  'search, by a check': () => () => ({
    filters: { risk_level: [pick(LEVELS)], checks: { all: [pick(CHECKS)] } },
    limit: 10,
  }),
  'search, by checks': () => () => ({
    filters: { checks: { any: [pick(CHECKS), pick(CHECKS)], none: [pick(CHECKS)] } },
    sort_by: pick(SORTS_B),
    limit: 10,
  }),
  'search, by a feature': () => () => ({
    filters: { features: { holder_count: { min: 100 + random(1_000) } } },
    limit: 10,
  }),
  'search, by text and filter': () => () => ({
    query: `word${random(100)}`,
    filters: { risk_level: [pick(LEVELS)] },
    limit: 10,
  }),
  'search, of a creator': (size) => () => ({ filters: { creator: creatorAt(random(size)) } }),
  statistics: () => () => '/stats',
  'network of a token': (size) => () => `/tokens/${tokenAt(random(size))}/network`,
};

/** Forgets the highest memory of a process so far: proc(5). */
const forgetMemory = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** What the engine answers at the best: an empty query over HTTP. */
const emptyQueries = (databaseUrl: string): Promise<Measured> => {
  const { protocol, host, username, password } = new URL(databaseUrl);
  const caller = {
    'X-ClickHouse-User': username,
    'X-ClickHouse-Key': decodeURIComponent(password),
  };
  return hammer(`${protocol}//${host}`, '/?query=SELECT%201', [caller]);
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
    const url = `http://127.0.0.1:${Number(port)}`;
    await hammer(url, '/', []);
    return await costOf(child.pid ?? 0, () => hammer(url, '/', []));
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
  const keys = await Promise.all(Array.from({ length: KEYS }, () => api.newKey('enterprise')));
  const callers = keys.map(({ key }) => ({ 'x-api-key': key }));
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
      if (at === 0) await hammer(api.baseUrl, read(size), callers);
      forgetMemory(pid);
      const measured = await hammer(api.baseUrl, read(size), callers);
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
  const hot = await costOf(pid, () => hammer(api.baseUrl, HOT_PATH, callers));
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
