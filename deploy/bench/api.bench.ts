import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { WIDE_PLANS } from '../../api/testing/sampleAccount.ts';
import { NODE_ARGS, startApi } from '../../api/testing/startApi.ts';
import { insertTokens, tokenAt } from './manyTokens.ts';

// Reads of the API at two sizes of the index, over HTTP with authentication and quota, beside a bare Koa route
// that answers the same bytes in the same run. API_BENCH_TOKENS=10000000 is the size the aims are stated for.

const TOKENS = Number(process.env['API_BENCH_TOKENS'] ?? 300_000);
const TOKENS_BEFORE = Math.min(100_000, TOKENS / 3);
const CONNECTIONS = 32;
const SECONDS = 5;
const TIMEOUT_S = 30;

interface Measured {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}

const hammer = async (
  baseUrl: string,
  path: () => string,
  headers: Record<string, string>,
): Promise<Measured> => {
  const result = await autocannon({
    url: baseUrl,
    connections: CONNECTIONS,
    duration: SECONDS,
    timeout: TIMEOUT_S,
    headers,
    requests: [{ method: 'GET', setupRequest: (request) => ({ ...request, path: path() }) }],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${path()}: ${result.non2xx} refusals, ${result.errors} errors`);
  }
  return { p50: result.latency.p50, p99: result.latency.p99, perSecond: result.requests.average };
};

const random = (below: number): number => Math.floor(Math.random() * below);

/** Reads by name; `size` is the number of tokens there are. */
const READS: Record<string, (size: number) => () => string> = {
  'token, always the same': () => () => `/tokens/${tokenAt(7)}`,
  'token, any': (size) => () => `/tokens/${tokenAt(random(size))}`,
  'list, newest': () => () => '/tokens?limit=50',
  'list, by risk': () => () => '/tokens?limit=50&sort=risk_score',
  'list, by confidence': () => () => '/tokens?limit=50&sort=confidence&order=asc',
  'list, scams only': () => () => '/tokens?limit=50&prediction=SCAM',
  'list, confident only': () => () => '/tokens?limit=50&min_confidence=90',
  'list, page 20': () => () => '/tokens?limit=50&offset=1000',
  'list B, high risk': () => () => '/api/tokens?limit=50&risk_level=HIGH',
  'list B, by symbol': () => () => '/api/tokens?limit=50&sort_by=symbol&sort_order=asc',
  'search, a symbol': () => () => `/api/search?q=S${100 + random(900)}`,
  'search, a word': () => () => `/api/search?q=word${random(100)}`,
  'network of a token': (size) => () => `/tokens/${tokenAt(random(size))}/network`,
};

/** Highest memory of a process, MiB. */
const memoryOf = (pid: number): number => {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024;
};

const bareKoa = async (body: Buffer): Promise<Measured> => {
  const child = spawn(process.execPath, [...NODE_ARGS, join(import.meta.dirname, 'bareKoa.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(body);
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  try {
    return await hammer(`http://127.0.0.1:${Number(port)}`, () => '/', {});
  } finally {
    child.kill('SIGKILL');
  }
};

const show = (name: string, { p50, p99, perSecond }: Measured, note = ''): void => {
  const figures = [p50, p99].map((ms) => String(ms).padStart(6)).join('');
  console.log(`${name.padEnd(26)}${figures} ms ${perSecond.toFixed(0).padStart(7)}/s  ${note}`);
};

const api = await startApi({ RATE_PLANS: WIDE_PLANS, LOG_LEVEL: 'warn' });
try {
  const { key } = await api.newKey('enterprise');
  const headers = { 'x-api-key': key };
  const startMs = Date.now();
  const report = (done: number): void => {
    if (done % 1_000_000 === 0) {
      console.error(`${done} tokens after ${((Date.now() - startMs) / 1000).toFixed(0)} s`);
    }
  };
  const before = new Map<string, Measured>();
  await insertTokens(api.database, 0, TOKENS_BEFORE, report);
  for (const [name, path] of Object.entries(READS)) {
    await hammer(api.baseUrl, path(TOKENS_BEFORE), headers);
    before.set(name, await hammer(api.baseUrl, path(TOKENS_BEFORE), headers));
  }
  await insertTokens(api.database, TOKENS_BEFORE, TOKENS, report);
  console.log(`${TOKENS} tokens, ${CONNECTIONS} connections; p50, p99, requests a second`);
  console.log(`(in brackets: p50 and p99 as a multiple of those at ${TOKENS_BEFORE} tokens)`);
  for (const [name, path] of Object.entries(READS)) {
    const measured = await hammer(api.baseUrl, path(TOKENS), headers);
    const earlier = before.get(name);
    const growth = earlier
      ? `(${(measured.p50 / earlier.p50).toFixed(2)}, ${(measured.p99 / earlier.p99).toFixed(2)})`
      : '';
    show(name, measured, growth);
  }
  const answer = await fetch(`${api.baseUrl}/tokens/${tokenAt(7)}`, { headers });
  const bare = await bareKoa(Buffer.from(await answer.arrayBuffer()));
  show('bare Koa, same bytes', bare);
  const hot = await hammer(api.baseUrl, () => `/tokens/${tokenAt(7)}`, headers);
  console.log(
    `a hot point read is ${(hot.perSecond / bare.perSecond).toFixed(2)} of bare Koa (aim: 0.5)`,
  );
  console.log(
    `API process, highest memory: ${memoryOf(api.process.pid ?? 0).toFixed(0)} MiB (aim: < 300)`,
  );
} finally {
  await api.close();
}
process.exit();
