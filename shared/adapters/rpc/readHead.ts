import type { BlockHeader } from '../../chain/block.ts';
import type { VerifiedBlock } from '../../decode/rawBlock.ts';
import type { BloomCheck } from './bloom.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndpointPool } from './endpointPool.ts';
import type { RpcOutcome } from './jsonRpc.ts';
import { blockCall, judged, resultOf } from './nodeCalls.ts';
import { nodeFailure } from './nodeFailure.ts';
import { countOf, plainHeader, readHeader } from './readAnswer.ts';
import { detailCalls, readDetails } from './readBlocks.ts';
import { RpcError } from './rpcError.ts';

/** The head of one node's chain and the blocks it has from some height on. */
export interface HeadReading {
  readonly head: BlockHeader;
  /** Height the node calls final; null where it knows no such thing. */
  readonly finalizedNumber: number | null;
  /** Linked blocks from the asked height on; empty where the node has none. */
  readonly blocks: readonly VerifiedBlock[];
  /** Name of the node, for confirmations by the same node. */
  readonly endpoint: string;
}

/** Milliseconds between looks at the `finalized` block: it moves once in minutes. */
const FINALIZED_EVERY_MS = 1_000;
/** Milliseconds between looks at the height of every node. */
const SURVEY_EVERY_MS = 3_000;

const finalizedOf = (outcome: RpcOutcome | undefined, endpoint: Endpoint): number | null => {
  if (!outcome) return null;
  if (outcome.ok) return readHeader(outcome.result, endpoint.name)?.number ?? null;
  const failure = nodeFailure(outcome, endpoint.name);
  if (failure.failure === 'rateLimited') throw failure;
  endpoint.hasFinalizedTag = false;
  return null;
};

/** Asks each node for its height, so that one which caught up is used again. Failures only count. */
const survey = async (pool: EndpointPool): Promise<void> => {
  await Promise.allSettled(
    pool.endpoints.map(async (endpoint) => {
      const [outcome] = await endpoint.call([{ method: 'eth_blockNumber', params: [] }]);
      endpoint.height = countOf(resultOf(outcome, endpoint), endpoint.name, 'block number');
    }),
  );
};

/** Reads the head and what stands above a height, all from one node. */
export const createFollow = (
  { pool, now }: { pool: EndpointPool; now: () => number },
  bloom: BloomCheck,
) => {
  let finalizedNumber: number | null = null;
  let finalizedAtMs = -Infinity;
  let surveyedAtMs = -Infinity;

  const read = async (endpoint: Endpoint, next: number, count: number): Promise<HeadReading> => {
    const asksFinalized = endpoint.hasFinalizedTag && now() - finalizedAtMs >= FINALIZED_EVERY_MS;
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
      const told = finalizedOf(rest[details.length], endpoint);
      // Nothing above the head is final, whatever a node says.
      if (told !== null && told <= head.number) finalizedNumber = told;
      finalizedAtMs = now();
    }
    const blocks =
      count > 0
        ? await readDetails(rest.slice(0, details.length), next, count, endpoint, bloom)
        : [];
    const last = blocks.at(-1)?.header;
    const highest = last && last.number > head.number ? last : plainHeader(head);
    return { head: highest, finalizedNumber, blocks, endpoint: endpoint.name };
  };

  return async (next: number, count: number): Promise<HeadReading> => {
    if (pool.endpoints.length > 1 && now() - surveyedAtMs >= SURVEY_EVERY_MS) {
      surveyedAtMs = now();
      await survey(pool);
    }
    return pool.run((endpoint) => judged(endpoint, () => read(endpoint, next, count)), next - 1);
  };
};
