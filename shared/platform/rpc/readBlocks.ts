import type { Hex } from '../../chain/block.ts';
import type { VerifiedBlock } from '../../decode/rawBlock.ts';
import type { BloomCheck } from './bloom.ts';
import type { Endpoint } from './endpoint.ts';
import type { RpcCall, RpcOutcome } from './jsonRpc.ts';
import { blockCall, receiptsCall, resultOf, seen } from './nodeCalls.ts';
import { nodeFailure } from './nodeFailure.ts';
import { arrayOf, hashOf, objectOf, type RpcHeader, readHeader } from './readAnswer.ts';
import { RpcError, type RpcFailure } from './rpcError.ts';
import { receiptsNeeded, verifyBlock, verifyBlockOfLogs } from './verifyBlock.ts';

/** Details of one block through `eth_getLogs` and single receipts. */
const detailByLogs = async (
  header: RpcHeader,
  endpoint: Endpoint,
  bloom: BloomCheck,
): Promise<VerifiedBlock> => {
  const hashes = receiptsNeeded(header, endpoint.name);
  const [logs, ...receipts] = await endpoint.call([
    { method: 'eth_getLogs', params: [{ blockHash: header.hash }] },
    ...hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  ]);
  const byHash = new Map(hashes.map((hash, i) => [hash, resultOf(receipts[i], endpoint)]));
  return verifyBlockOfLogs(header, resultOf(logs, endpoint), byHash, bloom, endpoint.name);
};

/** Calls for `count` full blocks from `first` on, with receipts where the node offers them. */
export const detailCalls = (first: number, count: number, endpoint: Endpoint): RpcCall[] =>
  Array.from({ length: count }, (_, i) => first + i).flatMap((number) =>
    endpoint.hasBlockReceipts
      ? [blockCall(number, true), receiptsCall(number)]
      : [blockCall(number, true)],
  );

/** Blocks from the outcomes of `detailCalls`, up to the first the node lacks; linked to one another. */
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
    blocks.push(
      stride === 2
        ? await withReceipts(header, outcomes[i * 2 + 1], endpoint, bloom)
        : await detailByLogs(header, endpoint, bloom),
    );
  }
  return blocks;
};

const withReceipts = async (
  header: RpcHeader,
  outcome: RpcOutcome | undefined,
  endpoint: Endpoint,
  bloom: BloomCheck,
): Promise<VerifiedBlock> => {
  if (failureOf(outcome, endpoint) === 'methodMissing') {
    endpoint.hasBlockReceipts = false;
    return detailByLogs(header, endpoint, bloom);
  }
  const receipts = await receiptsOf(header, outcome, endpoint);
  return verifyBlock(header, receipts, bloom, endpoint.name);
};

const failureOf = (outcome: RpcOutcome | undefined, { name }: Endpoint): RpcFailure | undefined =>
  outcome?.ok === false ? nodeFailure(outcome, name).failure : undefined;

/**
 * The receipts of a block. Nodes of some chains (Polygon, Celo, Hedera) leave those of system transactions out of `eth_getBlockReceipts`, or
 * fail at a block that has one: those that are missing are asked for one by one.
 */
const receiptsOf = async (
  header: RpcHeader,
  outcome: RpcOutcome | undefined,
  endpoint: Endpoint,
): Promise<readonly unknown[]> => {
  const { number, transactions } = header;
  if (transactions.length === 0) return [];
  const hasFailed = failureOf(outcome, endpoint) === 'node';
  const answer = hasFailed ? [] : resultOf(outcome, endpoint);
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
