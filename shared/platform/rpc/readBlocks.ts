import type { Hex } from '../../chain/block.ts';
import type { VerifiedBlock } from '../../decode/rawBlock.ts';
import type { BloomCheck } from './bloom.ts';
import type { Endpoint } from './endpoint.ts';
import type { RpcCall, RpcOutcome } from './jsonRpc.ts';
import { blockCall, receiptsCall, resultOf, seen } from './nodeCalls.ts';
import { nodeFailure } from './nodeFailure.ts';
import { arrayOf, hashOf, objectOf, type RpcHeader, readHeader } from './readAnswer.ts';
import { RpcError } from './rpcError.ts';
import { verifyBlock } from './verifyBlock.ts';

/** Calls for `count` full blocks from `first` on, with receipts if the node supports that. */
export const detailCalls = (first: number, count: number, endpoint: Endpoint): RpcCall[] =>
  Array.from({ length: count }, (_, i) => first + i).flatMap((number) =>
    endpoint.hasBlockReceipts
      ? [blockCall(number, true), receiptsCall(number)]
      : [blockCall(number, true)],
  );

/** Blocks from the results of `detailCalls`, up to the first that the node lacks; linked. */
export const readDetails = async (
  outcomes: readonly RpcOutcome[],
  first: number,
  count: number,
  endpoint: Endpoint,
  bloom: BloomCheck,
): Promise<VerifiedBlock[]> => {
  const stride = outcomes.length / count;
  const blocks: VerifiedBlock[] = [];
  for (let i = 0; i < count; i += 1) {
    const header = readHeader(resultOf(outcomes[i * stride], endpoint), endpoint.name);
    if (!header) break;
    if (header.number !== first + i)
      throw new RpcError('answer', endpoint.name, 'another block than asked');
    const parent = blocks.at(-1);
    if (parent && header.parentHash !== parent.header.hash) {
      throw new RpcError(
        'answer',
        endpoint.name,
        `block ${header.number} does not follow its parent`,
      );
    }
    seen(endpoint, header.number);
    const receipts = await receiptsOf(header, stride === 2 ? outcomes[i * 2 + 1] : null, endpoint);
    blocks.push(verifyBlock(header, receipts, bloom, endpoint.name));
  }
  return blocks;
};

/**
 * The receipts of a block. Nodes of some chains (Polygon, Celo, Hedera) omit those of system transactions from
 * `eth_getBlockReceipts`, or fail for a block that has one; some nodes lack the method. Missing receipts are
 * requested one by one.
 * @param outcome of `eth_getBlockReceipts`; null if the node was not asked
 */
const receiptsOf = async (
  header: RpcHeader,
  outcome: RpcOutcome | null | undefined,
  endpoint: Endpoint,
): Promise<readonly unknown[]> => {
  const { number, transactions } = header;
  const failure = outcome?.ok === false ? nodeFailure(outcome, endpoint.name).failure : undefined;
  if (failure === 'methodMissing') endpoint.hasBlockReceipts = false;
  if (transactions.length === 0) return [];
  const isAskedOneByOne = outcome === null || failure === 'node' || failure === 'methodMissing';
  const answer = isAskedOneByOne ? [] : resultOf(outcome, endpoint);
  if (answer === null) throw new RpcError('behind', endpoint.name, `no receipts of ${number}`);
  const given = arrayOf(answer, endpoint.name, 'receipts');
  if (given.length >= transactions.length) return given;
  const hashes = transactions.map((one) => hashIn(one, 'hash', endpoint));
  const known = new Map(given.map((one) => [hashIn(one, 'transactionHash', endpoint), one]));
  const missing = hashes.filter((hash) => !known.has(hash));
  const outcomes = await endpoint.call(
    missing.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  );
  for (const [i, hash] of missing.entries()) known.set(hash, resultOf(outcomes[i], endpoint));
  return hashes.map((hash) => known.get(hash));
};

const hashIn = (value: unknown, field: string, { name }: Endpoint): Hex =>
  hashOf(objectOf(value, name, 'transaction')[field], name, 'transaction hash');
