import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NatsConnection } from 'nats';
import { eventId } from '../events/pushEvent.ts';
import type { Alert, AlertMessage } from '../messages/alertMessage.ts';
import type { ScoreMessage } from '../messages/scoreMessage.ts';
import { alertSubject, scoreSubject } from '../messages/subjects.ts';

/** A webhook as it arrived. */
interface ReceivedWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly path: string;
  /** Unix milliseconds, with fractions. */
  readonly atMs: number;
}

/** A receiver of webhooks on a free port of the loopback address. */
export interface Receiver {
  readonly url: string;
  readonly received: ReceivedWebhook[];
  /** Distinct ids of events that arrived. */
  ids(): Set<string>;
  close(): void;
}

/** Starts a receiver; it answers 204 by default. */
export const startReceiver = async (
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => {
    response.writeHead(204).end();
  },
): Promise<Receiver> => {
  const received: ReceivedWebhook[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const headers = request.headers as Record<string, string>;
      const atMs = performance.timeOrigin + performance.now();
      received.push({ headers, body, path: request.url ?? '', atMs });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    ids: () => new Set(received.map(({ headers }) => headers['webhook-id'] ?? '')),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const TOKEN = `0x${'ab'.repeat(20)}` as const;
const HASH = `0x${'cd'.repeat(32)}` as const;

/** Publishes an alert as the alerts role does. Resolves to the id of its event. */
export const publishAlert = async (
  connection: NatsConnection,
  family: string,
  id: number,
  changes: Partial<Alert> = {},
): Promise<string> => {
  const alert: Alert = {
    chainId: 1,
    family,
    id,
    watchId: 3,
    type: 'rug_pull',
    severity: 'critical',
    token: { address: TOKEN, name: 'Moon Pepe', symbol: 'MPEPE' },
    details: { liquidity_change: -0.97, creator_sold_usd: 14_800 },
    recommendation: 'SELL_IMMEDIATELY',
    blockNumber: 7,
    blockHash: HASH,
    logIndex: 2,
    txHash: HASH,
    createdAtMs: Date.now(),
    ...changes,
  };
  const name = eventId(`${family}:${id}:raised`, alert.createdAtMs);
  const message: AlertMessage = { v: 1, eventId: name, state: 'raised', alert };
  const options = { msgID: name };
  await connection.jetstream().publish(alertSubject(family), JSON.stringify(message), options);
  return name;
};

/** The verdict on a new scam. */
export const sampleScore = (changes: Partial<ScoreMessage> = {}): ScoreMessage => ({
  v: 1,
  chainId: 1,
  token: TOKEN,
  name: 'Moon Pepe',
  symbol: 'MPEPE',
  blockNumber: 7,
  blockHash: HASH,
  prediction: 'SCAM',
  confidence: 0.97,
  riskScore: 97,
  previousPrediction: null,
  previousConfidence: null,
  previousRiskScore: null,
  analyzedAtMs: Date.now(),
  ...changes,
});

/** Publishes the verdict on a new scam as the scorer does. */
export const publishScore = async (
  connection: NatsConnection,
  changes: Partial<ScoreMessage> = {},
): Promise<void> => {
  const message = sampleScore(changes);
  await connection.jetstream().publish(scoreSubject(1, message.token), JSON.stringify(message));
};
