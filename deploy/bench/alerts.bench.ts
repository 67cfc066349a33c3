import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { connectNats } from '../../shared/adapters/nats.ts';
import { startReceiver } from '../../shared/testing/receiver.ts';
import { freePort } from '../../shared/testing/services.ts';
import { LOOPBACK } from '../local/launch.ts';
import {
  apiEnvironment,
  type BenchApi,
  nowMs,
  openClients,
  startBenchApi,
  subscribeClients,
  until,
} from './benchApi.ts';
import { type BenchStack, startBenchStack } from './benchStack.ts';
import { childPids, memoryOf, watchOthers } from './childProcesses.ts';
import { type BlockPlan, LIVE_WETH, touchedToken } from './liveBlock.ts';
import { percentile, summary } from './percentiles.ts';
import { createStepMeter, type StepMeter } from './stepMeter.ts';
import { WATCHES, watchedAddresses } from './watchedAddresses.ts';

// How soon its watcher knows, over the whole path: a node makes blocks, the watcher reads and publishes them, the
// alerts role finds what is watched among a million addresses, stores and sends it, the push role posts it to a webhook
// and the API to a WebSocket and to whoever asks. From the moment the node lets the block be known, to each of the three.
// Beside it, in the same run, the least such a path can take: its single steps, each done alone.

const BLOCKS = Number(process.env['BENCH_ALERT_BLOCKS'] ?? 60);
/** `BENCH_ALERT_LOADS=300,3600`: only the loads with these transfers in a block. */
const CHOSEN = process.env['BENCH_ALERT_LOADS']?.split(',').map(Number);
/** Alerts of a block. */
const TOUCHED = 5;
const WARM_UP_BLOCKS = 10;
const CHAIN_ID = 31_337;
const API_POLL_MS = 5;
const TIMEOUT_MS = 60_000;

interface Load {
  readonly name: string;
  readonly transfersPerBlock: number;
  readonly blockMs: number;
}
/** Mainnet has some 300 transfers a second, in blocks of twelve seconds; beside it fifty times as many. */
const LOADS: readonly Load[] = [
  { name: '300 transfers/s, a block a second', transfersPerBlock: 300, blockMs: 1_000 },
  {
    name: '300 transfers/s, twelve seconds of them in a block',
    transfersPerBlock: 3_600,
    blockMs: 3_000,
  },
  { name: '15,000 transfers/s, a block a second', transfersPerBlock: 15_000, blockMs: 1_000 },
];

/** What hears of alerts, with the Unix milliseconds at which each event arrived. */
interface Ears {
  readonly frames: Map<string, number>;
  readonly webhooks: () => Map<string, number>;
  /** When the node's own notification of the last head was heard. */
  readonly headAtMs: () => number;
}

const frameSchema = z.object({ id: z.string() });
const alertsSchema = z.object({ data: z.object({ total: z.number() }) });
const minedSchema = z.object({ number: z.number(), minedAtMs: z.number() });

interface Bench {
  readonly stack: BenchStack;
  readonly api: BenchApi;
  readonly nodeUrl: string;
  readonly ears: Ears;
  readonly steps: StepMeter;
}

const mine = async (nodeUrl: string, plan: BlockPlan) => {
  const response = await fetch(`${nodeUrl}/mine`, { method: 'POST', body: JSON.stringify(plan) });
  return minedSchema.parse(await response.json());
};

const startNode = async (stack: BenchStack): Promise<string> => {
  const port = await freePort();
  stack.start('node', ['--import', 'tsx', 'deploy/bench/liveNode.ts', `${port}`, `${CHAIN_ID}`]);
  const url = `http://${LOOPBACK}:${port}`;
  const deadline = performance.now() + TIMEOUT_MS;
  const isUp = () =>
    fetch(url, { method: 'POST', body: '[]' }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (performance.now() > deadline) throw new Error('the node does not answer');
    await sleep(API_POLL_MS);
  }
  return url;
};

const openEars = async (api: BenchApi, nodeUrl: string): Promise<Ears> => {
  const receiver = await startReceiver();
  await api.call('/api/webhooks', { url: receiver.url, events: ['watchlist.alert'] });
  const frames = new Map<string, number>();
  await subscribeClients(api, { count: 1, channel: 'alerts' }, (text) => {
    frames.set(frameSchema.parse(JSON.parse(text)).id, nowMs());
  });
  let headAtMs = 0;
  const [heads] = await openClients(1, nodeUrl.replace('http', 'ws'), {}, (text) => {
    if (text.includes('eth_subscription')) headAtMs = nowMs();
  });
  heads?.send(JSON.stringify({ id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
  return {
    frames,
    headAtMs: () => headAtMs,
    webhooks: () =>
      new Map(receiver.received.map(({ headers, atMs }) => [headers['webhook-id'] ?? '', atMs])),
  };
};

/** A million addresses of others, and the tokens of the bench's only family. */
const saveWatches = async ({ clickhouse }: BenchStack): Promise<void> => {
  await clickhouse.exec(watchedAddresses(WATCHES));
  const [row] = await clickhouse.query(
    'SELECT family FROM webhooks LIMIT 1',
    {},
    z.object({ family: z.string() }),
  );
  const family = row?.family ?? '';
  for (let n = 0; n < TOUCHED; n += 1) {
    await clickhouse.exec(
      `INSERT INTO watchlist (family, id, type, address, alerts, sensitivity, created_at, version)
       SELECT {family:String}, {id:UInt64}, 'token', unhex({token:String}), ['ownership_change'], 'high', now64(3), 1`,
      { family, id: n + 1, token: touchedToken(n).slice(2) },
    );
  }
  const settings = JSON.stringify({ dedupe_window_seconds: 0 });
  await clickhouse.insert('alert_settings', [{ family, settings, version: 1 }]);
};

/** Milliseconds after a block was mined. */
interface Latencies {
  readonly api: number[];
  readonly webhook: number[];
  readonly frame: number[];
  /** The steps the path cannot do without, added up. */
  readonly least: number[];
}

const untilReadable = async (api: BenchApi, total: number): Promise<number> => {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { data } = alertsSchema.parse(await api.call(`/alerts?limit=${TOUCHED}`));
    if (data.total >= total) return nowMs();
    if (performance.now() > deadline) throw new Error('alerts cannot be read in time');
    await sleep(API_POLL_MS);
  }
};

const measureBlock = async (bench: Bench, load: Load, expected: number): Promise<Latencies> => {
  const { api, ears, nodeUrl, steps } = bench;
  const before = new Set(ears.frames.keys());
  const plan = { transfers: load.transfersPerBlock, touched: TOUCHED, isFirst: false };
  const { number, minedAtMs } = await mine(nodeUrl, plan);
  const readAtMs = await untilReadable(api, expected);
  await until('frames', () => ears.frames.size >= expected);
  const ids = [...ears.frames.keys()].filter((id) => !before.has(id));
  let webhooks = ears.webhooks();
  await until('webhooks', () => {
    webhooks = ears.webhooks();
    return ids.every((id) => webhooks.has(id));
  });
  const after = (times: ReadonlyMap<string, number>): number[] =>
    ids.map((id) => (times.get(id) ?? Number.NaN) - minedAtMs);
  const { block, message, row } = await steps.measure(number);
  return {
    api: [readAtMs - minedAtMs],
    webhook: after(webhooks),
    frame: after(ears.frames),
    // From the watcher to the alerts role, and from there to the API.
    least: [ears.headAtMs() - minedAtMs + block + 2 * message + row],
  };
};

const report = (load: Load, all: readonly Latencies[]): void => {
  const of = (key: keyof Latencies): number[] => all.flatMap((one) => one[key]);
  const p50 = (key: keyof Latencies): number => percentile(of(key), 0.5);
  console.log(`\n${load.name}: ${of('frame').length} alerts, p50 / p95 / p99 / max ms`);
  console.log(`  readable by the API   ${summary(of('api'))}`);
  console.log(`  webhook received      ${summary(of('webhook'))}`);
  console.log(`  WebSocket frame       ${summary(of('frame'))}`);
  console.log(`  single steps alone    ${summary(of('least'))}`);
  const ratio = p50('frame') / p50('least');
  console.log(`  frame, times the steps alone, p50: ${ratio.toFixed(1)}`);
};

const prepare = async (stack: BenchStack, nats: Awaited<ReturnType<typeof connectNats>>) => {
  const nodeUrl = await startNode(stack);
  const env = {
    ...apiEnvironment(CHAIN_ID, 1),
    RPC_URL: nodeUrl.replace('http', 'ws'),
    WETH_ADDRESS: LIVE_WETH,
    STABLE_ADDRESSES: '',
    NATIVE_PRICE_USD: '2000',
  };
  const api = await startBenchApi(stack, env);
  await stack.role('push', env, true);
  const ears = await openEars(api, nodeUrl);
  await saveWatches(stack);
  const startMs = performance.now();
  const alerts = await stack.role('alerts', env, true);
  const readyS = ((performance.now() - startMs) / 1_000).toFixed(1);
  console.log(`\nalerts role with ${WATCHES} watched addresses: ready after ${readyS} s`);
  await stack.role('watcher', env, true);
  await mine(nodeUrl, { transfers: 0, touched: 0, isFirst: true });
  const steps = await createStepMeter(nats, stack.clickhouse, nodeUrl);
  return { bench: { stack, api, nodeUrl, ears, steps }, alerts };
};

const stack = await startBenchStack();
try {
  const nats = await connectNats(stack.environment['NATS_URL'] ?? '', 'bench');
  const { bench, alerts } = await prepare(stack, nats);
  const others = watchOthers(childPids());
  let expected = 0;
  for (const load of LOADS.filter((one) => CHOSEN?.includes(one.transfersPerBlock) ?? true)) {
    const all: Latencies[] = [];
    for (let i = 0; i < WARM_UP_BLOCKS + BLOCKS; i += 1) {
      const startMs = performance.now();
      expected += TOUCHED;
      const measured = await measureBlock(bench, load, expected);
      if (i >= WARM_UP_BLOCKS) all.push(measured);
      await sleep(Math.max(0, load.blockMs - (performance.now() - startMs)));
    }
    report(load, all);
  }
  const { peakMib } = memoryOf(alerts.pid);
  console.log(`\nalerts role, memory at the highest: ${peakMib} MiB`);
  console.log(`others took ${(100 * others()).toFixed(0)} % of the processors`);
  await bench.steps.close();
  await nats.close();
} finally {
  await stack.stop();
}
