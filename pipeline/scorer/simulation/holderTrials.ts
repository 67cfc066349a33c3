import { z } from 'zod';
import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import type { HolderTrials } from '../checks/checkInput.ts';
import type { HolderTrades } from '../features/holderSalesStore.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import { encodeCall, quantity } from './evmCode.ts';
import { type CallResult, resultsOf, revertReason, words } from './readOutcomes.ts';
import {
  BLOCK_SECONDS,
  type BlockEnvironment,
  balanceOf,
  call,
  type Head,
  READ_GAS,
  SELECTOR,
  type SimulationPlan,
  simulationOf,
} from './simulateParams.ts';

/** A token with a pool of Uniswap V2, and those who traded in it. */
export interface HeldToken {
  readonly token: Hex;
  readonly pool: Hex;
  readonly holders: HolderTrades;
}

/** Wallets looked at: half of them bought last, the others first, of those on record. */
const CANDIDATES_MAX = 24;
/** Wallets whose sale is tried. */
const HOLDERS_MAX = 20;
/** Gas of a transfer into a pool: 0.1 million is usual, 1 million where taxes are sold on the way. */
const TRANSFER_GAS = 1_000_000n;
/** Price of gas above the base fee, percent. */
const TIP_PERCENT = 10n;
/** Base fee of chains that have none, wei. */
const BASE_FEE_MIN_WEI = 1_000_000n;
/** Seconds later that a sale that fails is tried again: an hour. */
const LATER_S = 3_600;
/** Part of what a wallet holds that it sells now, and later: limits of a sale are no trap. */
const PARTS = { now: 2n, later: 20n } as const;

/** Wallets that bought, the creator's left out: those that bought last, and those that bought first. */
export const candidatesOf = ({ trades, insiders }: HolderTrades): Hex[] => {
  const bought = trades.flatMap(({ trader, isSale }) =>
    isSale || insiders.has(trader) ? [] : [trader],
  );
  const buyers = [...new Set(bought)];
  if (buyers.length <= CANDIDATES_MAX) return buyers;
  return [...buyers.slice(0, CANDIDATES_MAX / 2), ...buyers.slice(-CANDIDATES_MAX / 2)];
};

interface Holding {
  readonly holder: Hex;
  readonly amount: bigint;
}

/**
 * One transfer of each wallet into the pool, in one block, and what the pool holds before and after each. Nothing of the chain's state is
 * changed.
 */
const planSales = (
  { token, pool }: HeldToken,
  head: Head,
  holdings: readonly Holding[],
  { environment, afterS, part }: { environment?: BlockEnvironment; afterS: number; part: bigint },
): SimulationPlan => {
  const price = environment && { gasPrice: quantity(gasPriceIn(environment)) };
  const held = holdings.slice(0, 1).map(({ holder }) => balanceOf(holder, token, pool));
  const sales = holdings.flatMap(({ holder, amount }) => [
    call(holder, token, encodeCall(SELECTOR.transfer, pool, amount / part), TRANSFER_GAS),
    balanceOf(holder, token, pool),
  ]);
  const calls = [...held, ...sales].map((one) => ({ ...one, ...price }));
  return simulationOf(head, [{ afterS, calls, environment }]);
};

/** A number as nodes write it; nothing where it is none. */
const quantitySchema = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/)
  .transform(BigInt)
  .catch(0n);

const resultOf = (outcome: RpcOutcome | undefined): unknown =>
  outcome?.ok ? outcome.result : undefined;

const blockSchema = z.object({
  baseFeePerGas: quantitySchema,
  miner: addressSchema.catch(ZERO_ADDRESS),
  mixHash: hashSchema.catch(ZERO_HASH),
});
/** What a node answers that is no block says nothing. */
const answeredBlock = blockSchema.catch(() => blockSchema.parse({}));

/** What transactions met in a block: the next ones will meet much the same. The least base fee where it has none. */
const environmentOf = (outcome: RpcOutcome | undefined): BlockEnvironment => {
  const { baseFeePerGas: fee, miner, mixHash: random } = answeredBlock.parse(resultOf(outcome));
  return { baseFeeWei: fee > BASE_FEE_MIN_WEI ? fee : BASE_FEE_MIN_WEI, miner, random };
};

/** Wei a unit of gas. */
const gasPriceIn = ({ baseFeeWei }: BlockEnvironment): bigint =>
  (baseFeeWei * (100n + TIP_PERCENT)) / 100n;

/** What wallets hold that can pay for a transaction, and what it would meet. */
const readHoldings = async (node: ChainNode, { token }: HeldToken, head: Head, all: Hex[]) => {
  const block = quantity(head.number);
  const reads = simulationOf(head, [
    { afterS: BLOCK_SECONDS, calls: all.map((holder) => balanceOf(holder, token, holder)) },
  ]);
  const [found, balances, ...natives] = await node.batch([
    { method: 'eth_getBlockByNumber', params: [block, false] },
    { method: 'eth_simulateV1', params: [...reads.params] },
    ...all.map((holder) => ({ method: 'eth_getBalance', params: [holder, block] })),
  ]);
  const environment = environmentOf(found);
  const amounts = resultsOf(reads, balances) ?? [];
  const gas = TRANSFER_GAS + 2n * READ_GAS;
  const costWei = gas * gasPriceIn(environment);
  const holdings = all.flatMap((holder, i): Holding[] => {
    const [amount = 0n] = words(amounts[i], 1) ?? [];
    return amount >= PARTS.later && quantitySchema.parse(resultOf(natives[i])) >= costWei
      ? [{ holder, amount }]
      : [];
  });
  return { environment, holdings: holdings.slice(0, HOLDERS_MAX) };
};

/** A sale, and how much more the pool held after it; undefined where it does not say. */
interface TriedSale extends CallResult {
  readonly received: bigint | undefined;
}

/** Sales stand between two readings of what the pool holds. */
const salesIn = (calls: readonly CallResult[]): TriedSale[] =>
  calls.flatMap((sale, i) => {
    if (i % 2 === 0) return [];
    const [[before], [after]] = [words(calls[i - 1], 1) ?? [], words(calls[i + 1], 1) ?? []];
    const received = before === undefined || after === undefined ? undefined : after - before;
    return [{ ...sale, received }];
  });

/** Shares are computed with this many steps. */
const SHARE_STEPS = 1_000_000n;

/** What did not arrive of what was sold; undefined where nothing could be compared. */
const taxOf = (sales: readonly TriedSale[], holdings: readonly Holding[]): HolderTrials['tax'] => {
  const shares = sales.flatMap((sale, i) => {
    const sold = (holdings[i]?.amount ?? 0n) / PARTS.now;
    if (!works(sale) || sale.received === undefined || sold === 0n) return [];
    const share = Number(((sold - sale.received) * SHARE_STEPS) / sold) / Number(SHARE_STEPS);
    return [Math.min(1, Math.max(0, share))];
  });
  if (shares.length === 0) return undefined;
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return { lowest: Math.min(...shares), mean, highest: Math.max(...shares) };
};

/** Whether each sale worked, for each plan; undefined where the node cannot simulate them. */
const simulateSales = async (
  node: ChainNode,
  plans: readonly SimulationPlan[],
): Promise<TriedSale[][] | undefined> => {
  const answers = await node.batch(
    plans.map(({ params }) => ({ method: 'eth_simulateV1', params: [...params] })),
  );
  const results = plans.flatMap((plan, i) => {
    const calls = resultsOf(plan, answers[i]);
    return calls ? [salesIn(calls)] : [];
  });
  return results.length === plans.length ? results : undefined;
};

const works = (sale: CallResult | undefined): boolean =>
  sale?.ok === true && words(sale, 1)?.[0] !== 0n;

const tryOne = async (
  node: ChainNode,
  held: HeldToken,
  head: Head,
): Promise<HolderTrials | undefined> => {
  const candidates = candidatesOf(held.holders);
  if (candidates.length === 0) return undefined;
  const { environment, holdings } = await readHoldings(node, held, head, candidates);
  if (holdings.length === 0) return undefined;
  const now = { afterS: BLOCK_SECONDS, part: PARTS.now };
  const paid = planSales(held, head, holdings, { ...now, environment });
  const free = planSales(held, head, holdings, now);
  const later = planSales(held, head, holdings, {
    environment,
    afterS: LATER_S,
    part: PARTS.later,
  });
  const [sales] = (await simulateSales(node, [paid])) ?? [];
  if (!sales) return undefined;
  // What every holder can do now needs no other trial.
  const others = sales.every(works) ? [sales, sales] : await simulateSales(node, [free, later]);
  const [freeSales, laterSales] = others ?? [];
  if (!freeSales || !laterSales) return undefined;
  const isSold = holdings.map((_, i) => works(sales[i]) || works(laterSales[i]));
  const walletsWhere = (holds: (i: number) => boolean): Hex[] =>
    holdings.flatMap(({ holder }, i) => (holds(i) ? [holder] : []));
  const refusal = sales.find((_, i) => !isSold[i]);
  return {
    blockNumber: head.number,
    tried: holdings.length,
    sold: walletsWhere((i) => isSold[i] === true),
    refused: walletsWhere((i) => isSold[i] === false),
    soldForFree: walletsWhere((i) => isSold[i] === false && works(freeSales[i])),
    tax: taxOf(sales, holdings),
    reason: refusal && revertReason(refusal.returnData),
    shownBy: { paid: paid.params, free: free.params, later: later.params },
  };
};

/**
 * Sells as real holders would: from their own wallets, with what they own, in transactions that pay for their gas. Two
 * calls of the node a token, three where a sale fails. Undefined where nobody holds, or the node cannot simulate this.
 * @param head the block to stand on
 */
export const tryHolders = (
  node: ChainNode,
  held: readonly HeldToken[],
  head: Head,
): Promise<(HolderTrials | undefined)[]> =>
  Promise.all(
    held.map((one) =>
      tryOne(node, one, head).catch((error: unknown) => {
        // What cannot be tried now is tried when the token is scored again.
        if (error instanceof RetryableError) return undefined;
        throw error;
      }),
    ),
  );
