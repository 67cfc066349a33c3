import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SecretBox } from '../platform/secretBox.ts';
import { createSendDelivery } from '../webhooks/sendDelivery.ts';
import { createSendEvents, type SendEvents } from '../webhooks/sendEvents.ts';
import { createFindTarget, systemResolve } from '../webhooks/targetAddress.ts';

/** A webhook as it arrived. */
interface ReceivedWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly path: string;
  /** Unix milliseconds, with fractions. */
  readonly atMs: number;
}

/** A receiver of webhooks on a free port of this machine. */
export interface Receiver {
  readonly url: string;
  readonly received: ReceivedWebhook[];
  /** Distinct ids of events that arrived. */
  ids(): Set<string>;
  close(): void;
}

/** Starts a receiver; it answers 204 by default. @param address of this machine */
export const startReceiver = async (
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => {
    response.writeHead(204).end();
  },
  address = '127.0.0.1',
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
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}/hook`,
    received,
    ids: () => new Set(received.map(({ headers }) => headers['webhook-id'] ?? '')),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** Sends to receivers on this machine; there are no chats and no mails. */
export const createTestSender = (args: { box: SecretBox; attemptMsMax?: number }): SendEvents => {
  const now = (): number => Date.now();
  const findTarget = createFindTarget({ resolve: systemResolve, allowPrivate: true });
  const nowhere = 'http://127.0.0.1:9';
  return createSendEvents({
    send: createSendDelivery({ findTarget, now, attemptMsMax: args.attemptMsMax ?? 15_000 }),
    mailer: { deliver: () => Promise.reject(new Error('this test has no mail server')) },
    box: args.box,
    now,
    baseUrl: 'https://api.test',
    origins: { telegram: nowhere, discord: nowhere, slack: nowhere },
  });
};
