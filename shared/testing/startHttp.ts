import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
interface ReceivedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly path: string;
  /** Unix milliseconds, with fractions. */
  readonly atMs: number;
}

/** Starts a server on a free port that answers once a request has arrived in full. @param address of this machine */
export const startHttp = async (
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  address = '127.0.0.1',
) => {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const headers = request.headers as Record<string, string>;
      const atMs = performance.timeOrigin + performance.now();
      received.push({ headers, body, path: request.url ?? '', atMs });
      answer(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    origin: `http://${address}:${(server.address() as AddressInfo).port}`,
    received,
    /** Ends it and its connections. */
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
};
/** A server of a test. */
export type HttpServer = Awaited<ReturnType<typeof startHttp>>;
