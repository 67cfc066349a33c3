import { isDeepStrictEqual } from 'node:util';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type {
  HookTrade,
  TradeLimit,
  TradeSimulation,
  WalletTransfer,
} from '../checks/checkInput.ts';
import { LATER_S } from '../contract/probePlan.ts';
import { CONFISCATING_TAX_MIN } from '../contract/readProbe.ts';
import { hookOf } from '../pool/poolKind.ts';
import {
  type Answer,
  lossThrough,
  lostShare,
  type Purchase,
  readAccumulation,
  readGathering,
  readPayout,
  readPurchase,
  readSale,
  readTransfer,
  type Sale,
} from './readOutcomes.ts';
import {
  BLOCK_SECONDS,
  planAccumulation,
  planGathering,
  planPayout,
  planPurchase,
  planSale,
  planSaleThrough,
  planTransfer,
  type SellWay,
  type SimulationParams,
  type SimulationPlan,
  type Trade,
} from './simulateParams.ts';

/**
 * One trade as a generator: it yields simulations to run on the node, receives their answers in the same order, and
 * returns the result of the trade.
 */
export type TradeSteps = Steps<TradeSimulation>;

/**
 * Sizes of the purchase, in 1/100,000 of the base reserve. 0.5 % moves the price little and stays
 * below the usual limit of 1 % of the supply per transaction, yet is large enough to measure a tax.
 */
const PURCHASE_SIZE = 500n;
/** Used if that fails, since a token may limit purchases further: 0.05 % and 0.01 %. */
const SMALLER_SIZES = [50n, 10n] as const;

/**
 * Some honest tokens make every buyer wait: a sale that fails in the next block is simulated an hour and a day later.
 */
const COOLDOWNS_S = [3_600, LATER_S] as const;

/**
 * Rounds of calls that a trade may take: purchase, smaller purchases, sale with limits, the sale an hour and a day
 * later, limits again, the same without a hook or through contracts that the token names.
 */
export const ROUNDS_MAX = 7;

/** Larger trades to simulate: multiples of the purchase, at once and one after another. */
const LARGER_PURCHASE = 4n;
const PURCHASES = 4;
/**
 * Amount sold at once, relative to the purchase; slightly less than it brings, as the price rises with each.
 */
const LARGER_SALE = 3n;
/** Fraction of a purchase that is sold if all of it cannot be. */
const SMALL_PART = 10_000n;
/** Unit of sizes. */
const HUNDRED_THOUSAND = 100_000;
/**
 * Number of transfers per block by which a wallet receives as much as a purchase brings: in total a pool's holdings,
 * more than wallet limits allow.
 */
const GATHERED: readonly number[] = [...Array.from({ length: 24 }, () => 1), 176];

const SELL_WAYS: readonly { way: SellWay; code: 'byTransfer' | 'byRouter' }[] = [
  { way: 'transfer', code: 'byTransfer' },
  { way: 'router', code: 'byRouter' },
];

/** A sequence of simulations that ends with `Result`. */
type Steps<Result> = Generator<readonly SimulationPlan[], Result, readonly (Answer | undefined)[]>;

/** Simulations, and a reader for their answers, in the same order. */
interface Question<Result> {
  readonly plans: readonly SimulationPlan[];
  readonly read: (answers: readonly (Answer | undefined)[]) => Result;
}

function* ask<Result>({ plans, read }: Question<Result>): Steps<Result> {
  return read(yield plans);
}

type Sized = Purchase & { readonly size: bigint };
/** A sale with the simulation that showed it, and whether the other way worked. */
type ShownSale = Sale & {
  readonly way: SellWay;
  readonly shownBy: SimulationParams;
  readonly worksOtherwise?: boolean;
};
/** Raw tokens that a purchase of a size brought. */
interface Holding {
  readonly size: bigint;
  readonly amount: bigint;
}
type Bought = Extract<Purchase, { kind: 'bought' }> & Holding;

function* purchase(trade: Trade, sizes: readonly bigint[]): Steps<Sized[]> {
  const plans = sizes.map((size) => planPurchase(trade, size));
  const answers = yield plans;
  return plans.map((plan, i) => ({ size: sizes[i] ?? 0n, ...readPurchase(plan, answers[i]) }));
}

/**
 * Loss of a sale. It includes what the token takes from the price beforehand by a sale of its own; a pool hook's
 * share, and the pool's initial fee, are measured separately.
 */
const keptOf = ({ kind }: Trade['market'], { tax, fall }: { tax: number; fall: number }): number =>
  kind !== 'managed' && fall >= CONFISCATING_TAX_MIN ? Math.max(tax, fall) : tax;

/** Both ways of selling as one outcome: the first that did not work, else the higher tax. */
const sale = (trade: Trade, { size, amount }: Holding, delayS: number): Question<ShownSale> => {
  const plans = SELL_WAYS.map(({ way }) => planSale(trade, { way, size, amount, delayS }));
  const read: Question<ShownSale>['read'] = (answers) => {
    const sales = SELL_WAYS.flatMap(({ way }, i) => {
      const plan = plans[i];
      if (!plan) return [];
      const one = readSale(plan, answers[i], amount);
      const kept = one.kind === 'sold' && { tax: keptOf(trade.market, one) };
      return { ...one, ...kept, way, shownBy: plan.params };
    });
    return mergeSales(sales);
  };
  return { plans, read };
};

const mergeSales = (sales: readonly ShownSale[]): ShownSale => {
  for (const [i, { code }] of SELL_WAYS.entries()) {
    const one = sales[i];
    if (one?.kind !== 'failed') continue;
    const worksOtherwise = sales.some(({ kind }) => kind === 'sold');
    return { ...one, reason: sentence(code, { why: one.reason }), worksOtherwise };
  }
  const unread = sales.find(({ kind }) => kind === 'unreadable');
  if (unread) return unread;
  const sold = sales.flatMap((one) => (one.kind === 'sold' ? [one] : []));
  return sold.reduce((dearest, one) => (one.tax > dearest.tax ? one : dearest));
};

/**
 * The first purchase size that works, or the reason against all. A market is not open if the smallest measurable size
 * fails as well.
 */
function* workingPurchase(trade: Trade): Steps<Bought | TradeSimulation> {
  const usual = planPurchase(trade, PURCHASE_SIZE);
  const [answer] = yield [usual];
  const first = readPurchase(usual, answer);
  if (first.kind === 'bought') return { ...first, size: PURCHASE_SIZE };
  if (first.kind === 'tooSmall') {
    return { kind: 'unknown', reason: sentence('poolTooSmall') };
  }
  if (first.kind !== 'failed') return { kind: 'unknown', reason: first.reason };
  const smaller = yield* purchase(trade, SMALLER_SIZES);
  for (const one of smaller) if (one.kind === 'bought') return one;
  const unread = smaller.find((one) => one.kind === 'unreadable');
  if (unread) return { kind: 'unknown', reason: unread.reason };
  const reason = yield* reasonBehind(trade, first.reason);
  return { kind: 'buyFails', blockNumber: trade.head.number, reason, shownBy: usual.params };
}

/** Uniswap V2, V3 and their forks revert with messages of their own if the token refuses. */
const POOL_REASON = /TRANSFER_FAILED$|^TF$/;

/** The token's revert message, if the pool hides it. */
function* reasonBehind(trade: Trade, reason: Sentence): Steps<Sentence> {
  const text = reason.code === 'revertsWith' ? reason.values?.['text'] : undefined;
  if (typeof text !== 'string' || !POOL_REASON.test(text)) return reason;
  const payout = planPayout(trade);
  const [answer] = yield [payout];
  return readPayout(payout, answer) ?? reason;
}

const share = (size: bigint): number => Number(size) / HUNDRED_THOUSAND;

interface Manners {
  readonly transfer: WalletTransfer;
  readonly limits: TradeLimit[];
  readonly shownBy: { readonly transfer: SimulationParams; readonly limits: SimulationParams[] };
}

/** What else a buyer who can sell meets: a transfer between wallets, and limits. */
const manners = (trade: Trade, { size, amount }: Holding, delayS: number): Question<Manners> => {
  const larger = planPurchase(trade, size * LARGER_PURCHASE);
  const moved = planTransfer(trade, { size, amount, delayS });
  const gathered = planAccumulation(trade, {
    size,
    purchases: PURCHASES,
    amount: amount * LARGER_SALE,
    delayS,
  });
  const read: Question<Manners>['read'] = ([transfer, purchase, accumulation]) => {
    const limits: TradeLimit[] = [];
    const shown: SimulationParams[] = [];
    if (readPurchase(larger, purchase).kind === 'failed') {
      limits.push({ kind: 'purchase', share: share(size * LARGER_PURCHASE) });
      shown.push(larger.params);
    } else if (size < PURCHASE_SIZE) {
      // Smaller ones were simulated because this one failed.
      limits.push({ kind: 'purchase', share: share(PURCHASE_SIZE) });
      shown.push(planPurchase(trade, PURCHASE_SIZE).params);
    }
    const met = readAccumulation(gathered, accumulation);
    const sizes = { wallet: BigInt(PURCHASES), sale: LARGER_SALE };
    if (met) {
      limits.push({ kind: met, share: share(size * sizes[met]) });
      shown.push(gathered.params);
    }
    const shownBy = { transfer: moved.params, limits: shown };
    return { transfer: readTransfer(moved, transfer, amount), limits, shownBy };
  };
  return { plans: [moved, larger, gathered], read };
};

/**
 * What else a failed sale shows: whether a small part can be sold in the same way, and whether a wallet that collects
 * tokens is refused with the same message, as happens to a pool if a wallet limit applies to it.
 */
function* saleLimit(
  trade: Trade,
  { size, amount }: Bought,
  way: SellWay,
  refused: Sentence,
): Steps<{ limits: TradeLimit[]; walletLimit?: SimulationParams }> {
  const part = amount / SMALL_PART;
  if (part === 0n) return { limits: [] };
  const small = planSale(trade, { way, size, amount: part, delayS: BLOCK_SECONDS });
  const gathering = planGathering(trade, amount, GATHERED);
  const [sold, gathered] = yield [small, gathering];
  const isLimited = isDeepStrictEqual(readGathering(gathering, gathered), refused.values?.['why']);
  return {
    limits:
      readSale(small, sold, part).kind === 'sold' ? [{ kind: 'sale', share: share(size) }] : [],
    ...(isLimited && { walletLimit: gathering.params }),
  };
}

/** What the hook takes from a working purchase and sale. Undefined if nothing can be compared. */
function* hookTrade(
  trade: Trade,
  { size, amount }: Bought,
  sold: ShownSale,
  delayS: number,
): Steps<HookTrade | undefined> {
  const hook = hookOf(trade.market.entry);
  if (!hook || sold.kind !== 'sold') return undefined;
  const bare = { ...trade, withoutHook: true };
  const [buy, sell] = [
    planPurchase(bare, size),
    planSale(bare, { way: sold.way, size, amount, delayS }),
  ];
  const [bought, earned] = yield [buy, sell];
  const [purchase, sale] = [readPurchase(buy, bought), readSale(sell, earned, amount)];
  if (purchase.kind !== 'bought' || sale.kind !== 'sold') return undefined;
  return {
    hook,
    buyTake: lostShare(amount, purchase.amount),
    sellTake: lostShare(sold.earned, sale.earned),
    shownBy: [planPurchase(trade, size).params, buy.params, sold.shownBy, sell.params],
  };
}

/** Whether it is the hook that refuses a sale. */
function* refusal(
  trade: Trade,
  { size, amount }: Bought,
  way: SellWay,
): Steps<Extract<TradeSimulation, { kind: 'sellFails' }>['refusedBy']> {
  const hook = hookOf(trade.market.entry);
  if (!hook) return undefined;
  const bare = { ...trade, withoutHook: true };
  const plan = planSale(bare, { way, size, amount, delayS: BLOCK_SECONDS });
  const [answer] = yield [plan];
  const isSold = readSale(plan, answer, amount).kind === 'sold';
  return isSold ? { hook, shownBy: plan.params } : undefined;
}

/** The first contract named by the token through which a buyer can sell, now and a day later. */
function* saleThrough(
  { named = [], ...trade }: Trade,
  { size, amount }: Bought,
): Steps<Extract<TradeSimulation, { kind: 'sellFails' }>['soldThrough']> {
  const delays = [BLOCK_SECONDS, LATER_S];
  const tried = named.map((spender) => ({
    spender,
    plans: delays.map((delayS) => planSaleThrough(trade, { spender, size, amount, delayS })),
  }));
  if (tried.length === 0) return undefined;
  const answers = yield tried.flatMap(({ plans }) => plans);
  const found = tried.find(({ plans }, i) =>
    plans.every((plan, j) => {
      const loss = lossThrough(plan, answers[i * delays.length + j]);
      return loss !== undefined && loss < CONFISCATING_TAX_MIN;
    }),
  );
  return found && { router: found.spender, shownBy: found.plans.map(({ params }) => params) };
}

/** What a buyer meets in the next block: requested together, because nearly all tokens can be sold at once. */
const nextBlock = (
  trade: Trade,
  bought: Holding,
): Question<{ readonly atOnce: ShownSale; readonly met: Manners }> => {
  const [selling, behaving] = [
    sale(trade, bought, BLOCK_SECONDS),
    manners(trade, bought, BLOCK_SECONDS),
  ];
  return {
    plans: [...selling.plans, ...behaving.plans],
    read: (answers) => ({
      atOnce: selling.read(answers),
      met: behaving.read(answers.slice(selling.plans.length)),
    }),
  };
};

/** Buys, waits, sells in two ways: the experience of a buyer who wants to leave again. */
export function* tradeSteps(trade: Trade): TradeSteps {
  const blockNumber = trade.head.number;
  const bought = yield* workingPurchase(trade);
  if (bought.kind !== 'bought') return bought;
  const { tax: buyTax } = bought;
  let delayS = BLOCK_SECONDS;
  const { atOnce, ...shown } = yield* ask(nextBlock(trade, bought));
  let { met } = shown;
  if (atOnce.kind === 'unreadable') return { kind: 'unknown', reason: atOnce.reason };
  let sold: ShownSale = atOnce;
  if (atOnce.kind === 'failed') {
    for (delayS of COOLDOWNS_S) {
      sold = yield* ask(sale(trade, bought, delayS));
      if (sold.kind === 'sold') break;
    }
    if (sold.kind !== 'sold') {
      // What still refuses it a day later is no waiting time.
      const { reason, shownBy, way, worksOtherwise } = sold.kind === 'failed' ? sold : atOnce;
      const limited = yield* saleLimit(trade, bought, way, reason);
      const refusedBy = yield* refusal(trade, bought, way);
      const isRouterRefused = way === 'router' && worksOtherwise === true;
      const soldThrough = isRouterRefused ? yield* saleThrough(trade, bought) : undefined;
      const refused = isRouterRefused && { isRouterRefused, ...(soldThrough && { soldThrough }) };
      const found = {
        kind: 'sellFails',
        blockNumber,
        reason,
        ...limited,
        shownBy,
        ...refused,
      } as const;
      return refusedBy ? { ...found, refusedBy } : found;
    }
    met = yield* ask(manners(trade, bought, delayS));
  }
  const sellTax = sold.kind === 'sold' ? sold.tax : 0;
  const { transfer, limits, shownBy } = met;
  const hook = yield* hookTrade(trade, bought, sold, delayS);
  return {
    kind: 'traded',
    blockNumber,
    buyTax,
    sellTax,
    sellableAfterS: delayS,
    transfer,
    limits,
    ...(hook && { hook }),
    shownBy: { sale: sold.shownBy, ...shownBy },
  };
}
