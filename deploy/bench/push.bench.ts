import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { connectNats } from '../../shared/adapters/nats.ts';
import { publishAlert, publishScore } from '../../shared/testing/pushMessages.ts';
import { startReceiver } from '../../shared/testing/receiver.ts';
import { freePort } from '../../shared/testing/services.ts';
import { LOOPBACK } from '../local/launch.ts';
import { runProgram } from '../local/runProgram.ts';
import { type BenchStack, startBenchStack } from './benchStack.ts';
import { type Child, childPids, memoryOf, untilAnswers, watchOthers } from './childProcesses.ts';
import { summary } from './percentiles.ts';

// How long an event takes to its receivers: from the moment before an alert is published to the webhook and to the
// frame on a WebSocket, one alert after the other; then the same event to many WebSockets at once, beside a server
// that does nothing but repeat the same bytes. All clients are in this process: their work counts too.

const CLIENTS = Number(process.env['BENCH_CLIENTS'] ?? 500);
const ALERTS = Number(process.env['BENCH_ALERTS'] ?? 200);
const BROADCASTS = Number(process.env['BENCH_BROADCASTS'] ?? 10);
const WARM_UP = 20;
const PAUSE_MS = 25;
const BROADCAST_PAUSE_MS = 1_000;
const CONNECTS_AT_ONCE = 50;
const TIMEOUT_MS = 60_000;
const POLL_MS = 5;
/** About the bytes of an event. */
const PEER_BYTES = 550;
const CHAIN_ID = '31337';
/** Stands in for the stack's secret: what is started here ends with the bench. */
const KEY_PEPPER = 'a pepper only for measuring push';
const KIB_PER_MIB = 1024;

const now = (): number => performance.timeOrigin + performance.now();

const until = async (what: string, holds: () => boolean): Promise<void> => {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`${what}: not in time`);
    await sleep(POLL_MS);
  }
};

/** Opens clients that all tell `onMessage` what they hear. */
const openClients = async (
  count: number,
  url: string,
  headers: Record<string, string>,
  onMessage: (text: string) => void,
): Promise<WebSocket[]> => {
  const clients: WebSocket[] = [];
  while (clients.length < count) {
    const batch = Array.from({ length: Math.min(CONNECTS_AT_ONCE, count - clients.length) }, () => {
      const client = new WebSocket(url, { headers, perMessageDeflate: false });
      client.on('message', (data: Buffer) => onMessage(data.toString()));
      return client;
    });
    await Promise.all(batch.map((client) => once(client, 'open')));
    clients.push(...batch);
  }
  return clients;
};

interface Service {
  readonly api: Child;
  readonly url: string;
  readonly key: string;
}

const startService = async (stack: BenchStack): Promise<Service> => {
  const port = await freePort();
  const url = `http://${LOOPBACK}:${port}`;
  const env = {
    HOST: LOOPBACK,
    PORT: String(port),
    CHAIN_ID,
    KEY_PEPPER,
    WEBHOOK_ALLOW_PRIVATE: '1',
    RATE_PLANS: JSON.stringify({ enterprise: { perMinute: 10_000_000, streams: CLIENTS + 100 } }),
  };
  const api = stack.start('api', ['dist/api/main.js'], env);
  await untilAnswers(`${url}/readyz`, api);
  await stack.role('push', env, true);
  const { code, stdout, stderr } = await runProgram({
    program: 'dist/api/accounts/createKey.js',
    env: { ...stack.environment, ...env, TIER: 'enterprise', NAME: 'bench' },
    timeoutMs: TIMEOUT_MS,
  });
  if (code !== 0) throw new Error(`no key: ${stderr}`);
  return { api, url, key: stdout.trim().split('\n').at(-1) ?? '' };
};

const call = async ({ url, key }: Service, path: string, body: object): Promise<void> => {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
};

/** The family of the bench's only key: it is in no answer of the API, but in its tables. */
const familyOf = async (stack: BenchStack): Promise<string> => {
  const sql = 'SELECT family FROM webhooks LIMIT 1';
  const [row] = await stack.clickhouse.query(sql, {}, z.object({ family: z.string() }));
  return row?.family ?? '';
};

type Nats = Awaited<ReturnType<typeof connectNats>>;

/** One alert after the other, to one webhook and one WebSocket. */
const measureAlerts = async (stack: BenchStack, service: Service, nats: Nats) => {
  const receiver = await startReceiver();
  const events = ['watchlist.alert'];
  await call(service, '/api/webhooks', { url: receiver.url, events });
  const family = await familyOf(stack);
  const framesAt = new Map<string, number>();
  const headers = { 'x-api-key': service.key };
  const socketUrl = `${service.url.replace('http', 'ws')}/api/ws`;
  let isSubscribed = false;
  const [client] = await openClients(1, socketUrl, headers, (text) => {
    const message = JSON.parse(text) as { op: string; id: string };
    if (message.op === 'subscribed') isSubscribed = true;
    else framesAt.set(message.id, now());
  });
  client?.send(JSON.stringify({ op: 'subscribe', id: '1', channel: 'alerts' }));
  await until('subscribed', () => isSubscribed);
  const sentAt = new Map<string, number>();
  for (let id = 1; id <= WARM_UP + ALERTS; id += 1) {
    const startMs = now();
    const event = await publishAlert(nats, family, id);
    if (id > WARM_UP) sentAt.set(event, startMs);
    await sleep(PAUSE_MS);
  }
  const webhooksAt = (): Map<string, number> =>
    new Map(receiver.received.map(({ headers: got, atMs }) => [got['webhook-id'] ?? '', atMs]));
  await until('webhooks', () => receiver.ids().size === WARM_UP + ALERTS);
  await until('frames', () => framesAt.size === WARM_UP + ALERTS);
  const arrived = webhooksAt();
  client?.close();
  receiver.close();
  const after = (times: ReadonlyMap<string, number>): number[] =>
    [...sentAt].map(([id, startMs]) => (times.get(id) ?? Number.NaN) - startMs);
  return { webhookMs: after(arrived), frameMs: after(framesAt) };
};

/** Memory of a server by client, KiB, and milliseconds to each of them. */
const measureBroadcast = async (args: {
  server: Child;
  open: (onMessage: (text: string) => void) => Promise<WebSocket[]>;
  publish: () => Promise<void>;
}) => {
  const before = memoryOf(args.server.pid).rssMib;
  let startMs = 0;
  let arrived: number[] = [];
  const clients = await args.open((text) => {
    if (text.includes('scam_detected')) arrived.push(now() - startMs);
  });
  const kibPerClient = ((memoryOf(args.server.pid).rssMib - before) * KIB_PER_MIB) / clients.length;
  const all: number[] = [];
  for (let round = 0; round < BROADCASTS; round += 1) {
    arrived = [];
    startMs = now();
    await args.publish();
    await until('broadcast', () => arrived.length === clients.length);
    all.push(...arrived);
    await sleep(BROADCAST_PAUSE_MS);
  }
  for (const client of clients) client.terminate();
  return { latencies: all, kibPerClient };
};

const broadcastByService = (service: Service, nats: Nats) =>
  measureBroadcast({
    server: service.api,
    open: async (onMessage) => {
      let subscribed = 0;
      const url = `${service.url.replace('http', 'ws')}/api/ws`;
      const clients = await openClients(CLIENTS, url, { 'x-api-key': service.key }, (text) => {
        if (text.includes('"subscribed"')) subscribed += 1;
        else onMessage(text);
      });
      for (const client of clients) {
        client.send(JSON.stringify({ op: 'subscribe', id: '1', channel: 'scams' }));
      }
      await until('all subscribed', () => subscribed === clients.length);
      return clients;
    },
    publish: () => publishScore(nats),
  });

const broadcastByPeer = async (stack: BenchStack) => {
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
  while (!(await isUp())) await sleep(POLL_MS * 10);
  const publisher = new WebSocket(`${url}/publish`);
  await once(publisher, 'open');
  const body = JSON.stringify({ op: 'event', type: 'scam_detected', text: 'x'.repeat(PEER_BYTES) });
  return measureBroadcast({
    server,
    open: (onMessage) => openClients(CLIENTS, url, {}, onMessage),
    publish: async () => publisher.send(body),
  });
};
const stack = await startBenchStack();
try {
  const nats = await connectNats(stack.environment['NATS_URL'] ?? '', 'bench');
  const service = await startService(stack);
  const others = watchOthers(childPids());
  const { webhookMs, frameMs } = await measureAlerts(stack, service, nats);
  console.log(
    `\nmilliseconds after an alert was published, ${ALERTS} alerts, p50 / p95 / p99 / max`,
  );
  console.log(`  webhook received      ${summary(webhookMs)}`);
  console.log(`  WebSocket frame       ${summary(frameMs)}`);
  const own = await broadcastByService(service, nats);
  const peer = await broadcastByPeer(stack);
  console.log(
    `\nthe same event to ${CLIENTS} WebSockets, ${BROADCASTS} times, p50 / p95 / p99 / max`,
  );
  console.log(
    `  this service          ${summary(own.latencies)}   ${own.kibPerClient.toFixed(1)} KiB a client`,
  );
  console.log(
    `  bare broadcast        ${summary(peer.latencies)}   ${peer.kibPerClient.toFixed(1)} KiB a client`,
  );
  console.log(`  others took ${(100 * others()).toFixed(0)} % of the processors`);
  await nats.close();
} finally {
  await stack.stop();
}
