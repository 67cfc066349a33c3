import type { TradeSimulation } from '../checks/checkInput.ts';
import { type Answer, type Purchase, readPurchase, readSale, type Sale } from './readOutcomes.ts';
import {
  BLOCK_SECONDS,
  planPurchase,
  planSale,
  type SellWay,
  type SimulationPlan,
  type Trade,
} from './simulateParams.ts';

/**
 * One trade as a conversation: it yields simulations to run on the node, takes their answers in the
 * same order, and ends with what the trade showed.
 */
export type TradeSteps = Steps<TradeSimulation>;

/**
 * Sizes of the purchase, in 1/100,000 of the base reserve. 0.5 % moves the price little and stays
 * below the usual limit of 1 % of the supply per transaction, yet is large enough to measure a tax.
 */
const SIZE = 500n;
/** Tried when that fails, since a token may limit purchases further: 0.05 % and 0.01 %. */
const SMALLER_SIZES = [50n, 10n] as const;

/** Some honest tokens make every buyer wait: a sale that fails in the next block is tried later. */
const COOLDOWN_S = 3_600;

const SELL_WAYS: readonly { way: SellWay; name: string }[] = [
  { way: 'transfer', name: 'by a transfer to the pool' },
  { way: 'router', name: 'through a router' },
];

/** A conversation that ends with `Result`. */
type Steps<Result> = Generator<readonly SimulationPlan[], Result, readonly (Answer | undefined)[]>;

type Sized = Purchase & { readonly size: bigint };
type Bought = Extract<Purchase, { kind: 'bought' }> & { readonly size: bigint };

function* purchase(trade: Trade, sizes: readonly bigint[]): Steps<Sized[]> {
  const plans = sizes.map((size) => planPurchase(trade, size));
  const answers = yield plans;
  return plans.map((plan, i) => ({ size: sizes[i] ?? 0n, ...readPurchase(plan, answers[i]) }));
}

/** Both ways of selling; as one outcome: the first that did not work, else the higher tax. */
function* sale(trade: Trade, { size, amount }: Bought, delayS: number): Steps<Sale> {
  const plans = SELL_WAYS.map(({ way }) => planSale(trade, { way, size, amount, delayS }));
  const answers = yield plans;
  const sales = plans.map((plan, i) => readSale(plan, answers[i], amount));
  return mergeSales(sales);
}

const mergeSales = (sales: readonly Sale[]): Sale => {
  for (const [i, { name }] of SELL_WAYS.entries()) {
    const one = sales[i];
    if (one?.kind === 'failed') return { kind: 'failed', reason: `${name} ${one.reason}` };
  }
  const unread = sales.find(({ kind }) => kind === 'unreadable');
  if (unread) return unread;
  const taxes = sales.map((one) => (one.kind === 'sold' ? one.tax : 0));
  return { kind: 'sold', tax: Math.max(...taxes) };
};

/**
 * A purchase of the first size that works, or what stands against all. Not open is a market in
 * which the smallest size that can be measured fails as well.
 */
function* firstPurchase(trade: Trade): Steps<Bought | TradeSimulation> {
  const [first] = yield* purchase(trade, [SIZE]);
  if (first?.kind === 'bought') return first;
  if (first?.kind === 'tooSmall') {
    return { kind: 'unknown', reason: 'The pool is too small for a trade to show anything.' };
  }
  if (first?.kind !== 'failed') return { kind: 'unknown', reason: first?.reason ?? '' };
  const smaller = yield* purchase(trade, SMALLER_SIZES);
  for (const one of smaller) if (one.kind === 'bought') return one;
  const unread = smaller.find((one) => one.kind === 'unreadable');
  if (unread) return { kind: 'unknown', reason: unread.reason };
  return { kind: 'buyFails', blockNumber: trade.head.number, reason: first.reason };
}

/** Buys, waits, sells in two ways: what happens to a buyer who wants to leave again. */
export function* tradeSteps(trade: Trade): TradeSteps {
  const blockNumber = trade.head.number;
  const bought = yield* firstPurchase(trade);
  if (bought.kind !== 'bought') return bought;
  const { tax: buyTax } = bought;
  const atOnce = yield* sale(trade, bought, BLOCK_SECONDS);
  switch (atOnce.kind) {
    case 'unreadable':
      return { kind: 'unknown', reason: atOnce.reason };
    case 'sold':
      return {
        kind: 'traded',
        blockNumber,
        buyTax,
        sellTax: atOnce.tax,
        sellableAfterS: BLOCK_SECONDS,
      };
    case 'failed': {
      const later = yield* sale(trade, bought, COOLDOWN_S);
      return later.kind === 'sold'
        ? { kind: 'traded', blockNumber, buyTax, sellTax: later.tax, sellableAfterS: COOLDOWN_S }
        : { kind: 'sellFails', blockNumber, reason: atOnce.reason };
    }
  }
}
