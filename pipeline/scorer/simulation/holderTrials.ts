import { z } from 'zod';
import { addressAtEnd, addressWord } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { PoolKind } from '../../../shared/chain/protocol.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type { HolderTrials } from '../checks/checkInput.ts';
import { LATER_S as DAY_LATER_S } from '../contract/probePlan.ts';
import { CONFISCATING_TAX_MIN } from '../contract/readProbe.ts';
import type { HolderTrades } from '../features/holderSalesStore.ts';
import type { HolderTrade } from '../features/readTrades.ts';
import { readSenders } from '../token/readSenders.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import { encodeCall, keccakOf, quantity } from './evmCode.ts';
import {
  type CallResult,
  lostShare,
  resultOf,
  resultsOf,
  revertReason,
  words,
} from './readOutcomes.ts';
import {
  approvalsOf,
  BLOCK_SECONDS,
  type BlockEnvironment,
  balanceOf,
  type Call,
  call,
  encodeSwap,
  type Head,
  READ_GAS,
  SELECTOR,
  type SimulationPlan,
  simulationOf,
} from './simulateParams.ts';
import { findTaken, keepersOf, spreadOver } from './takenTokens.ts';

/** A token with a market, its quote token, and its traders. */
export interface HeldToken {
  readonly token: Hex;
  readonly kind: PoolKind;
  /** The holder of the market's assets: the pool, or its manager. */
  readonly pool: Hex;
  readonly baseToken: Hex;
  readonly holders: HolderTrades;
}

/** Wallets examined, of those on record: a third of them bought first, a third last, a third in between. */
const CANDIDATES_MAX = 24;
/** Wallets whose sale is simulated. */
const HOLDERS_MAX = 20;
/** Independent buyers from which others are not examined. */
const INDEPENDENT_MIN = 3;
/** Real sales examined if others are refused, the latest ones, and the number of them that are repeated. */
const SALES_LOOKED_MAX = 8;
const REPEATED_MAX = 3;
/**
 * Gas limit of a sale: 0.1 million is usual for the transfer into a pool and for the rest, 1 million if taxes are
 * sold on the way.
 */
const SALE_GAS = 1_100_000n;
const APPROVAL_GAS = 100_000n;
/** Price of gas above the base fee, percent. */
const TIP_PERCENT = 10n;
/** Base fee of chains that have none, wei. */
const BASE_FEE_MIN_WEI = 1_000_000n;
/**
 * Seconds after which a failed sale is simulated again (an hour); also the time between two of these sales, because
 * some tokens allow only one within a while.
 */
const LATER_S = 3_600;
const LATER_APART_S = 300;
/** Seconds after the head at which holders approve the spender. */
const APPROVED_S = 1;
/**
 * Fraction of a wallet's holdings that it sells now, and later: limits of a sale are no trap. The full amount is
 * simulated if these fail, because a few tokens require that.
 */
const PARTS = { now: 2n, later: 20n, all: 1n } as const;
/** `factory()` of pools and routers of Uniswap V2 and its forks. */
const FACTORY = '0xc45a0155';

/**
 * Wallets that bought: independent ones or, if there are hardly any, one per block, because several of one party in
 * one block are bots. If there are many, some that bought first, last, and evenly in between, in turns. An attacker
 * who wants to be examined instead of the victims must make up many of all buyers; and bots of the first blocks,
 * which many tokens refuse, are few of them.
 */
export const candidatesOf = ({ trades, dependents }: HolderTrades): Hex[] => {
  const firsts = new Map<Hex, number>();
  for (const { trader, isSale, blockNumber } of trades) {
    // The creator depends on itself.
    if (isSale || firsts.has(trader) || dependents.get(trader) === trader) continue;
    firsts.set(trader, blockNumber);
  }
  const independent = [...firsts.keys()].filter((trader) => !dependents.has(trader));
  const onePerBlock = new Map([...firsts].map(([trader, block]) => [block, trader]));
  const buyers = independent.length < INDEPENDENT_MIN ? [...onePerBlock.values()] : independent;
  if (buyers.length <= CANDIDATES_MAX) return buyers;
  const third = CANDIDATES_MAX / 3;
  const between = spreadOver(buyers.slice(third, -third), third);
  return between.flatMap((one, i) =>
    [buyers[i], one, buyers.at(-1 - i)].flatMap((buyer) => buyer ?? []),
  );
};

/** Whether each of these wallets first bought in a block of its own. */
const boughtApart = ({ trades }: HolderTrades, wallets: readonly Hex[]): boolean => {
  const firsts = wallets.map(
    (wallet) => trades.find(({ trader, isSale }) => trader === wallet && !isSale)?.blockNumber,
  );
  return new Set(firsts).size === wallets.length;
};

interface Holding {
  readonly holder: Hex;
  readonly amount: bigint;
}

/** A sale of each of some wallets, one after another. */
interface SalesPlan extends SimulationPlan {
  readonly holdings: readonly Holding[];
  /** Part of a holding that is sold. */
  readonly part: bigint;
  /** Calls before the first read of the pool's holdings. */
  readonly approvals: number;
}

/**
 * Who takes tokens from approving holders: a Uniswap V2 router or, if none is known, simulation code at an unused
 * address.
 */
interface Spender {
  readonly address: Hex;
  readonly code?: Hex;
}

/**
 * A contract that forwards its calldata to the token: on any market it does what a router does with the token in a
 * sale.
 */
const relayTo = ({ token, pool }: HeldToken, { number }: Head): Spender => ({
  address: addressAtEnd(keccakOf(`${token} ${pool} ${number}`)),
  code: `0x363d3d373d3d3d363d3d73${token.slice(2)}5af13d82803e903d91602c57fd5bf3`,
});

/** Returns the native balance of the given account. */
const PURSE_CODE = '0x6000353160005260206000f3';

/** Through a spender, as nearly all holders sell; else by a transfer to the pool. */
const saleCall = (
  { token, pool, baseToken }: HeldToken,
  spender: Spender | undefined,
  { holder, amount }: Holding,
): Call => {
  if (!spender) return call(holder, token, encodeCall(SELECTOR.transfer, pool, amount), SALE_GAS);
  const sale = spender.code
    ? encodeCall(SELECTOR.transferFrom, holder, pool, amount)
    : encodeSwap({ token, base: baseToken }, { amount, to: holder });
  return call(holder, spender.address, sale, SALE_GAS);
};

/** Variants of planSales. */
interface Manner {
  readonly environment?: BlockEnvironment;
  readonly spender?: Spender;
  readonly afterS: number;
  /** Seconds from one sale to the next; one block by default. */
  readonly apartS?: number;
  readonly part: bigint;
}

/**
 * All approve the spender in an earlier block, as wallets do: for the sold amount, then for everything. Then one sale
 * of each, with the pool's holdings before and after: one sale per block, because many tokens allow only few per
 * block. No chain state is changed except the code of a spender.
 */
const planSales = (
  held: HeldToken,
  head: Head,
  holdings: readonly Holding[],
  { environment, spender, afterS, apartS = BLOCK_SECONDS, part }: Manner,
): SalesPlan => {
  const { token, pool } = held;
  const price = environment && { gasPrice: quantity(gasPriceIn(environment)) };
  const sold = holdings.map(({ holder, amount }) => ({ holder, amount: amount / part }));
  const approvals = sold.flatMap(({ holder, amount }) =>
    spender ? approvalsOf(holder, token, { spender: spender.address, amount }, APPROVAL_GAS) : [],
  );
  const reads = holdings.map(({ holder }) => balanceOf(holder, token, pool));
  const first = {
    afterS: APPROVED_S,
    calls: [...approvals, ...reads.slice(0, 1)],
    ...(spender?.code && { stateOverrides: { [spender.address]: { code: spender.code } } }),
  };
  const sales = sold.map((holding, i) => ({
    afterS: afterS + i * apartS,
    calls: [saleCall(held, spender, holding), ...reads.slice(i, i + 1)],
  }));
  const blocks = [first, ...sales].map(({ calls, ...block }) => ({
    ...block,
    calls: calls.map((one) => ({ ...one, ...price })),
    environment,
  }));
  return { ...simulationOf(head, blocks), holdings, part, approvals: approvals.length };
};

/** A number in JSON-RPC notation; empty if there is none. */
const quantitySchema = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/)
  .transform(BigInt)
  .catch(0n);

const blockSchema = z.object({
  baseFeePerGas: quantitySchema,
  miner: addressSchema.catch(ZERO_ADDRESS),
  mixHash: hashSchema.catch(ZERO_HASH),
});
/** An answer that is not a block says nothing. */
const answeredBlock = blockSchema.catch(() => blockSchema.parse({}));

/**
 * Block conditions of transactions, which will be similar for the next ones. The lowest base fee if the chain has
 * none.
 */
const environmentOf = (outcome: RpcOutcome | undefined): BlockEnvironment => {
  const { baseFeePerGas: fee, miner, mixHash: random } = answeredBlock.parse(resultOf(outcome));
  return { baseFeeWei: fee > BASE_FEE_MIN_WEI ? fee : BASE_FEE_MIN_WEI, miner, random };
};

/** Wei per unit of gas. */
const gasPriceIn = ({ baseFeeWei }: BlockEnvironment): bigint =>
  (baseFeeWei * (100n + TIP_PERCENT)) / 100n;

/** The same factory created the pool and belongs to the router through which most trades came. */
const isRouter = (answers: readonly CallResult[]): boolean => {
  const [[own], [other]] = [words(answers[0], 1) ?? [], words(answers[1], 1) ?? []];
  return own !== undefined && own !== 0n && own === other;
};

/**
 * Holdings of wallets that can pay for a transaction, its block conditions, and the router to sell through if there
 * is one.
 * @param candidates whose sales may be simulated
 * @param keepers whose balances are needed: `kept`
 */
const readHoldings = async (
  node: ChainNode,
  held: HeldToken,
  head: Head,
  candidates: readonly Hex[],
  keepers: readonly Hex[],
) => {
  const { token, kind, pool, holders } = held;
  const router = kind === 'reserves' ? holders.routers.get(pool) : undefined;
  const asked = router ? [pool, router] : [];
  const all = [...new Set([...candidates, ...keepers])];
  const purse = addressAtEnd(keccakOf(`purse ${token} ${head.number}`));
  const calls = [
    ...asked.map((one) => call(pool, one, FACTORY, READ_GAS)),
    ...all.map((holder) => balanceOf(holder, token, holder)),
    ...candidates.map((holder) => call(pool, purse, addressWord(holder), READ_GAS)),
  ];
  const stateOverrides = { [purse]: { code: PURSE_CODE } };
  const reads = simulationOf(head, [{ afterS: BLOCK_SECONDS, calls, stateOverrides }]);
  const [found, readings] = await node.batch([
    { method: 'eth_getBlockByNumber', params: [quantity(head.number), false] },
    { method: 'eth_simulateV1', params: [...reads.params] },
  ]);
  const environment = environmentOf(found);
  const answers = resultsOf(reads, readings) ?? [];
  const amounts = answers.slice(asked.length);
  const natives = amounts.slice(all.length);
  const gas = 2n * APPROVAL_GAS + SALE_GAS + 2n * READ_GAS;
  const costWei = gas * gasPriceIn(environment);
  const balances = new Map(
    all.flatMap((holder, i) =>
      (words(amounts[i], 1) ?? []).map((amount) => [holder, amount] as const),
    ),
  );
  const holdings = candidates.flatMap((holder, i): Holding[] => {
    const amount = balances.get(holder) ?? 0n;
    const [native = 0n] = words(natives[i], 1) ?? [];
    return amount >= PARTS.later && native >= costWei ? [{ holder, amount }] : [];
  });
  return {
    environment,
    kept: new Map([...balances].filter(([holder]) => keepers.includes(holder))),
    holdings: holdings.slice(0, HOLDERS_MAX),
    spender:
      router && isRouter(answers.slice(0, asked.length))
        ? { address: router }
        : relayTo(held, head),
  };
};

/** A sale of an amount, and the increase of the pool's holdings; undefined if unknown. */
interface TriedSale extends CallResult {
  readonly sold: bigint;
  readonly received: bigint | undefined;
}

/** Each sale is between two reads of the pool's holdings. */
const salesIn = (
  { holdings, part, approvals }: SalesPlan,
  calls: readonly CallResult[],
): TriedSale[] =>
  holdings.flatMap(({ amount }, i) => {
    const [first, sale, last] = calls.slice(approvals + 2 * i);
    if (!sale) return [];
    const [before] = words(first, 1) ?? [];
    const [after] = words(last, 1) ?? [];
    const isRead = before !== undefined && after !== undefined;
    const gained = isRead ? after - before : undefined;
    const received = gained !== undefined && gained < 0n ? 0n : gained;
    return [{ ...sale, sold: amount / part, received }];
  });

const isMade = (sale: CallResult | undefined): boolean =>
  sale?.ok === true && words(sale, 1)?.[0] !== 0n;

/** Whether a sale succeeds and does not lose most of the amount. */
const works = (sale: TriedSale | undefined): boolean =>
  sale !== undefined &&
  isMade(sale) &&
  (sale.received === undefined || lostShare(sale.received, sale.sold) < CONFISCATING_TAX_MIN);

/** The share of sold amounts that did not arrive; undefined if nothing could be compared. */
const taxOf = (sales: readonly TriedSale[]): HolderTrials['tax'] => {
  const shares = sales.flatMap((sale) => {
    if (!isMade(sale) || sale.received === undefined || sale.sold === 0n) return [];
    return [lostShare(sale.received, sale.sold)];
  });
  if (shares.length === 0) return undefined;
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return { lowest: Math.min(...shares), mean, highest: Math.max(...shares) };
};

/** Why a sale does not work. */
const reasonOf = (sale: TriedSale): Sentence =>
  isMade(sale) && sale.received !== undefined
    ? sentence('keeps', { share: lostShare(sale.received, sale.sold) })
    : revertReason(sale.returnData);

/** The sales of each plan; undefined if the node cannot simulate them. */
const simulateSales = async (
  node: ChainNode,
  plans: readonly SalesPlan[],
): Promise<TriedSale[][] | undefined> => {
  if (plans.length === 0) return [];
  const answers = await node.batch(
    plans.map(({ params }) => ({ method: 'eth_simulateV1', params: [...params] })),
  );
  const results = plans.flatMap((plan, i) => {
    const calls = resultsOf(plan, answers[i]);
    return calls ? [salesIn(plan, calls)] : [];
  });
  return results.length === plans.length ? results : undefined;
};

/** The last sale of each of the latest independent sellers that had bought. */
const lastSales = ({ trades, dependents }: HolderTrades): HolderTrade[] => {
  const buyers = new Set(trades.flatMap(({ trader, isSale }) => (isSale ? [] : [trader])));
  const sales = trades.filter(
    ({ trader, isSale }) => isSale && buyers.has(trader) && !dependents.has(trader),
  );
  const last = new Map(sales.map((sale) => [sale.trader, sale]));
  return [...last.values()]
    .toSorted((a, b) => b.blockNumber - a.blockNumber)
    .slice(0, SALES_LOOKED_MAX);
};

/**
 * Repeats real sales, each on the state before its block and at its time, at a gas price of zero because a seller's
 * funds are unknown. Only those count whose sender is the seller: a token's logs can name anyone.
 */
const repeatSales = async (
  node: ChainNode,
  held: HeldToken,
  spender: Spender,
): Promise<HolderTrials['repeated']> => {
  const sales = lastSales(held.holders);
  if (sales.length === 0) return undefined;
  const txHashes = sales.map(({ txHash }) => txHash);
  const senderOf = await readSenders(node, txHashes);
  if (!txHashes.every((one) => senderOf.has(one))) return undefined;
  const sent = sales.filter(({ trader, txHash }) => senderOf.get(txHash) === trader);
  const plans = sent
    .slice(0, REPEATED_MAX)
    .map(({ blockNumber, timestampS, trader: holder, amount }) => {
      const before = { number: blockNumber - 1, timestampS: timestampS - BLOCK_SECONDS };
      const manner = { spender, afterS: BLOCK_SECONDS, part: PARTS.all };
      return planSales(held, before, [{ holder, amount }], manner);
    });
  const made = await simulateSales(node, plans);
  if (!made) return undefined;
  const worked = made.filter(([sale]) => works(sale)).length;
  return { sales: sales.length, sent: sent.length, worked, shownBy: plans[0]?.params };
};

/** Why the wallets that cannot sell cannot: the token's revert message, which a router hides. */
const refusalOf = (
  isSold: readonly boolean[],
  sales: readonly TriedSale[],
  direct: readonly TriedSale[] | undefined,
): Sentence | undefined => {
  const at = isSold.indexOf(false);
  const [sale, transfer] = [sales[at], direct?.[at]];
  if (!sale) return undefined;
  return transfer && !works(transfer)
    ? reasonOf(transfer)
    : sentence('byRouter', { why: reasonOf(sale) });
};

/** Nobody has anything left to sell. */
const UNTRIED = {
  tried: 0,
  sold: [],
  refused: [],
  soldForFree: [],
  shownBy: { paid: [], free: [], later: [] },
} as const;

const tryOne = async (
  node: ChainNode,
  held: HeldToken,
  head: Head,
): Promise<HolderTrials | undefined> => {
  const candidates = candidatesOf(held.holders);
  if (candidates.length === 0) return undefined;
  const keepers = keepersOf(held.holders);
  const { environment, kept, holdings, spender } = await readHoldings(
    node,
    held,
    head,
    candidates,
    keepers,
  );
  const taken = await findTaken(node, held, head, kept);
  const untried = taken && { ...UNTRIED, blockNumber: head.number, taken };
  if (holdings.length === 0) return untried;
  const plan = (manner: Manner): SalesPlan => planSales(held, head, holdings, manner);
  const now = { afterS: BLOCK_SECONDS, part: PARTS.now };
  const paid = plan({ ...now, environment, spender });
  const free = plan({ ...now, spender });
  const waiting = { environment, spender, part: PARTS.later };
  const later = plan({ ...waiting, afterS: LATER_S, apartS: LATER_APART_S });
  const nextDay = plan({ ...waiting, afterS: DAY_LATER_S });
  const whole = plan({ environment, spender, afterS: BLOCK_SECONDS, part: PARTS.all });
  const direct = plan({ ...now, environment });
  const [sales] = (await simulateSales(node, [paid])) ?? [];
  if (!sales) return undefined;
  // If every holder can sell now, no other simulation is needed.
  const [others, repeated] = sales.every(works)
    ? [[sales, sales, sales, sales], undefined]
    : await Promise.all([
        simulateSales(node, [free, later, nextDay, whole, direct]),
        repeatSales(node, held, spender),
      ]);
  const [freeSales, laterSales, nextDaySales, wholeSales, directSales] = others ?? [];
  if (!freeSales || !laterSales || !nextDaySales || !wholeSales) return undefined;
  const isSold = holdings.map((_, i) =>
    [sales, laterSales, nextDaySales, wholeSales].some((made) => works(made[i])),
  );
  const walletsWhere = (holds: (i: number) => boolean): Hex[] =>
    holdings.flatMap(({ holder }, i) => (holds(i) ? [holder] : []));
  const sold = walletsWhere((i) => isSold[i] === true);
  const refused = walletsWhere((i) => isSold[i] === false);
  // A token may let its creator's wallets sell, so successful sales of dependent wallets prove nothing. Refused ones
  // count.
  const areDependent = candidates.some((one) => held.holders.dependents.has(one));
  const areCounted = !areDependent || sold.length <= refused.length;
  return {
    blockNumber: head.number,
    tried: areCounted ? holdings.length : 0,
    bought: boughtApart(held.holders, candidates) ? candidates.length : undefined,
    sold,
    refused,
    soldForFree: walletsWhere((i) => isSold[i] === false && works(freeSales[i])),
    tax: taxOf(sales),
    repeated,
    taken,
    reason: refusalOf(isSold, sales, directSales),
    shownBy: { paid: paid.params, free: free.params, later: nextDay.params },
  };
};

/**
 * Sells as real holders would: from their own wallets, with their own tokens, in transactions that pay for gas. Two
 * node calls per token, three if a sale fails, and two more if others have sold; two before that if many buyers have
 * nothing left. Undefined if nobody holds and nobody was robbed, or the node cannot simulate this.
 * @param head the block to build on
 */
export const tryHolders = (
  node: ChainNode,
  held: readonly HeldToken[],
  head: Head,
): Promise<(HolderTrials | undefined)[]> =>
  Promise.all(
    held.map((one) =>
      tryOne(node, one, head).catch((error: unknown) => {
        // What cannot be simulated now is simulated when the token is scored again.
        if (error instanceof RetryableError) return undefined;
        throw error;
      }),
    ),
  );
