import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { connectNats } from '../../shared/platform/nats.ts';
import type { TestProcess } from '../../shared/testing/pipelineProcess.ts';
import { publishScore } from '../../shared/testing/samples.ts';
import { freePort } from '../../shared/testing/services.ts';
import { LOOPBACK } from '../local/launch.ts';
import {
  apiEnvironment,
  nowMs,
  openClients,
  startBenchApi,
  subscribeClients,
  until,
} from './benchApi.ts';
import { type BenchStack, startBenchStack } from './benchStack.ts';
import { childPids, memoryOf, watchOthers } from './childProcesses.ts';
import { summary } from './figures.ts';

// The same event to many WebSockets at once: from just before it is published to each frame, compared with a server
// that only repeats the same bytes. All clients are in this process, so their work counts too.

const CLIENTS = Number(process.env['BENCH_CLIENTS'] ?? 5_000);
const BROADCASTS = Number(process.env['BENCH_BROADCASTS'] ?? 10);
const BROADCAST_PAUSE_MS = 1_000;
const PROBE_PAUSE_MS = 50;
/** Approximate size of an event, bytes. */
const PEER_BYTES = 550;
const CHAIN_ID = 31_337;
const KIB_PER_MIB = 1024;

interface Broadcast {
  readonly server: TestProcess;
  readonly open: (onMessage: (text: string) => void) => Promise<WebSocket[]>;
  readonly publish: () => Promise<void>;
}

/** A server's memory per client, KiB, and milliseconds to each client. */
const measure = async ({ server, open, publish }: Broadcast) => {
  const before = memoryOf(server.pid).rssMib;
  let startMs = 0;
  let arrived: number[] = [];
  const clients = await open((text) => {
    if (text.includes('scam_detected')) arrived.push(nowMs() - startMs);
  });
  const kibPerClient = ((memoryOf(server.pid).rssMib - before) * KIB_PER_MIB) / clients.length;
  const latencies: number[] = [];
  for (let round = 0; round < BROADCASTS; round += 1) {
    arrived = [];
    startMs = nowMs();
    await publish();
    await until('broadcast', () => arrived.length === clients.length);
    latencies.push(...arrived);
    await sleep(BROADCAST_PAUSE_MS);
  }
  for (const client of clients) client.terminate();
  return `${summary(latencies)}   ${kibPerClient.toFixed(1)} KiB a client`;
};

const byService = async (stack: BenchStack): Promise<string> => {
  const nats = await connectNats(stack.environment['NATS_URL'] ?? '', 'bench');
  const api = await startBenchApi(stack, apiEnvironment(CHAIN_ID, CLIENTS));
  const result = await measure({
    server: api.process,
    open: (onMessage) => subscribeClients(api, { count: CLIENTS, channel: 'scams' }, onMessage),
    publish: () => publishScore(nats),
  });
  await nats.close();
  return result;
};

const byPeer = async (stack: BenchStack): Promise<string> => {
  const port = await freePort();
  const args = ['--import', 'tsx', 'deploy/bench/bareBroadcast.ts', String(port)];
  const server = stack.start('peer', args);
  const url = `ws://${LOOPBACK}:${port}`;
  const isUp = async (): Promise<boolean> => {
    const probe = new WebSocket(url);
    const opened = once(probe, 'open').then(() => true);
    const failed = new Promise<boolean>((resolve) => probe.on('error', () => resolve(false)));
    const result = await Promise.race([opened, failed]);
    probe.terminate();
    return result;
  };
  while (!(await isUp())) await sleep(PROBE_PAUSE_MS);
  const publisher = new WebSocket(`${url}/publish`);
  await once(publisher, 'open');
  const body = JSON.stringify({ op: 'event', type: 'scam_detected', text: 'x'.repeat(PEER_BYTES) });
  return measure({
    server,
    open: (onMessage) => openClients(CLIENTS, url, {}, onMessage),
    publish: async () => publisher.send(body),
  });
};

const stack = await startBenchStack();
try {
  const others = watchOthers(childPids());
  const own = await byService(stack);
  const peer = await byPeer(stack);
  console.log(
    `\nthe same event to ${CLIENTS} WebSockets, ${BROADCASTS} times, p50 / p95 / p99 / max ms`,
  );
  console.log(`  this service          ${own}`);
  console.log(`  bare broadcast        ${peer}`);
  console.log(`  others took ${(100 * others()).toFixed(0)} % of the CPU`);
} finally {
  await stack.stop();
}
