import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { z } from 'zod';
import { createAlertSettingsStore } from '../../shared/families/alertSettingsStore.ts';
import { createWatchlistStore } from '../../shared/families/watchlistStore.ts';
import type { WatchItem } from '../../shared/messages/watchMessage.ts';
import type { TestProcess } from '../../shared/testing/pipelineProcess.ts';
import { startReceiver } from '../../shared/testing/webhooks.ts';
import { type BenchApi, nowMs, startBenchApi, subscribeClients, until } from './benchApi.ts';
import { type BenchStack, startBenchStack } from './benchStack.ts';
import { childPids, cpuSecondsOf, memoryOf, serverPids, watchOthers } from './childProcesses.ts';
import { summary } from './figures.ts';
import { touchedToken } from './liveBlock.ts';
import { type LiveChain, type MinedBlock, startLiveChain } from './liveChain.ts';
import { saveWatchedAddresses, WATCHES } from './watchedAddresses.ts';

// How soon a watcher of an address is notified, over the whole path: a node produces blocks, the watcher reads and
// publishes them, the alerts role finds what is watched among a million addresses, stores and sends it, the push role
// posts it to a webhook, and the API sends it by WebSocket and lists it. Measured from the time the node announces
// the block to each of the three. Blocks are produced at fixed intervals, whether or not earlier ones have arrived.
// In the last run they are produced as fast as they are processed, which gives the maximum number of transfers per
// second.

const BLOCKS = Number(process.env['BENCH_ALERT_BLOCKS'] ?? 60);
/** `BENCH_ALERT_LOADS=300,3600`: only the loads with these numbers of transfers per block. */
const CHOSEN = process.env['BENCH_ALERT_LOADS']?.split(',').map(Number);
/** Alerts of a block. */
const TOUCHED = 5;
const WARM_UP_BLOCKS = 10;
const BLOCKS_OF_LOAD = WARM_UP_BLOCKS + BLOCKS;
const API_POLL_MS = 5;
const READABLE_MS_MAX = 300_000;
/** Blocks in transit when they are produced as fast as they are processed. */
const ON_THEIR_WAY = 4;
const FASTEST_TRANSFERS = 3_750;

interface Load {
  readonly name: string;
  readonly transfersPerBlock: number;
  readonly blockMs: number;
}
/**
 * Mainnet has some 300 transfers a second, in blocks of twelve seconds; the other load is fifty times as many.
 */
const LOADS: readonly Load[] = [
  { name: '300 transfers/s, a block a second', transfersPerBlock: 300, blockMs: 1_000 },
  { name: '15,000 transfers/s, four blocks a second', transfersPerBlock: 3_750, blockMs: 250 },
];

/** An event that arrived, and when, in Unix milliseconds. */
interface Arrival {
  readonly id: string;
  readonly atMs: number;
}

/** What receives alerts and blocks. */
interface Ears {
  /** Frames by the block they are about. */
  readonly frames: ReadonlyMap<number, readonly Arrival[]>;
  /** When a webhook of an event arrived. */
  readonly webhookAtMs: (id: string) => number | undefined;
}

const frameSchema = z.object({ id: z.string(), data: z.object({ block_number: z.number() }) });
const alertsSchema = z.object({ data: z.object({ total: z.number() }) });

interface Bench {
  readonly stack: BenchStack;
  readonly api: BenchApi;
  readonly chain: LiveChain;
  readonly ears: Ears;
  readonly readable: (total: number) => Promise<number>;
}

const openEars = async (api: BenchApi): Promise<Ears> => {
  const webhooks = new Map<string, number>();
  const receiver = await startReceiver(({ headers }, response) => {
    webhooks.set(String(headers['webhook-id']), nowMs());
    response.writeHead(204).end();
  });
  await api.call('/api/webhooks', { url: receiver.url, events: ['watchlist.alert'] });
  const frames = new Map<number, Arrival[]>();
  await subscribeClients(api, { count: 1, channel: 'alerts' }, (text) => {
    const { id, data } = frameSchema.parse(JSON.parse(text));
    const others = frames.get(data.block_number) ?? [];
    frames.set(data.block_number, [...others, { id, atMs: nowMs() }]);
  });
  return {
    frames,
    webhookAtMs: (id) => webhooks.get(id),
  };
};

/** A million addresses watched by others, and the tokens of the bench's only family. */
const saveWatches = async ({ redis }: BenchStack): Promise<void> => {
  await saveWatchedAddresses(redis, WATCHES);
  const usedBytes = /used_memory:(\d+)/.exec(await redis.info('memory'))?.[1];
  console.log(`\nRedis with ${WATCHES} watched addresses: ${usedBytes} bytes`);
  const [key = ''] = await redis.keys('webhooks:*');
  const family = key.slice('webhooks:'.length);
  for (let n = 0; n < TOUCHED; n += 1) {
    const item: WatchItem = {
      family,
      id: n + 1,
      type: 'token',
      address: touchedToken(n),
      alerts: ['ownership_change'],
      sensitivity: 'high',
      createdAtMs: Date.now(),
    };
    await createWatchlistStore(redis).add(item, TOUCHED);
  }
  await createAlertSettingsStore(redis).update(family, () => ({ dedupe_window_seconds: 0 }));
};

/** Milliseconds after a block was mined. */
interface Latencies {
  readonly api: number[];
  readonly webhook: number[];
  readonly frame: number[];
}

/**
 * When the API first listed a number of alerts, Unix milliseconds. One poller serves all waiting callers: a hundred
 * pollers would be what is measured.
 */
const watchReadable = (api: BenchApi): ((total: number) => Promise<number>) => {
  const waiting = new Set<{ total: number; resolve: (atMs: number) => void }>();
  const ask = async (): Promise<void> => {
    const deadline = performance.now() + READABLE_MS_MAX;
    while (waiting.size > 0) {
      const { data } = alertsSchema.parse(await api.call('/alerts?limit=1'));
      const atMs = nowMs();
      for (const one of waiting) {
        if (data.total < one.total) continue;
        waiting.delete(one);
        one.resolve(atMs);
      }
      if (performance.now() > deadline) throw new Error('alerts cannot be read in time');
      await sleep(API_POLL_MS);
    }
  };
  return (total) =>
    new Promise((resolve, reject) => {
      waiting.add({ total, resolve });
      if (waiting.size === 1) ask().catch(reject);
    });
};

/** Waits until all receivers have a block's alerts, after which the API lists a number of alerts. */
const observe = async (
  { readable, ears }: Bench,
  { number, minedAtMs }: MinedBlock,
  total: number,
): Promise<Latencies> => {
  const readAtMs = await readable(total);
  await until('frames', () => ears.frames.get(number)?.length === TOUCHED);
  const frames = ears.frames.get(number) ?? [];
  await until('webhooks', () => frames.every(({ id }) => ears.webhookAtMs(id) !== undefined));
  return {
    api: [readAtMs - minedAtMs],
    webhook: frames.map(({ id }) => (ears.webhookAtMs(id) ?? Number.NaN) - minedAtMs),
    frame: frames.map(({ atMs }) => atMs - minedAtMs),
  };
};

const planOf = (transfers: number) => ({
  transfers,
  touched: TOUCHED,
  isFirst: false,
});

/** One load; `raised` is how many alerts were raised before. */
const measure = async (bench: Bench, load: Load, raised: number): Promise<void> => {
  await bench.chain.prepare(planOf(load.transfersPerBlock), BLOCKS_OF_LOAD);
  const observing: Promise<Latencies>[] = [];
  for (let i = 1; i <= BLOCKS_OF_LOAD; i += 1) {
    const startMs = performance.now();
    const mined = await bench.chain.mine();
    observing.push(observe(bench, mined, raised + i * TOUCHED));
    await sleep(Math.max(0, load.blockMs - (performance.now() - startMs)));
  }
  const all = (await Promise.all(observing)).slice(WARM_UP_BLOCKS);
  report(load, all);
};

/** Blocks come whenever one has arrived. */
const measureFastest = async (bench: Bench, raised: number): Promise<void> => {
  await bench.chain.prepare(planOf(FASTEST_TRANSFERS), BLOCKS_OF_LOAD);
  const atOnce = pLimit(ON_THEIR_WAY);
  const atMs: number[] = [];
  const one = async (_: unknown, i: number): Promise<void> => {
    await observe(bench, await bench.chain.mine(), raised + (i + 1) * TOUCHED);
    atMs.push(nowMs());
  };
  await Promise.all(Array.from({ length: BLOCKS_OF_LOAD }, (_, i) => atOnce(one, _, i)));
  const seconds = ((atMs.at(-1) ?? 0) - (atMs[WARM_UP_BLOCKS - 1] ?? 0)) / 1_000;
  const perSecond = Math.round((BLOCKS * FASTEST_TRANSFERS) / seconds);
  console.log(
    `\nas fast as they arrive, ${ON_THEIR_WAY} blocks on their way: ${perSecond} transfers/s`,
  );
};

const report = (load: Load, all: readonly Latencies[]): void => {
  const of = (key: keyof Latencies): number[] => all.flatMap((one) => one[key]);
  console.log(`\n${load.name}: ${of('frame').length} alerts, p50 / p95 / p99 / max ms`);
  console.log(`  readable by the API   ${summary(of('api'))}`);
  console.log(`  webhook received      ${summary(of('webhook'))}`);
  console.log(`  WebSocket frame       ${summary(of('frame'))}`);
};

const prepare = async (stack: BenchStack) => {
  const chain = await startLiveChain(stack);
  const { environment: env } = chain;
  const api = await startBenchApi(stack, env);
  const push = await stack.role('push', env, true);
  const ears = await openEars(api);
  await saveWatches(stack);
  const startMs = performance.now();
  const alerts = await stack.role('alerts', env, true);
  const readyS = ((performance.now() - startMs) / 1_000).toFixed(1);
  console.log(`\nalerts role with ${WATCHES} watched addresses: ready after ${readyS} s`);
  const watcher = await stack.role('watcher', env, true);
  await chain.prepare({ transfers: 0, touched: 0, isFirst: true }, 1);
  await chain.mine();
  return {
    bench: { stack, api, chain, ears, readable: watchReadable(api) },
    alerts,
    roles: [api.process, push, alerts, watcher],
  };
};

/** CPU time by process: the limit is where most of it is spent. */
const usedOf = (roles: readonly TestProcess[]): string =>
  [...roles.map(({ name, pid }) => [name, pid] as const), ...serverPids()]
    .map(([name, pid]) => `${name} ${cpuSecondsOf(pid).toFixed(0)}`)
    .join(', ');

const stack = await startBenchStack();
try {
  const { bench, alerts, roles } = await prepare(stack);
  const others = watchOthers(childPids());
  const chosen = LOADS.filter((one) => CHOSEN?.includes(one.transfersPerBlock) ?? true);
  const measureAll = async (): Promise<void> => {
    for (const [i, load] of chosen.entries()) {
      await measure(bench, load, i * BLOCKS_OF_LOAD * TOUCHED);
    }
    await measureFastest(bench, chosen.length * BLOCKS_OF_LOAD * TOUCHED);
  };
  // Roles are not restarted here: without one of them nothing would ever arrive.
  await Promise.race([measureAll(), ...roles.map(({ failed }) => failed)]);
  const { peakMib } = memoryOf(alerts.pid);
  console.log(`\nCPU seconds of all loads: ${usedOf(roles)}`);
  console.log(`\nalerts role, memory at the highest: ${peakMib} MiB`);
  console.log(`others took ${(100 * others()).toFixed(0)} % of the CPU`);
} finally {
  await stack.stop();
}
