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

/** A token with a market, the other side of it, and those who traded. */
export interface HeldToken {
  readonly token: Hex;
  readonly kind: PoolKind;
  /** Who holds what is in the market: the pool, or its manager. */
  readonly pool: Hex;
  readonly baseToken: Hex;
  readonly holders: HolderTrades;
}

/** Wallets looked at, of those on record: a third of them bought first, a third last, a third in between. */
const CANDIDATES_MAX = 24;
/** Wallets whose sale is tried. */
const HOLDERS_MAX = 20;
/** Buyers who depend on nobody from which the others are not asked. */
const INDEPENDENT_MIN = 3;
/** Sales that were made and are looked at where others are refused, the latest ones, and those of them that are repeated. */
const SALES_LOOKED_MAX = 8;
const REPEATED_MAX = 3;
/** Gas of a sale: 0.1 million is usual for the transfer into a pool and for the rest, 1 million where taxes are sold on the way. */
const SALE_GAS = 1_100_000n;
const APPROVAL_GAS = 100_000n;
/** Price of gas above the base fee, percent. */
const TIP_PERCENT = 10n;
/** Base fee of chains that have none, wei. */
const BASE_FEE_MIN_WEI = 1_000_000n;
/** Seconds later that a sale that fails is tried again: an hour; and between two of these sales, since some tokens let only one through in a while. */
const LATER_S = 3_600;
const LATER_APART_S = 300;
/** Seconds after the head at which holders approve the spender. */
const APPROVED_S = 1;
/** Part of what a wallet holds that it sells now, and later: limits of a sale are no trap. All of it is tried where these fail: a few tokens ask for that. */
const PARTS = { now: 2n, later: 20n, all: 1n } as const;
/** `factory()` of pools and routers of Uniswap V2 and its forks. */
const FACTORY = '0xc45a0155';

/**
 * Wallets that bought: those that depend on no others, or, where these are hardly any, one of each block: several of one hand in one block are robots.
 * Of many, some that bought first, last, and in between at even distances, in turns. Whoever wants to be tried instead of the victims has to be many of all
 * buyers; and robots of the first blocks, whom many tokens refuse, are few of them.
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

/** Whether each of these wallets bought first in a block of its own. */
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
  /** Calls that come before the first reading of what the pool holds. */
  readonly approvals: number;
}

/** Who takes tokens of holders who approve it: a router of Uniswap V2, or, where none is known, code of the simulation at an unused address. */
interface Spender {
  readonly address: Hex;
  readonly code?: Hex;
}

/** A contract that calls the token with what it is called with: of a sale on any market it does the token's part as a router would. */
const relayTo = ({ token, pool }: HeldToken, { number }: Head): Spender => ({
  address: addressAtEnd(keccakOf(`${token} ${pool} ${number}`)),
  code: `0x363d3d373d3d3d363d3d73${token.slice(2)}5af13d82803e903d91602c57fd5bf3`,
});

/** Answers the native balance of the account that it is asked about. */
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

/** What planSales varies. */
interface Manner {
  readonly environment?: BlockEnvironment;
  readonly spender?: Spender;
  readonly afterS: number;
  /** Seconds from one sale to the next; a block by default. */
  readonly apartS?: number;
  readonly part: bigint;
}

/**
 * All approve the spender, in a block before, as wallets do: for what is sold, then for everything. Then one sale of each, and what the pool holds before and after each: a block a sale,
 * since many tokens let a few sales through in a block. Nothing of the chain's state is changed but the code of a spender.
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

/** A number as nodes write it; nothing where it is none. */
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

/** The same factory made the pool and is that of the router through which most trades came. */
const isRouter = (answers: readonly CallResult[]): boolean => {
  const [[own], [other]] = [words(answers[0], 1) ?? [], words(answers[1], 1) ?? []];
  return own !== undefined && own !== 0n && own === other;
};

/**
 * What wallets hold that can pay for a transaction, what it would meet, and the router to sell through where there is one.
 * @param candidates whose sales may be tried
 * @param keepers whose balances are wanted: `kept`
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

/** A sale of so much, and how much more the pool held after it; undefined where it does not say. */
interface TriedSale extends CallResult {
  readonly sold: bigint;
  readonly received: bigint | undefined;
}

/** Sales stand between two readings of what the pool holds. */
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

/** Whether a sale is made, and does not lose most of what is sold. */
const works = (sale: TriedSale | undefined): boolean =>
  sale !== undefined &&
  isMade(sale) &&
  (sale.received === undefined || lostShare(sale.received, sale.sold) < CONFISCATING_TAX_MIN);

/** What did not arrive of what was sold; undefined where nothing could be compared. */
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

/** The sales of each plan; undefined where the node cannot simulate them. */
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

/** The last sale of each of the wallets that bought and sold last, those left out that depend on others. */
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
 * Makes sales again that were made, each on the state before its block and at its time, paying for nothing: what a seller could pay is not known.
 * Only those count that were sent by who sold: anyone can be named in the logs of a token.
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

/** Why the wallets that cannot sell cannot: in the words of the token, which a router keeps to itself. */
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
  // What every holder can do now needs no other trial.
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
  // A token may let wallets of its maker sell, and nobody pays for being refused: of those who depend on others only refusals count.
  const areDependent = candidates.some((one) => held.holders.dependents.has(one));
  const isHeard = !areDependent || sold.length <= refused.length;
  return {
    blockNumber: head.number,
    tried: isHeard ? holdings.length : 0,
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
 * Sells as real holders would: from their own wallets, with what they own, in transactions that pay for their gas. Two
 * calls of the node a token, three where a sale fails, and two more beside the third where others have sold; two before where many buyers have nothing left. Undefined where
 * nobody holds and nobody was robbed, or the node cannot simulate this.
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
