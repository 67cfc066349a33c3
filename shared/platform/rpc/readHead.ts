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

/** The head of one node's chain and the blocks it has from some height on. */
export interface HeadReading {
  readonly head: BlockHeader;
  /** The block that this node calls final; null where it knows no such thing. */
  readonly finalized: BlockRef | null;
  /** Linked blocks from the asked height on; empty where the node has none. */
  readonly blocks: readonly VerifiedBlock[];
  /** Name of the node, for confirmations by the same node. */
  readonly endpoint: string;
}

/** Milliseconds between looks at the `finalized` block: it moves once in minutes. */
const FINALIZED_EVERY_MS = 1_000;
/** Milliseconds between looks at the height of every node. */
const SURVEY_EVERY_MS = 3_000;

/**
 * The block a node calls final; undefined where it names none. An error may mean that it knows no
 * such tag, or none yet after its start: only the next answer can show that it was the latter.
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
  // Nothing above the head is final, whatever a node says.
  return block && block.number <= head.number
    ? { number: block.number, hash: block.hash }
    : undefined;
};

/** Reads the height of each node, so that one which caught up is used again. Failures are only counted. */
const survey = async (pool: EndpointPool): Promise<void> => {
  await Promise.allSettled(
    pool.endpoints.map(async (endpoint) => {
      const [outcome] = await endpoint.call([{ method: 'eth_blockNumber', params: [] }]);
      endpoint.height = countOf(resultOf(outcome, endpoint), endpoint.name, 'block number');
    }),
  );
};

/** Reads the head and what is above a height, all from one node. */
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
