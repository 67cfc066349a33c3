import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type { WalletTransfer } from '../checks/checkInput.ts';
import { decodeWords } from './abiWords.ts';
import { type CallResult, readSimulation } from './readSimulation.ts';
import { revertReason } from './revertReason.ts';
import type { SimulationPlan } from './simulateParams.ts';
import { buyTaxOf, sellTaxOf, transferTaxOf } from './taxes.ts';

/** What a node said to one call, as the RPC adapter has it. */
export type Answer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number };

/** How a simulated purchase ended; `reason` continues a sentence. */
export type Purchase =
  | { readonly kind: 'bought'; readonly amount: bigint; readonly tax: number }
  | { readonly kind: 'failed'; readonly reason: Sentence }
  | { readonly kind: 'tooSmall' }
  | { readonly kind: 'unreadable'; readonly reason: Sentence };

/** How a simulated sale ended; `reason` continues a sentence. */
export type Sale =
  | { readonly kind: 'sold'; readonly tax: number }
  | { readonly kind: 'failed'; readonly reason: Sentence }
  | { readonly kind: 'unreadable'; readonly reason: Sentence };

/** Base units below which an amount says nothing about a tax: the smallest step is 0.1 %. */
const AMOUNT_MIN = 1_000n;

const unreadable = (reason: Sentence) => ({ kind: 'unreadable', reason }) as const;
const failed = (reason: Sentence) => ({ kind: 'failed', reason }) as const;
const STRANGE = unreadable(sentence('answerUnreadable'));
const MOVED = unreadable(sentence('balanceMoved'));

const callsOf = (
  { callsPerBlock }: SimulationPlan,
  answer: Answer | undefined,
): CallResult[] | ReturnType<typeof unreadable> => {
  if (!answer) return STRANGE;
  if (!answer.ok) return unreadable(sentence('simulationRefused', { code: String(answer.code) }));
  return readSimulation(answer.result, callsPerBlock) ?? STRANGE;
};

const words = (call: CallResult | undefined, count: number): bigint[] | undefined =>
  call?.ok ? decodeWords(call.returnData, count) : undefined;

/** Reads the answer to `planPurchase`. */
export const readPurchase = (plan: SimulationPlan, answer: Answer | undefined): Purchase => {
  const calls = callsOf(plan, answer);
  if (!Array.isArray(calls)) return calls;
  const [buy, balance] = calls;
  if (buy && !buy.ok) return failed(revertReason(buy.returnData));
  const [spent, bought] = words(buy, 2) ?? [];
  if (spent === undefined || bought === undefined) return STRANGE;
  if (spent < AMOUNT_MIN || bought < AMOUNT_MIN) return { kind: 'tooSmall' };
  const [arrived] = words(balance, 1) ?? [];
  if (arrived === undefined) return unreadable(sentence('balanceUntold'));
  if (arrived < AMOUNT_MIN) return failed(sentence('deliversNothing'));
  return { kind: 'bought', amount: arrived, tax: buyTaxOf({ bought, arrived }) };
};

/** Reads the answer to `planSale` of `amount` tokens. */
export const readSale = (
  plan: SimulationPlan,
  answer: Answer | undefined,
  amount: bigint,
): Sale => {
  const calls = callsOf(plan, answer);
  if (!Array.isArray(calls)) return calls;
  const [buy, balance, handOver, swap, earnings] = calls;
  const [held] = words(balance, 1) ?? [];
  if (!buy?.ok || held === undefined || held < amount) return MOVED;
  const reverted = [handOver, swap].find((step) => step && !step.ok);
  if (reverted) return failed(revertReason(reverted.returnData));
  const [received, earned] = words(swap, 2) ?? [];
  const [arrived] = words(earnings, 1) ?? [];
  if (received === undefined || earned === undefined || arrived === undefined) return STRANGE;
  if (earned === 0n || arrived === 0n) return failed(sentence('earnsNothing'));
  return { kind: 'sold', tax: sellTaxOf({ amount, received, earned, arrived }) };
};

/** Reads the answer to `planTransfer` of `amount` tokens. */
export const readTransfer = (
  plan: SimulationPlan,
  answer: Answer | undefined,
  amount: bigint,
): WalletTransfer => {
  const calls = callsOf(plan, answer);
  if (!Array.isArray(calls)) return calls;
  const [buy, balance, transfer, received] = calls;
  const [held] = words(balance, 1) ?? [];
  if (!buy?.ok || held === undefined || held < amount) return MOVED;
  if (transfer && !transfer.ok) return failed(revertReason(transfer.returnData));
  const [arrived] = words(received, 1) ?? [];
  return arrived === undefined
    ? STRANGE
    : { kind: 'moved', tax: transferTaxOf({ amount, arrived }) };
};

/** What a plan of `planAccumulation` met: whether a purchase after the first, or the sale, fails. */
export const readAccumulation = (
  plan: SimulationPlan,
  answer: Answer | undefined,
): 'wallet' | 'sale' | undefined => {
  const calls = callsOf(plan, answer);
  if (!Array.isArray(calls)) return undefined;
  const purchases = calls.slice(0, -2);
  if (!purchases[0]?.ok) return undefined;
  if (purchases.some(({ ok }) => !ok)) return 'wallet';
  return calls.slice(-2).some(({ ok }) => !ok) ? 'sale' : undefined;
};
