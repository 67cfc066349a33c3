import { connect } from 'node:net';
import { LOOPBACK } from './launch.ts';

/** Longest wait for one answer of a probe. */
const PROBE_TIMEOUT_MS = 2_000;

/** Whether a GET of `url` is answered with status 200 in time. */
export const answersHttp = async (url: string, init: RequestInit = {}): Promise<boolean> => {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(url, { ...init, signal });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
};

/** Whether JetStream of the server with this monitoring port takes requests. */
export const answersNats = (monitoringPort: number, address = LOOPBACK): Promise<boolean> =>
  answersHttp(`http://${address}:${monitoringPort}/healthz?js-enabled-only=true`);

/** Whether Redis answers PING, which it does only after its data is loaded. */
export const answersRedis = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port, timeout: PROBE_TIMEOUT_MS });
    const settle = (isUp: boolean): void => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (chunk) => settle(chunk.toString().startsWith('+PONG')));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
    socket.once('close', () => settle(false));
  });

/** Whether ClickHouse serves the database named in the path of `url` to the user in it. */
export const answersClickhouse = (url: string): Promise<boolean> => {
  const { origin, pathname, username, password } = new URL(url);
  const headers = {
    'X-ClickHouse-User': decodeURIComponent(username),
    'X-ClickHouse-Key': decodeURIComponent(password),
    'X-ClickHouse-Database': pathname.slice(1) || 'default',
  };
  return answersHttp(`${origin}/?query=SELECT+1`, { headers });
};

/** Whether a chain node answers `eth_chainId`. */
export const answersRpc = (url: string): Promise<boolean> =>
  answersHttp(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  });

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PROBE_TIMEOUT_MS });
    const settle = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
  });

/** Whether the first server of a comma-separated list of URLs takes connections. */
export const answersTcp = (urls: string, defaultPort: number): Promise<boolean> => {
  const { hostname, port } = new URL(urls.split(',')[0] ?? urls);
  return accepts(hostname, Number(port || defaultPort));
};

/** Whether something listens on a port of this machine. */
export const isPortTaken = (port: number): Promise<boolean> => accepts(LOOPBACK, port);
