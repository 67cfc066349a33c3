import type { Clock } from '../clock.ts';
import { createRpcChainSource, type RpcChainSource } from './chainSource.ts';
import { createEndpoint } from './endpoint.ts';
import { createEndpointPool, type EndpointPool } from './endpointPool.ts';
import { createHttpPost } from './httpPost.ts';
import type { NodeMeter } from './meterCalls.ts';

/** A chain behind one or several nodes. */
export interface Rpc {
  readonly source: RpcChainSource;
  readonly pool: EndpointPool;
  close(): void;
}

/**
 * The URL a node's calls go to. Calls never travel over a WebSocket: a `ws://` URL stands for the
 * same host and port over HTTP too, as geth behind a proxy, anvil, reth and the providers serve it.
 */
const httpUrl = (url: string): string => url.replace(/^ws/, 'http');

/** Opens the nodes named by RPC_URL. WebSocket URLs are used for calls only where no HTTP URL is given. */
export const createRpc = (urls: readonly string[], clock: Clock, meter?: NodeMeter): Rpc => {
  const plain = urls.filter((url) => url.startsWith('http'));
  const callUrls = plain.length > 0 ? plain : urls.map(httpUrl);
  const endpoints = callUrls.map((url) =>
    createEndpoint({ http: createHttpPost(url), clock, meter }),
  );
  const pool = createEndpointPool(endpoints, clock);
  const source = createRpcChainSource({ pool, now: () => clock.now() });
  return { source, pool, close: () => pool.close() };
};
