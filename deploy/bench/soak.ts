import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../shared/testing/services.ts';
import { LOOPBACK } from '../local/launch.ts';
import { nowMs, startBenchApi, subscribeClients } from './benchApi.ts';
import { startBenchStack } from './benchStack.ts';
import { memoryOf } from './childProcesses.ts';
import { touchedToken } from './liveBlock.ts';
import { startLiveChain } from './liveChain.ts';
import { percentile } from './percentiles.ts';

// The whole pipeline at twice the rate of mainnet for MINUTES: heap, descriptors and latency of every process over
// time. A line a minute; the curve goes to OUT as CSV. Heap after a collection is taken as the least of a minute.

const MINUTES = Number(process.env['MINUTES'] ?? 60);
const OUT = process.env['OUT'] || 'coverage/soak.csv';
/** Twice the 300 transfers of mainnet, every second. */
const PLAN = { transfers: 600, touched: 1, isFirst: false };
const BLOCK_MS = 1_000;
const SAMPLE_MS = 2_000;
const MINUTE_MS = 60_000;
const MIB = 1024 * 1024;
/** Caches fill meanwhile: not part of the slope. */
const WARM_UP_MINUTES = Math.min(10, Math.floor(MINUTES / 3));
const ROLES = ['watcher', 'scorer', 'clusters', 'alerts', 'push'] as const;

interface Watched {
  readonly name: string;
  readonly pid: number;
  readonly metricsUrl: string;
}

/** One minute of one process. */
interface Minute {
  readonly name: string;
  readonly heapMib: number;
  readonly rssMib: number;
  readonly descriptors: number;
}

const heapOf = async ({ metricsUrl }: Watched): Promise<number> => {
  const response = await fetch(metricsUrl);
  const [, bytes] =
    /^nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)$/m.exec(await response.text()) ?? [];
  return Number(bytes) / MIB;
};

/** Least squares through the minutes after warming up: units an hour. */
const slopeOf = (values: readonly number[]): number => {
  const points = values.slice(WARM_UP_MINUTES).map((y, i) => ({ x: i / 60, y }));
  const mean = (of: (point: { x: number; y: number }) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((one) => one.x), mean((one) => one.y)];
  return mean((one) => (one.x - x) * (one.y - y)) / mean((one) => (one.x - x) ** 2);
};

const stack = await startBenchStack();
try {
  const { environment, mine } = await startLiveChain(stack);
  const apiMetricsPort = await freePort();
  const api = await startBenchApi(stack, { ...environment, HEALTH_PORT: String(apiMetricsPort) });
  const watched: Watched[] = [
    {
      name: 'api',
      pid: api.process.pid,
      metricsUrl: `http://${LOOPBACK}:${apiMetricsPort}/metrics`,
    },
  ];
  await api.call('/api/alerts/configure', { dedupe_window_seconds: 0 });
  await api.call('/watchlist', {
    type: 'token',
    address: touchedToken(0),
    alerts: ['ownership_change'],
    sensitivity: 'high',
  });
  for (const name of ROLES) {
    const { pid, probesUrl } = await stack.role(name, environment, true);
    watched.push({ name, pid, metricsUrl: `${probesUrl}/metrics` });
  }
  const minedAt: number[] = [];
  let latencies: number[] = [];
  let frames = 0;
  await subscribeClients(api, { count: 1, channel: 'alerts' }, () => {
    latencies.push(nowMs() - (minedAt[frames] ?? Number.NaN));
    frames += 1;
  });
  await mine({ ...PLAN, transfers: 0, touched: 0, isFirst: true });

  let isOver = false;
  const mining = (async () => {
    let nextMs = nowMs();
    while (!isOver) {
      minedAt.push((await mine(PLAN)).minedAtMs);
      nextMs += BLOCK_MS;
      await sleep(Math.max(0, nextMs - nowMs()));
    }
  })();
  const curve: Minute[][] = [];
  const latencyP99: number[] = [];
  for (let minute = 1; minute <= MINUTES; minute += 1) {
    const least = new Map(watched.map(({ name }) => [name, Number.POSITIVE_INFINITY]));
    for (const endMs = nowMs() + MINUTE_MS; nowMs() < endMs; await sleep(SAMPLE_MS)) {
      for (const one of watched) {
        least.set(one.name, Math.min(least.get(one.name) ?? 0, await heapOf(one)));
      }
    }
    const rows = watched.map(({ name, pid }): Minute => {
      const descriptors = readdirSync(`/proc/${pid}/fd`).length;
      return { name, heapMib: least.get(name) ?? 0, rssMib: memoryOf(pid).rssMib, descriptors };
    });
    curve.push(rows);
    latencyP99.push(latencies.length > 0 ? percentile(latencies, 0.99) : Number.NaN);
    const p50 = latencies.length > 0 ? percentile(latencies, 0.5) : Number.NaN;
    latencies = [];
    const cells = rows.map(
      (row) => `${row.name} ${row.heapMib.toFixed(1)}/${row.rssMib}/${row.descriptors}`,
    );
    const latency = `${p50.toFixed(0)}/${(latencyP99.at(-1) ?? 0).toFixed(0)} ms`;
    console.log(
      `${String(minute).padStart(3)} min  alert p50/p99 ${latency}, blocks without it ${minedAt.length - frames}; heap MiB/RSS MiB/descriptors: ${cells.join(', ')}`,
    );
  }
  isOver = true;
  await mining;
  mkdirSync(dirname(OUT), { recursive: true });
  const header = [
    'minute',
    'alert_p99_ms',
    ...watched.flatMap(({ name }) => [
      `${name}_heap_mib`,
      `${name}_rss_mib`,
      `${name}_descriptors`,
    ]),
  ];
  const lines = curve.map((rows, i) =>
    [
      i + 1,
      latencyP99[i]?.toFixed(1),
      ...rows.flatMap((row) => [row.heapMib.toFixed(2), row.rssMib, row.descriptors]),
    ].join(','),
  );
  writeFileSync(OUT, `${[header.join(','), ...lines].join('\n')}\n`);
  console.log(
    `\nheap after collection, MiB an hour, from minute ${WARM_UP_MINUTES + 1} on; descriptors then and at the end`,
  );
  for (const [i, { name }] of watched.entries()) {
    const of = (key: 'heapMib' | 'descriptors'): number[] =>
      curve.map((rows) => rows[i]?.[key] ?? Number.NaN);
    console.log(
      `  ${name.padEnd(9)} ${slopeOf(of('heapMib')).toFixed(2).padStart(7)}   ${of('descriptors')[WARM_UP_MINUTES]} ${of('descriptors').at(-1)}`,
    );
  }
  console.log(`  alert p99, ms an hour: ${slopeOf(latencyP99).toFixed(0)}`);
} finally {
  await stack.stop();
}
