import { z } from 'zod';
import { addressWord } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { TOPIC } from '../../../shared/decode/topic.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import {
  AMOUNT_MIN,
  type Answer,
  type CallResult,
  resultOf,
  resultsOf,
  revertReason,
  sellTaxOf,
  words,
} from '../simulation/readOutcomes.ts';
import type { SimulationPlan } from '../simulation/simulateParams.ts';
import type { Power } from './contractProfile.ts';
import { SALE_CALLS } from './probePlan.ts';

/** A purchase: tokens paid out by the pool, and tokens that arrived. */
export interface Delivery {
  readonly bought: bigint;
  readonly arrived: bigint;
}

/** A sale by transfer to the pool; `reason` continues a sentence. */
export type ProbedSale =
  | { readonly kind: 'sold'; readonly tax: number }
  | { readonly kind: 'failed'; readonly reason: Sentence };

/**
 * Lost share of a buyer's or the pool's tokens that counts as confiscation: no fee is taken from an inactive holder.
 */
const CONFISCATED_MIN = 0.5;
/** Share of the supply from which new tokens can crash the price. */
const MINTED_MIN = 0.05;
/** Lost share of a sale from which selling is effectively prevented. */
export const CONFISCATING_TAX_MIN = 0.5;
const PARTS = 1_000_000n;

const word = (call: CallResult | undefined): bigint | undefined => words(call, 1)?.[0];

/** A part of a whole, in millionths; 0 if the whole is 0. */
export const share = (part: bigint, whole: bigint): number =>
  whole > 0n ? Number((part * PARTS) / whole) / Number(PARTS) : 0;

/** Reads the answer to `planDelivery`; undefined if the purchase fails or is too small. */
export const readDelivery = (
  plan: SimulationPlan,
  answer: Answer | undefined,
): Delivery | undefined => {
  const [buy, balance] = resultsOf(plan, answer) ?? [];
  const bought = words(buy, 2)?.[1];
  const arrived = word(balance);
  if (bought === undefined || bought < AMOUNT_MIN || arrived === undefined) return undefined;
  return { bought, arrived };
};

/** Reads the answer to `planLaterDelivery`; undefined if the purchase fails. */
export const readLaterDelivery = (
  plan: SimulationPlan,
  answer: Answer | undefined,
): Delivery | undefined => {
  const [before, buy, after] = resultsOf(plan, answer) ?? [];
  const bought = words(buy, 2)?.[1];
  const [had, has] = [word(before), word(after)];
  if (bought === undefined || had === undefined || has === undefined) return undefined;
  return { bought, arrived: has - had };
};

/** Outcome of a sale from its calls; undefined if they do not show it. */
export const saleOf = (calls: readonly CallResult[], amount: bigint): ProbedSale | undefined => {
  const settle = calls.at(-1);
  if (!settle || calls.length < SALE_CALLS) return undefined;
  const reverted = calls.find(({ ok }) => !ok);
  if (reverted) return { kind: 'failed', reason: revertReason(reverted.returnData) };
  const [received, earned] = words(settle, 2) ?? [];
  if (received === undefined || earned === undefined) return undefined;
  if (earned === 0n) return { kind: 'failed', reason: sentence('earnsNothing') };
  return { kind: 'sold', tax: sellTaxOf({ amount, received, earned, arrived: earned }) };
};

/** Why a sale does not work; null if it works, and if it could not be simulated, which proves nothing. */
export const failureOf = (sale: ProbedSale | undefined): Sentence | null => {
  if (sale?.kind === 'failed') return sale.reason;
  const keepsMost = sale !== undefined && sale.tax >= CONFISCATING_TAX_MIN;
  return keepsMost ? sentence('keeps', { share: sale.tax }) : null;
};

/** Reads the answer to `planSaleAfter`; undefined if it is unreadable. */
export const readSaleAfter = (
  plan: SimulationPlan,
  answer: Answer | undefined,
  amount: bigint,
): ProbedSale | undefined => {
  const [buy, ...sale] = resultsOf(plan, answer) ?? [];
  return buy?.ok ? saleOf(sale, amount) : undefined;
};

/**
 * Reads the answer to `planSaleInProfit`; undefined if the other account could not buy. @param times purchases of the
 * other account
 */
export const readSaleInProfit = (
  plan: SimulationPlan,
  answer: Answer | undefined,
  { amount, times }: { readonly amount: bigint; readonly times: number },
): ProbedSale | undefined => {
  const [buy, ...later] = resultsOf(plan, answer) ?? [];
  const hasRisen = later.slice(0, times).some(({ ok }) => ok);
  return buy?.ok && hasRisen ? saleOf(later.slice(times), amount) : undefined;
};

const gasSchema = z.array(
  z.object({ calls: z.array(z.object({ gasUsed: z.string().regex(/^0x[0-9a-fA-F]{1,13}$/) })) }),
);

/** Gas used by the transfer of a sale, from the answer to `planSaleAfter`; 0 if not given. */
export const readSaleGas = (answer: Answer | undefined): number => {
  const parsed = gasSchema.safeParse(resultOf(answer));
  return Number(parsed.data?.[1]?.calls[1]?.gasUsed ?? 0);
};

const logsSchema = z.array(
  z.object({
    calls: z.array(
      z.object({
        logs: z
          .array(z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() }))
          .optional(),
      }),
    ),
  }),
);

/**
 * A token that `caller` paid, by the logs in the answer to `planPower`: tokens minted in exchange, like vault shares
 * (ERC-4626), are no secret gift. Undefined if there is none, or the node returns no logs.
 * @param token the probed token: paying with it does not count
 */
export const readPayment = (
  answer: Answer | undefined,
  caller: Hex,
  token: Hex,
): Hex | undefined => {
  const { data: blocks = [] } = logsSchema.safeParse(resultOf(answer));
  const payer = addressWord(caller);
  const paid = blocks
    .flatMap(({ calls }) => calls.flatMap(({ logs = [] }) => logs))
    .find(
      ({ address, topics: [event, from, to], data }) =>
        event === TOPIC.transfer &&
        from === payer &&
        to !== payer &&
        /[1-9a-f]/.test(data.slice(2)) &&
        address !== token,
    );
  return addressSchema.safeParse(paid?.address).data;
};

/** The state without the privileged call, for comparison. */
export interface PowerContext {
  readonly supply: bigint;
  readonly amount: bigint;
  /** Number of watched holders; the buyer is the first, and the pool, if there is one, the last. */
  readonly watched: number;
  readonly hasPool?: boolean;
  /** Number of the buyer's allowances read after the balances. */
  readonly spenders: number;
  /** Whether a purchase comes first. */
  readonly hasMarket: boolean;
  /** The same sale without the privileged call; undefined if there is none. */
  readonly sale: ProbedSale | undefined;
  /** Number of calls a day earlier, and between the two readings; none and one by default. */
  readonly prepared?: number;
  readonly acts?: number;
}

const minted = (before: readonly bigint[], after: readonly bigint[], supply: bigint): number => {
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n);
  // Distinct holders never have more than the supply: any excess was minted.
  return sum(after) > supply ? share(sum(after) - sum(before), supply) : 0;
};

/** The reads around a privileged call; undefined if it reverted. */
const aroundOf = (plan: SimulationPlan, answer: Answer | undefined, context: PowerContext) => {
  const calls = resultsOf(plan, answer);
  const { watched, spenders, amount, hasMarket, hasPool, prepared = 0, acts = 1 } = context;
  const start = (hasMarket ? 1 : 0) + prepared;
  const own = calls?.slice(start) ?? [];
  const reads = watched + spenders;
  if (!own.slice(reads, reads + acts).some(({ ok }) => ok)) return undefined;
  const amounts = (from: number, count: number) =>
    own.slice(from, from + count).map((call) => word(call) ?? 0n);
  const again = reads + acts;
  const [before, after] = [amounts(0, watched), amounts(again, watched)];
  const [allowed, allows] = [amounts(watched, spenders), amounts(again + watched, spenders)];
  // What others may take without the buyer's permission is as good as taken.
  const granted = allows.map((one, i) => (one > (allowed[i] ?? 0n) ? one : 0n));
  // What was given to the buyer before, and is taken back, as grants that can be revoked, was never its own.
  const [found = 0n] = before;
  const held = hasMarket && amount < found ? amount : found;
  const taken = held - (after[0] ?? 0n);
  const lost = Math.min(1, Math.max(...[taken, ...granted].map((one) => share(one, held))));
  const [pooled = 0n, left = pooled] = hasPool
    ? [before, after].map((one) => one.at(-1) ?? 0n)
    : [];
  const drained = share(pooled - left, pooled);
  return { before, after, lost, drained, later: saleOf(own.slice(again + reads), amount) };
};

/** Share of the buyer's tokens, or of a sale, whose loss in one call may add up by repetition. */
const BITTEN_MIN = 0.005;

/**
 * Whether a call takes a little from the buyer, by the answer to `planPower`: repetitions may add up to everything.
 */
export const isBitten = (
  plan: SimulationPlan,
  answer: Answer | undefined,
  context: PowerContext,
): boolean => {
  const { hasMarket, sale } = context;
  const around = hasMarket ? aroundOf(plan, answer, context) : undefined;
  if (!around) return false;
  const { lost, later } = around;
  const isDearer =
    sale?.kind === 'sold' && later?.kind === 'sold' && later.tax - sale.tax >= BITTEN_MIN;
  return (lost >= BITTEN_MIN && lost < CONFISCATED_MIN) || isDearer;
};

/** Reads the answer to `planPower`: effects of the call, most serious first. None if it reverts. */
export const readPower = (
  plan: SimulationPlan,
  answer: Answer | undefined,
  context: PowerContext,
): Pick<Power, 'kind' | 'value'>[] => {
  const { supply, amount, hasMarket, sale } = context;
  const around = aroundOf(plan, answer, context);
  if (!around) return [];
  const { before, after, lost, drained, later } = around;
  const powers: Pick<Power, 'kind' | 'value'>[] = [];
  const created = minted(before, after, supply);
  if (created >= MINTED_MIN) powers.push({ kind: 'mint', value: created });
  const isRobbed = hasMarket && amount > 0n && lost >= CONFISCATED_MIN;
  if (isRobbed) return [...powers, { kind: 'confiscate', value: lost }];
  if (hasMarket && drained >= CONFISCATED_MIN) powers.push({ kind: 'drain', value: drained });
  // A buyer who has less cannot sell the same amount: that shows nothing else.
  if (hasMarket && (after[0] ?? 0n) < amount) return powers;
  if (sale?.kind !== 'sold' || sale.tax >= CONFISCATING_TAX_MIN) return powers;
  if (later?.kind === 'failed') powers.push({ kind: 'freeze', value: 1 });
  else if (later && later.tax >= CONFISCATING_TAX_MIN)
    powers.push({ kind: 'tax', value: later.tax });
  return powers;
};
