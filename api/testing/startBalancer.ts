import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Interval in which backends are probed for readiness. */
const CHECK_MS = 50;
/**
 * Time limit of a probe: a backend whose machine is gone does not answer, and must not delay the other probes.
 */
const CHECK_TIMEOUT_MS = 1_000;

const isReady = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/readyz', agent: false };
    const asking = request({ ...options, timeout: CHECK_TIMEOUT_MS }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asking.once('timeout', () => asking.destroy());
    asking.once('error', () => resolve(false));
    asking.once('close', () => resolve(false));
    asking.end();
  });

/**
 * Starts a load balancer: it uses persistent connections, and distributes requests over the ready backends in turn.
 */
export const startBalancer = async (ports: readonly number[]) => {
  const agents = new Map(ports.map((port) => [port, new Agent({ keepAlive: true })]));
  const counts = Object.fromEntries(ports.map((port) => [port, 0]));
  let ready: readonly number[] = [];
  let turn = 0;
  const check = async (): Promise<void> => {
    const states = await Promise.all(ports.map(isReady));
    ready = ports.filter((_port, index) => states[index]);
  };
  const server: Server = createServer((incoming, outgoing) => {
    const port = ready[(turn += 1) % ready.length] ?? 0;
    const { method, url: path, headers } = incoming;
    const target = { host: '127.0.0.1', port, agent: agents.get(port), method, path, headers };
    const onward = request(target, (answer) => {
      counts[port] = (counts[port] ?? 0) + 1;
      const { connection: _connection, 'keep-alive': _keepAlive, ...rest } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, rest);
      answer.pipe(outgoing);
    });
    onward.once('error', (error) => outgoing.writeHead(502).end(error.message));
    incoming.pipe(onward);
  });
  await check();
  let isOver = false;
  void (async () => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
      await check();
    }
  })();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Requests that each backend answered, by its port. */
    answered: (): Readonly<Record<number, number>> => counts,
    close: (): void => {
      isOver = true;
      server.closeAllConnections();
      server.close();
      for (const agent of agents.values()) agent.destroy();
    },
  };
};
/** A minimal load balancer: it sends each request once, without retries. */
export type Balancer = Awaited<ReturnType<typeof startBalancer>>;
