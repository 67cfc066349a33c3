import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import { encodeCall, quantity, selectorOf } from './evmCode.ts';

const METHOD = 'eth_simulateV1';
/** Seconds and blocks after which a sale is tried again where it fails: longer than any waiting time that honest tokens ask for. */
const LATER_S = 86_400;
const LATER_BLOCKS = 7_200;
/** Gas of one trial. */
const TRIAL_GAS = 500_000;
/** Of a holder's balance, the part that is tried: limits of a sale are no trap. */
const TRIED_PART = 10n;
/** Price of gas where the node does not name its base fee, wei. */
const BASE_FEE_DEFAULT = 1_000_000_000n;
const TRANSFER = selectorOf('transfer(address,uint256)');

/** Holders of a token, and the pool that they would sell to. */
export interface HolderTrialRequest {
  readonly token: Hex;
  readonly pool: Hex;
  /** Raw balances; doubles are exact enough for a part of them. */
  readonly holders: readonly { readonly address: Hex; readonly balance: number }[];
}

/** An `eth_simulateV1` request that anyone can send. */
export type TrialParams = readonly [
  { readonly blockStateCalls: readonly object[]; readonly validation: false },
  Hex,
];

/** What became of holders who handed a part of their tokens to the pool, each from its own account as it is, paying for the gas. */
export interface HolderTrials {
  readonly blockNumber: number;
  readonly tried: number;
  /** Holders whose transfer failed now, and of them those whose transfer a day later failed too; undefined: that could not be tried. */
  readonly failed: readonly Hex[];
  readonly failedLater: readonly Hex[] | undefined;
  /** The requests that show it. */
  readonly shownBy: readonly TrialParams[];
}

const answerSchema = z.array(z.object({ calls: z.array(z.object({ status: z.string() })) }));
const headSchema = z.object({
  number: z.string(),
  timestamp: z.string(),
  baseFeePerGas: z.string().optional(),
});

/** Which transfers failed; undefined where the node does not simulate, or answered something else. */
const failuresOf = (outcome: RpcOutcome | undefined, count: number): boolean[] | undefined => {
  const parsed = answerSchema.safeParse(outcome?.ok ? outcome.result : undefined);
  const calls = parsed.data?.[0]?.calls;
  return calls?.length === count ? calls.map(({ status }) => status !== '0x1') : undefined;
};

/** The transfers of holders to the pool, in one block. No account is given anything that it does not have. */
const trialParams = (
  { token, pool, holders }: HolderTrialRequest,
  head: { readonly number: number; readonly timeS: number; readonly baseFee: bigint },
  after: { readonly blocks: number; readonly seconds: number },
): TrialParams => [
  {
    blockStateCalls: [
      {
        blockOverrides: {
          number: quantity(head.number + after.blocks),
          time: quantity(head.timeS + after.seconds),
          baseFeePerGas: quantity(head.baseFee),
        },
        calls: holders.map(({ address, balance }) => ({
          from: address,
          to: token,
          gas: quantity(TRIAL_GAS),
          maxFeePerGas: quantity(head.baseFee * 2n),
          data: encodeCall(TRANSFER, pool, BigInt(Math.floor(balance)) / TRIED_PART),
        })),
      },
    ],
    validation: false,
  },
  quantity(head.number),
];

/**
 * Tries what holders can do: from their own accounts, with their own balances of tokens and native currency. In one request of the node, two
 * where a transfer fails.
 * @returns undefined where there is nobody to try, or the node does not simulate
 */
export const tryHolders = async (
  node: ChainNode,
  request: HolderTrialRequest,
): Promise<HolderTrials | undefined> => {
  const { holders } = request;
  if (holders.length === 0) return undefined;
  const [latest] = await node.batch([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
  ]);
  const parsed = headSchema.safeParse(latest?.ok ? latest.result : undefined);
  if (!parsed.success) return undefined;
  const { number, timestamp, baseFeePerGas } = parsed.data;
  const head = {
    number: Number(number),
    timeS: Number(timestamp),
    baseFee: baseFeePerGas === undefined ? BASE_FEE_DEFAULT : BigInt(baseFeePerGas) || 1n,
  };
  const attempt = async (after: { blocks: number; seconds: number }) => {
    const params = trialParams(request, head, after);
    const [outcome] = await node.batch([{ method: METHOD, params: [...params] }]);
    return { params, failures: failuresOf(outcome, holders.length) };
  };
  const failing = (failures: readonly boolean[]): Hex[] =>
    holders.flatMap(({ address }, i) => (failures[i] ? [address] : []));
  try {
    const now = await attempt({ blocks: 1, seconds: 12 });
    if (!now.failures) return undefined;
    const failed = failing(now.failures);
    const common = { blockNumber: head.number, tried: holders.length, failed };
    if (failed.length === 0) return { ...common, failedLater: [], shownBy: [now.params] };
    const later = await attempt({ blocks: LATER_BLOCKS, seconds: LATER_S });
    const failedLater = later.failures && failing(later.failures);
    return { ...common, failedLater, shownBy: [now.params, later.params] };
  } catch (error) {
    if (error instanceof RetryableError) return undefined;
    throw error;
  }
};
