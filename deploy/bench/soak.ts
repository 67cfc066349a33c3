import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../shared/testing/services.ts';
import { type BenchApi, nowMs, startBenchApi, subscribeClients } from './benchApi.ts';
import { type BenchStack, startBenchStack } from './benchStack.ts';
import { memoryOf, serverPids } from './childProcesses.ts';
import { collectedMemoryOf, inspectable } from './collectedMemory.ts';
import { type Point, percentile, slopeAnHour } from './figures.ts';
import { touchedToken } from './liveBlock.ts';
import { type LiveChain, startLiveChain } from './liveChain.ts';

// The whole pipeline at twice the rate of mainnet for MINUTES: heap, descriptors and latency of every process over
// time. After each minute block production pauses until all alerts have arrived; then a full collection is forced in
// every process, and the rest is its heap. So garbage is not counted, and collections do not disturb latency. The
// curve goes to OUT as CSV.

const MINUTES = Number(process.env['MINUTES'] ?? 60);
const OUT = process.env['OUT'] || 'coverage/soak.csv';
/** Twice the 300 transfers of mainnet, every second. */
const PLAN = { transfers: 600, touched: 1, isFirst: false };
const BLOCK_MS = 1_000;
const MINUTE_MS = 60_000;
const CATCH_UP_MS_MAX = 600_000;
const CATCH_UP_POLL_MS = 50;
/** Caches fill during this time, which is not part of the slope. */
const WARM_UP_MINUTES = Math.min(10, Math.floor(MINUTES / 3));
/**
 * Caches that fill and are emptied are no growth: the minimum of so many minutes counts. The watcher's bloom cache
 * takes seven and a half (`shared/platform/rpc/bloom.ts`).
 */
const SLOPE_MINUTES = 10;
const ROLES = ['watcher', 'scorer', 'clusters', 'alerts', 'push'] as const;

/** A process of ours, or a server, whose heap cannot be inspected. */
interface Watched {
  readonly name: string;
  readonly pid: number;
  readonly inspectorPort?: number;
}

interface Sample {
  readonly heapMib?: number;
  readonly externalMib?: number;
  readonly rssMib: number;
  readonly descriptors: number;
}

/** Every process after one minute, and the latency of the minute's alerts. */
interface Minute {
  /** Minutes since the beginning: waiting for alerts and collecting take time too. */
  readonly minute: number;
  readonly blocks: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processes waiting for a core, over the whole machine. */
  readonly load: number;
  readonly samples: readonly Sample[];
}

const sampleOf = async ({ pid, inspectorPort }: Watched): Promise<Sample> => ({
  ...(inspectorPort && (await collectedMemoryOf(inspectorPort))),
  rssMib: memoryOf(pid).rssMib,
  descriptors: readdirSync(`/proc/${pid}/fd`).length,
});

const startRoles = async (
  stack: BenchStack,
  { environment }: LiveChain,
): Promise<{ api: BenchApi; watched: Watched[] }> => {
  let inspectorPort = await freePort();
  const api = await startBenchApi(stack, { ...environment, ...inspectable(inspectorPort) });
  const watched: Watched[] = [{ name: 'api', pid: api.process.pid, inspectorPort }];
  await api.call('/api/alerts/configure', { dedupe_window_seconds: 0 });
  await api.call('/watchlist', {
    type: 'token',
    address: touchedToken(0),
    alerts: ['ownership_change'],
    sensitivity: 'high',
  });
  for (const name of ROLES) {
    inspectorPort = await freePort();
    const role = await stack.role(name, { ...environment, ...inspectable(inspectorPort) }, true);
    watched.push({ name, pid: role.pid, inspectorPort });
  }
  for (const [name, pid] of serverPids()) watched.push({ name, pid });
  return { api, watched };
};

/** Produces blocks for a minute and waits for their alerts. @returns the latency of each, milliseconds */
const createMinutes = async (
  { prepare, mine }: LiveChain,
  api: BenchApi,
): Promise<() => Promise<number[]>> => {
  const minedAt: number[] = [];
  const latencies: number[] = [];
  const [client] = await subscribeClients(api, { count: 1, channel: 'alerts' }, () => {
    latencies.push(nowMs() - (minedAt[latencies.length] ?? Number.NaN));
  });
  let closed: string | undefined;
  client?.once('close', (code, reason) => {
    closed = `the API closed the WebSocket: ${code} ${reason.toString()}`;
  });
  await prepare({ ...PLAN, transfers: 0, touched: 0, isFirst: true }, 1);
  await mine();
  return async () => {
    const before = latencies.length;
    let nextMs = nowMs();
    for (const endMs = nextMs + MINUTE_MS; nowMs() < endMs; ) {
      await prepare(PLAN, 1);
      minedAt.push((await mine()).minedAtMs);
      nextMs += BLOCK_MS;
      await sleep(Math.max(0, nextMs - nowMs()));
    }
    const deadline = nowMs() + CATCH_UP_MS_MAX;
    while (latencies.length < minedAt.length) {
      if (nowMs() > deadline || closed)
        throw new Error(
          `${minedAt.length - latencies.length} alerts missing; ${closed ?? 'the WebSocket is open'}`,
        );
      await sleep(CATCH_UP_POLL_MS);
    }
    return latencies.slice(before);
  };
};

const cell = (value: number | undefined, digits = 1): string => value?.toFixed(digits) ?? '';

const writeCurve = (watched: readonly Watched[], curve: readonly Minute[]): void => {
  const units = ['heap_mib', 'external_mib', 'rss_mib', 'descriptors'];
  const header = watched.flatMap(({ name }) => units.map((unit) => `${name}_${unit}`));
  const lines = curve.map(({ minute, blocks, p50Ms, p99Ms, load, samples }) => [
    cell(minute),
    blocks,
    ...[p50Ms, p99Ms, load].map((value) => cell(value)),
    ...samples.flatMap((sample) => [
      cell(sample.heapMib, 2),
      cell(sample.externalMib, 2),
      sample.rssMib,
      sample.descriptors,
    ]),
  ]);
  const rows = [['minute', 'blocks', 'alert_p50_ms', 'alert_p99_ms', 'load', ...header], ...lines];
  mkdirSync(dirname(OUT), { recursive: true });
  writeFileSync(OUT, `${rows.map((row) => row.join(',')).join('\n')}\n`);
};

const printMinute = (watched: readonly Watched[], curve: readonly Minute[]): void => {
  const last = curve.at(-1);
  if (!last) return;
  const cells = last.samples.map(
    ({ heapMib, rssMib, descriptors }, i) =>
      `${watched[i]?.name} ${cell(heapMib) || '-'}/${rssMib}/${descriptors}`,
  );
  console.log(
    `${cell(last.minute).padStart(5)} min  ${last.blocks} blocks, alert p50/p99 ${cell(last.p50Ms)}/${cell(last.p99Ms)} ms, load ${cell(last.load)}; heap MiB/RSS MiB/descriptors: ${cells.join(', ')}`,
  );
};

const printSlopes = (watched: readonly Watched[], curve: readonly Minute[]): void => {
  const settled = curve.filter(({ minute }) => minute > WARM_UP_MINUTES);
  console.log(
    `\nafter ${WARM_UP_MINUTES} minutes, MiB an hour, by the least of each ${SLOPE_MINUTES}: heap after collection, external, RSS; descriptors then and at the end`,
  );
  for (const [i, { name }] of watched.entries()) {
    const slope = (key: keyof Sample): string => {
      const points = settled.flatMap(({ minute, samples }): Point[] => {
        const value = samples[i]?.[key];
        return value === undefined ? [] : [{ minute, value }];
      });
      const text = points.length > 0 ? slopeAnHour(points, SLOPE_MINUTES).toFixed(2) : '-';
      return text.padStart(8);
    };
    const [first, end] = [settled[0], settled.at(-1)].map((one) => one?.samples[i]?.descriptors);
    console.log(
      `  ${name.padEnd(16)}${slope('heapMib')}${slope('externalMib')}${slope('rssMib')}   ${first} ${end}`,
    );
  }
  const latency = settled.map(({ minute, p50Ms }) => ({ minute, value: p50Ms }));
  console.log(`  alert p50, ms an hour: ${slopeAnHour(latency, SLOPE_MINUTES).toFixed(1)}`);
};

const stack = await startBenchStack();
try {
  const chain = await startLiveChain(stack);
  const { api, watched } = await startRoles(stack, chain);
  console.log(watched.map((one) => `${one.name} ${one.pid} ${one.inspectorPort ?? ''}`).join('\n'));
  const runMinute = await createMinutes(chain, api);
  const curve: Minute[] = [];
  const startMs = nowMs();
  while (nowMs() < startMs + MINUTES * MINUTE_MS) {
    const latencies = await runMinute();
    const samples: Sample[] = [];
    for (const one of watched) samples.push(await sampleOf(one));
    const [p50Ms, p99Ms] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
    curve.push({
      minute: (nowMs() - startMs) / MINUTE_MS,
      blocks: latencies.length,
      p50Ms,
      p99Ms,
      load: loadavg()[0] ?? 0,
      samples,
    });
    printMinute(watched, curve);
    writeCurve(watched, curve);
  }
  printSlopes(watched, curve);
} finally {
  await stack.stop();
}
