import type { BlockHeader, Hex } from '../../chain/block.ts';
import type { VerifiedBlock, VerifiedRange } from '../../decode/rawBlock.ts';
import type { Clock } from '../clock.ts';
import { createBloomCheck } from './bloom.ts';
import { createEndpoint } from './endpoint.ts';
import { createEndpointPool, type EndpointPool } from './endpointPool.ts';
import { createHttpPost } from './httpPost.ts';
import type { NodeMeter } from './meterCalls.ts';
import { blockCall, penalizing, resultOf } from './nodeCalls.ts';
import { plainHeader, readHeader } from './readAnswer.ts';
import { detailCalls, readDetails } from './readBlocks.ts';
import { createFollow, type HeadReading } from './readHead.ts';
import { createRange } from './readRange.ts';
import { RpcError } from './rpcError.ts';

/** Reads a chain through validated answers. Every function throws RpcError when all nodes failed. */
export interface ChainSource {
  /** The head, and up to `count` full blocks from `next` on, all from one node's view. */
  follow(next: number, count: number): Promise<HeadReading>;
  /** @throws RpcError `behind` if no node has the block. */
  header(id: Hex | number): Promise<BlockHeader>;
  /** The logs of final blocks. An RpcError `rangeTooLarge` means that fewer blocks must be requested. */
  range(from: number, to: number): Promise<VerifiedRange>;
  /** Full, linked blocks. */
  blocks(from: number, to: number): Promise<VerifiedBlock[]>;
}

export interface ChainSourceOptions {
  readonly pool: EndpointPool;
  readonly now: () => number;
}

/**
 * The watcher's view of a chain: all results have passed cross-checks between one node's answers. Hashes identify
 * blocks permanently, so parts may come from different nodes.
 */
export const createRpcChainSource = (options: ChainSourceOptions): ChainSource => {
  const { pool } = options;
  const bloom = createBloomCheck();
  return {
    follow: createFollow(options, bloom),
    range: createRange(pool, bloom),
    header: (id) =>
      pool.run((endpoint) =>
        penalizing(endpoint, async () => {
          const call =
            typeof id === 'number'
              ? blockCall(id, false)
              : { method: 'eth_getBlockByHash', params: [id, false] };
          const [outcome] = await endpoint.call([call]);
          const header = readHeader(resultOf(outcome, endpoint), endpoint.name);
          if (!header) throw new RpcError('behind', endpoint.name, `no block ${id}`);
          if (header.hash !== id && header.number !== id) {
            throw new RpcError('answer', endpoint.name, 'another block than asked');
          }
          return plainHeader(header);
        }),
      ),
    blocks: (from, to) =>
      pool.run(
        (endpoint) =>
          penalizing(endpoint, async () => {
            const count = to - from + 1;
            const outcomes = await endpoint.call(detailCalls(from, count, endpoint));
            const blocks = await readDetails(outcomes, from, count, endpoint, bloom);
            if (blocks.length < count)
              throw new RpcError('behind', endpoint.name, `no block ${from + blocks.length}`);
            return blocks;
          }),
        to,
      ),
  };
};

/**
 * The URL for a node's calls. Calls never use a WebSocket: a `ws://` URL also implies HTTP on the same host and port,
 * as geth behind a proxy, anvil, reth and the providers serve it.
 */
const httpUrl = (url: string): string => url.replace(/^ws/, 'http');

/** Opens the nodes in RPC_URL. WebSocket URLs are used for calls only if no HTTP URL is given. */
export const createRpc = (urls: readonly string[], clock: Clock, meter?: NodeMeter) => {
  const plain = urls.filter((url) => url.startsWith('http'));
  const callUrls = plain.length > 0 ? plain : urls.map(httpUrl);
  const endpoints = callUrls.map((url) =>
    createEndpoint({ http: createHttpPost(url), clock, meter }),
  );
  const pool = createEndpointPool(endpoints, clock);
  const source = createRpcChainSource({ pool, now: () => clock.now() });
  return { source, pool, close: (): void => pool.close() };
};
/** A chain behind one or several nodes. */
export type Rpc = ReturnType<typeof createRpc>;
