import { once } from 'node:events';
import { WebSocket } from 'ws';
import { createKeyStore } from '../../api/accounts/keyStore.ts';
import type { TestProcess } from '../../shared/testing/pipelineProcess.ts';
import { freePort } from '../../shared/testing/services.ts';
import { LOOPBACK } from '../local/launch.ts';
import type { BenchStack } from './benchStack.ts';
import { untilAnswers } from './childProcesses.ts';

/** An API beside the stack, with one key. */
export interface BenchApi {
  readonly process: TestProcess;
  readonly url: string;
  readonly socketUrl: string;
  readonly key: string;
  /** @throws Error for any answer that is no success. */
  call(path: string, body?: object): Promise<unknown>;
}

const CONNECTS_AT_ONCE = 50;
const STREAMS_SPARE = 100;
/** Replaces the stack's secrets: what is started here ends with the bench. */
const KEY_PEPPER = 'a pepper only for measuring latency';
const WEBHOOK_SECRET_KEY = 'a key only for measuring latency';

/** The environment that the API and the push role share. */
export const apiEnvironment = (chainId: number, streams: number): Record<string, string> => ({
  HOST: LOOPBACK,
  CHAIN_ID: String(chainId),
  KEY_PEPPER,
  WEBHOOK_SECRET_KEY,
  WEBHOOK_ALLOW_PRIVATE: '1',
  // All clients have the same address.
  ADDRESS_CONNECTIONS_MAX: String(streams + STREAMS_SPARE),
  RATE_PLANS: JSON.stringify({
    enterprise: { perMinute: 10_000_000, streams: streams + STREAMS_SPARE },
  }),
});

/** Starts the API and creates a key of the highest tier. */
export const startBenchApi = async (
  stack: BenchStack,
  environment: Readonly<Record<string, string>>,
): Promise<BenchApi> => {
  const port = await freePort();
  const url = `http://${LOOPBACK}:${port}`;
  const env = { ...environment, PORT: String(port), BASE_URL: url };
  const process = stack.start('api', ['dist/api/main.js'], env);
  await untilAnswers(`${url}/readyz`, process);
  const keys = createKeyStore({ redis: stack.redis, pepper: KEY_PEPPER, now: Date.now });
  const { key } = await keys.create({ name: 'bench', tier: 'enterprise' });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  return {
    process,
    url,
    socketUrl: `${url.replace('http', 'ws')}/api/ws`,
    key,
    call: async (path, body) => {
      const post = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      const response = await fetch(`${url}${path}`, { headers, ...post });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    },
  };
};

/** Opens WebSockets that pass what they receive to `onMessage`. */
export const openClients = async (
  count: number,
  url: string,
  headers: Readonly<Record<string, string>>,
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

/** Opens WebSockets of the key and subscribes each to a channel; resolves when all are subscribed. */
export const subscribeClients = async (
  api: BenchApi,
  { count, channel }: { count: number; channel: string },
  onEvent: (text: string) => void,
): Promise<WebSocket[]> => {
  let subscribed = 0;
  const clients = await openClients(count, api.socketUrl, { 'x-api-key': api.key }, (text) => {
    if (text.includes('"subscribed"')) subscribed += 1;
    else onEvent(text);
  });
  const request = JSON.stringify({ op: 'subscribe', id: '1', channel });
  for (const client of clients) client.send(request);
  await until('all subscribed', () => subscribed === count);
  return clients;
};

const POLL_MS = 5;
const UNTIL_MS_MAX = 300_000;

/** Polls every few milliseconds. @throws Error after five minutes. */
export const until = async (what: string, holds: () => boolean): Promise<void> => {
  const deadline = performance.now() + UNTIL_MS_MAX;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`${what}: not in time`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
};

/** Unix milliseconds with fractions. */
export const nowMs = (): number => performance.timeOrigin + performance.now();
