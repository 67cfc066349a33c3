import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Disturbance between a client and its server: `none` forwards everything; `refused` refuses connections; `hanging`
 * accepts but never answers, and continues afterwards; `reset` cuts with an RST.
 */
export type Fault = 'none' | 'refused' | 'hanging' | 'reset';

const HOST = '127.0.0.1';

/** A client and, once admitted, its connection to the server. */
interface Pair {
  readonly client: Socket;
  server: Socket | undefined;
}

const letThrough = (pair: Pair, port: number): void => {
  const { client } = pair;
  if (!pair.server) {
    const server = connect({ host: HOST, port, noDelay: true });
    pair.server = server;
    server.on('error', () => client.destroy());
    server.on('close', () => client.destroy());
    client.on('close', () => server.destroy());
  }
  client.pipe(pair.server);
  pair.server.pipe(client);
};

const hold = ({ client, server }: Pair): void => {
  client.unpipe();
  client.pause();
  server?.unpipe();
  server?.pause();
};

/** Starts a proxy on a free port in front of a server on this machine. */
export const startTcpProxy = async (targetUrl: string) => {
  const target = new URL(targetUrl);
  const targetPort = Number(target.port);
  const pairs = new Set<Pair>();
  let fault: Fault = 'none';
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (client) => {
    const pair: Pair = { client, server: undefined };
    client.on('error', () => client.destroy());
    client.on('close', () => pairs.delete(pair));
    if (fault === 'reset') client.resetAndDestroy();
    else {
      pairs.add(pair);
      if (fault === 'none') letThrough(pair, targetPort);
    }
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, HOST);
    await once(server, 'listening');
  };
  const stopListening = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    await closed;
  };
  const cut = (how: (client: Socket) => void): void => {
    for (const { client } of pairs) how(client);
  };

  await listen(0);
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('a proxy has no port');
  const { port } = address;
  target.port = String(port);
  return {
    /** The server's URL with the proxy's host and port in it. */
    url: target.href,
    setFault: async (next: Fault): Promise<void> => {
      if (next === fault) return;
      fault = next;
      if (next === 'refused') {
        cut((client) => client.destroy());
        await stopListening();
        return;
      }
      if (!server.listening) await listen(port);
      if (next === 'reset') cut((client) => client.resetAndDestroy());
      for (const pair of pairs) {
        if (next === 'hanging') hold(pair);
        else if (next === 'none') letThrough(pair, targetPort);
      }
    },
    close: async (): Promise<void> => {
      const closing = stopListening();
      cut((client) => client.destroy());
      await closing;
    },
  };
};
/** A connection path to a server that can be disturbed. */
export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;
