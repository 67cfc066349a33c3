import pLimit from 'p-limit';
import { keccak256 } from 'viem/utils';
import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { slicesOf } from '../../../shared/platform/slicesOf.ts';
import type { FirstSeen } from '../ingest/touched.ts';
import {
  type Confirmation,
  type CreatorSource,
  confirmToken,
  type TokenRecord,
} from './confirmToken.ts';

/** A chain node that answers several calls at once; throws RetryableError while it is unavailable. */
export interface ChainNode {
  batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]>;
}

/** What reading one candidate gave. */
export type ReadToken =
  | { readonly kind: 'token'; readonly record: TokenRecord }
  | { readonly kind: 'notAContract' }
  | { readonly kind: 'notAToken' };

/** Gas limit of one metadata call: a name costs a few thousand; a megabyte of text costs millions. */
const CALL_GAS = '0x7a120';
/** Candidates in one batch of calls. */
const CANDIDATES_PER_BATCH = 20;
/** Concurrent batches: a backfill begins with hundreds of tokens, and blocks wait for them. */
const BATCHES_AT_ONCE = 4;

/** First four bytes of keccak-256 of the signature. EIP-20. */
const SELECTOR = {
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
} as const;

/** A block by its hash, which no reorg can replace (EIP-1898), or the head. */
type StateOf = { readonly blockHash: Hex } | 'latest';

const metadataCalls = (token: Hex, state: StateOf): RpcCall[] => [
  { method: 'eth_getCode', params: [token, state] },
  ...Object.values(SELECTOR).map((data) => ({
    method: 'eth_call',
    params: [{ to: token, data, gas: CALL_GAS }, state],
  })),
];

const textOf = (outcome: RpcOutcome | undefined): string | undefined =>
  outcome?.ok && typeof outcome.result === 'string' ? outcome.result : undefined;

const hexOf = (value: unknown, length: number): Hex | undefined =>
  typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value) && value.length === length
    ? (value.toLowerCase() as Hex)
    : undefined;

interface Deployment {
  readonly creator: Hex;
  readonly source: CreatorSource;
  readonly txHash: Hex;
}

const receiptFields = (receipt: unknown) => {
  const fields = (typeof receipt === 'object' && receipt !== null ? receipt : {}) as Record<
    string,
    unknown
  >;
  return {
    from: hexOf(fields['from'], 42),
    contractAddress: hexOf(fields['contractAddress'], 42),
    transactionHash: hexOf(fields['transactionHash'], 66),
  };
};

/** The deployment among the receipts of the block of first sight, else the sender of that transaction. */
const findDeployment = (
  { token, source, txHash }: FirstSeen,
  receipts: readonly unknown[],
): Deployment => {
  const all = receipts.map(receiptFields);
  const deployment = all.find(({ contractAddress, from }) => contractAddress === token && from);
  if (deployment?.from) {
    const tx = deployment.transactionHash ?? txHash;
    return { creator: deployment.from, source: 'deployment', txHash: tx };
  }
  const sender = all.find(({ transactionHash }) => transactionHash === txHash)?.from;
  if (!sender) return { creator: ZERO_ADDRESS, source: 'unknown', txHash };
  return {
    creator: sender,
    source: source === 'transfer' ? 'first_transfer' : 'pair_created',
    txHash,
  };
};

const confirm = (answers: readonly RpcOutcome[], acts: boolean): Confirmation => {
  const [code, name, symbol, decimals, totalSupply] = answers.map(textOf);
  return confirmToken({ code: code as Hex | undefined, name, symbol, decimals, totalSupply, acts });
};

const codeHashOf = (answer: RpcOutcome | undefined): Hex => {
  const code = textOf(answer);
  return code && code !== '0x' && /^0x(?:[0-9a-fA-F]{2})+$/.test(code)
    ? keccak256(code as Hex)
    : ZERO_HASH;
};

/**
 * Receipts of the block in which a token was first seen, or only of its transaction if the node has no more.
 */
type Receipts = (seen: FirstSeen) => Promise<readonly unknown[]>;

/** Requests each block once per group. */
const receiptsOf = (node: ChainNode): Receipts => {
  const asked = new Map<Hex, Promise<RpcOutcome | undefined>>();
  const ofBlock = (blockHash: Hex): Promise<RpcOutcome | undefined> => {
    const known = asked.get(blockHash);
    if (known) return known;
    const asking = node
      .batch([{ method: 'eth_getBlockReceipts', params: [blockHash] }])
      .then(([outcome]) => outcome);
    asked.set(blockHash, asking);
    return asking;
  };
  return async ({ blockHash, txHash }) => {
    const block = await ofBlock(blockHash);
    if (block?.ok && Array.isArray(block.result)) return block.result;
    const [own] = await node.batch([{ method: 'eth_getTransactionReceipt', params: [txHash] }]);
    return own?.ok ? [own.result] : [];
  };
};

/** The token's creator: named by the facts, found among the receipts, or the sender. */
const deploymentOf = async (seen: FirstSeen, receipts: Receipts): Promise<Deployment> => {
  const { creator, txHash } = seen;
  if (creator) return { creator, source: 'deployment', txHash };
  return findDeployment(seen, await receipts(seen));
};

const readMetadata = async (
  node: ChainNode,
  group: readonly FirstSeen[],
  stateOf: (seen: FirstSeen) => StateOf,
): Promise<RpcOutcome[][]> => {
  const calls = group.map((seen) => metadataCalls(seen.token, stateOf(seen)));
  const answers = await node.batch(calls.flat());
  const perCandidate = answers.length / group.length;
  return group.map((_seen, i) => answers.slice(i * perCandidate, (i + 1) * perCandidate));
};

/**
 * Results of contracts as of the block in which they were seen, so that the time of the request does not matter; as
 * of the head if the node has no such state (reading code never fails for another reason).
 */
const readAnswers = async (
  node: ChainNode,
  group: readonly FirstSeen[],
): Promise<readonly (readonly RpcOutcome[])[]> => {
  const atSight = await readMetadata(node, group, ({ blockHash }) => ({ blockHash }));
  const lost = group.filter((_seen, i) => !atSight[i]?.[0]?.ok);
  if (lost.length === 0) return atSight;
  const atHead = await readMetadata(node, lost, () => 'latest');
  return group.map((seen, i) => atHead[lost.indexOf(seen)] ?? atSight[i] ?? []);
};

const readGroup = async (
  node: ChainNode,
  chainId: number,
  group: readonly FirstSeen[],
): Promise<ReadToken[]> => {
  const answers = await readAnswers(node, group);
  const receipts = receiptsOf(node);
  return Promise.all(
    group.map(async (seen, i): Promise<ReadToken> => {
      const own = answers[i] ?? [];
      const confirmation = confirm(own, seen.source !== 'creation');
      if (confirmation.kind !== 'token') return { kind: confirmation.kind };
      const deployment = await deploymentOf(seen, receipts);
      const record: TokenRecord = {
        ...confirmation.profile,
        chainId,
        token: seen.token,
        creator: deployment.creator,
        creatorSource: deployment.source,
        createdBlock: seen.blockNumber,
        createdBlockHash: seen.blockHash,
        createdTx: deployment.txHash,
        createdAtS: seen.timestampS,
        codeHash: codeHashOf(own[0]),
      };
      return { kind: 'token', record };
    }),
  );
};

/** Reads token candidates with limited calls: gas by the call, size and time by the node adapter. */
export const createTokenReader = (node: ChainNode) => ({
  /** Reads candidates from the chain, in the order given. */
  read: async (chainId: number, candidates: readonly FirstSeen[]): Promise<ReadToken[]> => {
    const atOnce = pLimit(BATCHES_AT_ONCE);
    const results = slicesOf(candidates, CANDIDATES_PER_BATCH).map((group) =>
      atOnce(() => readGroup(node, chainId, group)),
    );
    return (await Promise.all(results)).flat();
  },
});
export type TokenReader = ReturnType<typeof createTokenReader>;
