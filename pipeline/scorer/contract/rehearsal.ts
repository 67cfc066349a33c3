import type { Hex } from '../../../shared/chain/block.ts';
import { BLOCK_SECONDS } from '../simulation/simulateParams.ts';
import { type Ask, simulate } from '../simulation/simulatingNode.ts';
import type { Probe, StoredStage } from './contractProfile.ts';
import { findHinderedSale, type Suspects } from './hinderedSales.ts';
import {
  LATER_S,
  type ProbeStage,
  planDelivery,
  planLaterDelivery,
  planSaleAfter,
  planSaleInProfit,
  WEEKS_LATER_S,
} from './probePlan.ts';
import {
  type Delivery,
  failureOf,
  type ProbedSale,
  readDelivery,
  readLaterDelivery,
  readSaleAfter,
  readSaleGas,
  readSaleInProfit,
  share,
} from './readProbe.ts';

/** Sizes of the purchase, in 1/100,000 of the base reserve: the second if limits forbid the first. */
const SIZES = [500n, 50n, 10n] as const;

type Trade = NonNullable<Extract<Probe, { kind: 'done' }>['trade']>;

/** The setup with the results of its purchase and its sales. */
export interface Rehearsal {
  readonly stage: ProbeStage;
  /** An address that has nothing to do with anything. */
  readonly stranger: Hex;
  readonly delivery: Delivery | undefined;
  readonly now: ProbedSale | undefined;
  readonly later: ProbedSale | undefined;
  readonly weeksLater: ProbedSale | undefined;
  /** The same purchase a day later, if this one loses much. */
  readonly laterDelivery: Delivery | undefined;
  /** What prevents a sale once the price has risen. */
  readonly profit: Trade['profit'];
  /** What else prevents a sale that works later. */
  readonly hindered?: Trade['hindered'];
  readonly saleGas: number;
}

/** Sales of the bought tokens later, or at a profit. */
type LaterSales = Pick<Rehearsal, 'later' | 'weeksLater' | 'profit'>;

/** Delivered share of a purchase up to which later purchases are simulated too. */
const COSTLY_DELIVERED_MAX = 0.9;

/**
 * The purchase, in 1/100,000 of the base reserve, that quadruples the price; if limits forbid it, this number of
 * usual ones.
 */
const RISE_SIZE = 100_000n;
const RISE_PURCHASES = 10;

/** Sales after the price has risen: they may be refused, or taxed away, because of the profit. */
const planProfits = (stage: ProbeStage, stranger: Hex) =>
  [
    { size: RISE_SIZE, times: 1 },
    { size: stage.size, times: RISE_PURCHASES },
  ].map((rise) => ({ ...rise, plan: planSaleInProfit(stage, { ...rise, stranger }) }));

/** What prevents the first of these sales whose price did rise. */
const readProfits = (
  { amount }: ProbeStage,
  profits: ReturnType<typeof planProfits>,
  answers: readonly Parameters<typeof readSaleInProfit>[1][],
): Trade['profit'] => {
  for (const [i, { plan, size, times }] of profits.entries()) {
    const sale = readSaleInProfit(plan, answers[i], { amount, times });
    if (!sale) continue;
    const reason = failureOf(sale);
    return reason ? { size: String(size), times, reason } : undefined;
  }
  return undefined;
};

/**
 * The same sales of a half, after weeks of an eighth, if a full sale is impossible: a wallet may have lost some by
 * then, for example in a token with decaying balances.
 */
const ofLess = async (
  ask: Ask,
  whole: ProbeStage,
  stranger: Hex,
  found: LaterSales,
): Promise<LaterSales> => {
  const { later, weeksLater, profit } = found;
  if (failureOf(later) === null && failureOf(weeksLater) === null && !profit) return found;
  const half = { ...whole, amount: whole.amount / 2n };
  const eighth = { ...whole, amount: whole.amount / 8n };
  const nextDay = planSaleAfter(half, LATER_S);
  const afterWeeks = planSaleAfter(eighth, WEEKS_LATER_S);
  const profits = planProfits(half, stranger);
  const plans = [nextDay, afterWeeks, ...profits.map(({ plan }) => plan)];
  const [dayAnswer, weeksAnswer, ...answers] = await simulate(
    ask,
    plans.map(({ params }) => params),
  );
  const better = (sale: ProbedSale | undefined, before: ProbedSale | undefined) =>
    sale && failureOf(sale) === null ? sale : before;
  return {
    later: better(readSaleAfter(nextDay, dayAnswer, half.amount), later),
    weeksLater: better(readSaleAfter(afterWeeks, weeksAnswer, eighth.amount), weeksLater),
    profit: readProfits(half, profits, answers) && profit,
  };
};

/** What prevents a sale that works later, and at a profit. */
const hinderedOf = async (
  ask: Ask,
  stage: ProbeStage,
  { later, weeksLater, profit }: LaterSales,
  suspects: Suspects,
): Promise<Trade['hindered']> => {
  const areSold = [later, weeksLater].every((one) => one !== undefined && failureOf(one) === null);
  return areSold && !profit ? findHinderedSale(ask, stage, suspects) : undefined;
};

/** Buys and sells without anyone's interference. Undefined if the node cannot simulate. */
export const rehearse = async (
  ask: Ask,
  empty: ProbeStage,
  { stranger, ...suspects }: { readonly stranger: Hex } & Suspects,
): Promise<Rehearsal | undefined> => {
  const nothing = {
    stranger,
    delivery: undefined,
    now: undefined,
    later: undefined,
    weeksLater: undefined,
    laterDelivery: undefined,
    profit: undefined,
    saleGas: 0,
  };
  const sizes = empty.market ? SIZES : SIZES.slice(0, 1);
  const plans = sizes.map((size) => planDelivery({ ...empty, size }));
  const answers = await simulate(
    ask,
    plans.map(({ params }) => params),
  );
  if (answers.every(({ ok }) => !ok)) return undefined;
  const deliveries = plans.map((plan, i) => readDelivery(plan, answers[i]));
  const works = deliveries.findIndex((one) => one !== undefined);
  const delivery = deliveries[works];
  if (!delivery) return { stage: { ...empty, market: undefined }, ...nothing };
  const stage = { ...empty, size: sizes[works] ?? 0n, amount: delivery.arrived };
  const sales = [BLOCK_SECONDS, LATER_S, WEEKS_LATER_S].map((delayS) =>
    planSaleAfter(stage, delayS),
  );
  const profits = planProfits(stage, stranger);
  const again = ratio(delivery) <= COSTLY_DELIVERED_MAX ? [planLaterDelivery(stage)] : [];
  const tried = [...sales, ...profits.map(({ plan }) => plan), ...again];
  const outcomes = await simulate(
    ask,
    tried.map(({ params }) => params),
  );
  const [now, later, weeksLater] = sales.map((plan, i) =>
    readSaleAfter(plan, outcomes[i], stage.amount),
  );
  const laterDelivery = again[0] && readLaterDelivery(again[0], outcomes[tried.length - 1]);
  const isSold = now !== undefined && failureOf(now) === null;
  const profit = isSold ? readProfits(stage, profits, outcomes.slice(sales.length)) : undefined;
  const sold = { later, weeksLater, profit };
  const kept = isSold ? await ofLess(ask, stage, stranger, sold) : sold;
  const saleGas = readSaleGas(outcomes[0]);
  const hindered = await hinderedOf(ask, { ...stage, stranger }, kept, suspects);
  return { stage, stranger, delivery, now, laterDelivery, saleGas, ...kept, hindered };
};

const ratio = ({ bought, arrived }: Delivery): number => Math.min(1, share(arrived, bought));

/** Results of the trade; null if nothing was bought. */
export const tradeOf = (rehearsal: Rehearsal) => {
  const { delivery, now, later, weeksLater, laterDelivery, profit, hindered, saleGas } = rehearsal;
  if (!delivery || !now) return delivery ? { ...UNREAD_TRADE, delivered: ratio(delivery) } : null;
  const laterReason = failureOf(later);
  const weeksLaterReason = failureOf(weeksLater);
  return {
    delivered: ratio(delivery),
    sells: failureOf(now) === null,
    saleGas,
    sellsLater: laterReason === null,
    laterReason,
    ...(weeksLaterReason && { weeksLaterReason }),
    ...(profit && { profit }),
    ...(hindered && { hindered }),
    ...(later?.kind === 'sold' && { laterTax: later.tax }),
    ...(laterDelivery && { laterBuyTax: 1 - ratio(laterDelivery) }),
  };
};
const UNREAD_TRADE = { sells: false, saleGas: 0, sellsLater: true, laterReason: null };

/** The code that advances the block number is stored if it made a difference. */
export const storedStage = ({
  stage: { market, head, trader, router, size, amount, laterClock },
  stranger,
  later,
  weeksLater,
}: Rehearsal): StoredStage => ({
  ...(laterClock && (failureOf(later) ?? failureOf(weeksLater)) !== null && { laterClock }),
  timestampS: head.timestampS,
  poolKind: market?.kind ?? null,
  base: market?.base ?? null,
  ...(market?.entry && { entry: market.entry }),
  trader,
  router,
  stranger,
  size: String(size),
  amount: String(amount),
});
