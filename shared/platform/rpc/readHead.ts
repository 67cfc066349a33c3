import type { BlockHeader, BlockRef } from '../../chain/block.ts';
import type { VerifiedBlock } from '../../decode/rawBlock.ts';
import type { BloomCheck } from './bloom.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndpointPool } from './endpointPool.ts';
import type { RpcOutcome } from './jsonRpc.ts';
import { blockCall, penalizing, resultOf } from './nodeCalls.ts';
import { nodeFailure } from './nodeFailure.ts';
import { countOf, plainHeader, readHeader } from './readAnswer.ts';
import { detailCalls, readDetails } from './readBlocks.ts';
import { RpcError } from './rpcError.ts';

/** The head of one node's chain, and its blocks from some height on. */
export interface HeadReading {
  readonly head: BlockHeader;
  /** The block that this node calls final; null if it reports none. */
  readonly finalized: BlockRef | null;
  /** Linked blocks from the requested height on; empty if the node has none. */
  readonly blocks: readonly VerifiedBlock[];
  /** Name of the node, so that the same node can confirm. */
  readonly endpoint: string;
}

/** Milliseconds between requests for the `finalized` block, which changes once in minutes. */
const FINALIZED_EVERY_MS = 1_000;
/** Milliseconds between requests for the height of every node. */
const SURVEY_EVERY_MS = 3_000;

/**
 * The block that a node calls final; undefined if it reports none. An error may mean that it does not support the
 * tag, or has no final block yet after its start: only a later answer can show the latter.
 */
const finalizedOf = (
  outcome: RpcOutcome | undefined,
  head: BlockHeader,
  endpoint: Endpoint,
): BlockRef | undefined => {
  if (outcome && !outcome.ok) {
    const failure = nodeFailure(outcome, endpoint.name);
    if (failure.failure === 'rateLimited') throw failure;
    return undefined;
  }
  const block = outcome ? readHeader(outcome.result, endpoint.name) : undefined;
  // Nothing above the head is final, whatever a node reports.
  return block && block.number <= head.number
    ? { number: block.number, hash: block.hash }
    : undefined;
};

/** Reads the height of each node, so that one that has caught up is used again. Failures are only counted. */
const survey = async (pool: EndpointPool): Promise<void> => {
  await Promise.allSettled(
    pool.endpoints.map(async (endpoint) => {
      const [outcome] = await endpoint.call([{ method: 'eth_blockNumber', params: [] }]);
      endpoint.height = countOf(resultOf(outcome, endpoint), endpoint.name, 'block number');
    }),
  );
};

/** Reads the head and the blocks above a height, all from one node. */
export const createFollow = (
  { pool, now }: { pool: EndpointPool; now: () => number },
  bloom: BloomCheck,
) => {
  let surveyedAtMs = -Infinity;

  const read = async (endpoint: Endpoint, next: number, count: number): Promise<HeadReading> => {
    const asksFinalized = now() - endpoint.finalized.atMs >= FINALIZED_EVERY_MS;
    const details = detailCalls(next, count, endpoint);
    const [latest, ...rest] = await endpoint.call([
      blockCall('latest', false),
      ...details,
      ...(asksFinalized ? [blockCall('finalized', false)] : []),
    ]);
    const head = readHeader(resultOf(latest, endpoint), endpoint.name);
    if (!head) throw new RpcError('behind', endpoint.name, 'no latest block');
    endpoint.height = head.number;
    if (asksFinalized) {
      const finalized = finalizedOf(rest[details.length], head, endpoint);
      endpoint.finalized = { block: finalized ?? endpoint.finalized.block, atMs: now() };
    }
    const blocks =
      count > 0
        ? await readDetails(rest.slice(0, details.length), next, count, endpoint, bloom)
        : [];
    const last = blocks.at(-1)?.header;
    const highest = last && last.number > head.number ? last : plainHeader(head);
    const finalized = endpoint.finalized.block;
    return { head: highest, finalized, blocks, endpoint: endpoint.name };
  };

  return async (next: number, count: number): Promise<HeadReading> => {
    if (pool.endpoints.length > 1 && now() - surveyedAtMs >= SURVEY_EVERY_MS) {
      surveyedAtMs = now();
      await survey(pool);
    }
    return pool.run(
      (endpoint) => penalizing(endpoint, () => read(endpoint, next, count)),
      next - 1,
    );
  };
};
