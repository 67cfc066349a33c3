import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { safeText } from '../../../shared/rules/safeText.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type { WalletTransfer } from '../checks/checkInput.ts';
import { decodeText } from '../token/decodeAnswer.ts';
import { decodeWords, decodeWrappedError } from './evmCode.ts';
import type { SimulationPlan } from './simulateParams.ts';

/** Unit of taxes: a millionth is far below any relevant tax. */
const PARTS = 1_000_000n;

/** Share of an amount that did not arrive, 0 to 1. */
export const lostShare = (arrived: bigint, sent: bigint): number => {
  if (sent <= 0n || arrived >= sent) return 0;
  return Number(PARTS - (arrived * PARTS) / sent) / Number(PARTS);
};

/**
 * Share of a sale that did not arrive: tokens lost on their way into the pool, and base lost on its
 * way out (which an honest pool never loses).
 */
export const sellTaxOf = (sale: {
  amount: bigint;
  received: bigint;
  earned: bigint;
  arrived: bigint;
}): number => {
  const received = sale.received < sale.amount ? sale.received : sale.amount;
  const arrived = sale.arrived < sale.earned ? sale.arrived : sale.earned;
  return lostShare(received * arrived, sale.amount * sale.earned);
};

/** How one simulated call ended. */
export interface CallResult {
  readonly ok: boolean;
  /** Its result, or the data it reverted with. Chosen by a contract: any length, any bytes. */
  readonly returnData: string;
}

/** The fields of the answer to `eth_simulateV1` that are used; a node's own fields are dropped. */
const resultSchema = z.array(
  z.object({
    calls: z.array(z.object({ status: z.enum(['0x0', '0x1']), returnData: z.string() })),
  }),
);

/**
 * The results of the calls of all blocks, in order. Undefined unless the answer has exactly the requested blocks and
 * calls.
 */
const readSimulation = (
  result: unknown,
  callsPerBlock: readonly number[],
): CallResult[] | undefined => {
  const parsed = resultSchema.safeParse(result);
  if (!parsed.success) return undefined;
  // Nodes also return the empty blocks with which they fill gaps between numbers.
  const answered = parsed.data.filter(({ calls }) => calls.length > 0);
  const asked = callsPerBlock.filter((count) => count > 0);
  const isComplete =
    answered.length === asked.length && answered.every(({ calls }, i) => calls.length === asked[i]);
  if (!isComplete) return undefined;
  return answered.flatMap(({ calls }) =>
    calls.map(({ status, returnData }) => ({ ok: status === '0x1', returnData })),
  );
};

/** Longest data that is examined, characters: a reason is a sentence. */
const RETURN_DATA_CHARS_MAX = 8_192;
/** Longest reason that is shown, code points. */
const REASON_CODE_POINTS_MAX = 120;
const SELECTOR_CHARS = 10;
/** Selectors of `Error(string)` and `Panic(uint256)`, which Solidity reverts with. */
const ERROR_SELECTOR = '0x08c379a0';
const PANIC_SELECTOR = '0x4e487b71';

/** `WrappedError(address,bytes4,bytes,bytes)` of ERC-7751. */
const WRAPPED_SELECTOR = '0x90bfb865';
/** `HookCallFailed()` of Uniswap V4. */
const HOOK_CALL_FAILED = '0xa9e35b2f';

/** A revert forwarded by the Uniswap V4 manager: of a hook, or of a token. */
const wrappedReason = (body: Hex): Sentence | undefined => {
  const wrapped = decodeWrappedError(body);
  if (!wrapped) return undefined;
  const why = revertReason(wrapped.reason);
  return wrapped.details === HOOK_CALL_FAILED ? sentence('hookReverts', { why }) : why;
};

/**
 * The reason in the data of a revert. Only the data counts, because error texts differ between nodes. The reason
 * itself is chosen by the contract.
 */
export const revertReason = (returnData: string): Sentence => {
  if (returnData.length > RETURN_DATA_CHARS_MAX) return sentence('revertsOverlong');
  const selector = returnData.slice(0, SELECTOR_CHARS).toLowerCase();
  if (!/^0x[0-9a-f]{8}$/.test(selector)) return sentence('revertsSilently');
  const body: Hex = `0x${returnData.slice(SELECTOR_CHARS)}`;
  const wrapped = selector === WRAPPED_SELECTOR ? wrappedReason(body) : undefined;
  if (wrapped) return wrapped;
  if (selector === ERROR_SELECTOR) {
    const text = safeText(decodeText(body) ?? '', REASON_CODE_POINTS_MAX);
    return text === '' ? sentence('revertsUnreadably') : sentence('revertsWith', { text });
  }
  const [panic] = selector === PANIC_SELECTOR ? (decodeWords(body, 1) ?? []) : [];
  return panic !== undefined && panic <= 0xffn
    ? sentence('panics', { code: `0x${panic.toString(16)}` })
    : sentence('revertsCustom', { selector });
};

/** A node's answer to one call, as the RPC adapter returns it. */
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
  | {
      readonly kind: 'sold';
      readonly tax: number;
      /**
       * Share by which the pool pays less for the tokens than they cost: its own fee, and the token's effect on the
       * price before a sale.
       */
      readonly fall: number;
      /** Raw base that arrived. */
      readonly earned: bigint;
    }
  | { readonly kind: 'failed'; readonly reason: Sentence }
  | { readonly kind: 'unreadable'; readonly reason: Sentence };

/**
 * Base units below which an amount says nothing about a tax: the smallest step is 1 %, for indivisible tokens.
 */
export const AMOUNT_MIN = 100n;

const unreadable = (reason: Sentence) => ({ kind: 'unreadable', reason }) as const;
const failed = (reason: Sentence) => ({ kind: 'failed', reason }) as const;
const STRANGE = unreadable(sentence('answerUnreadable'));
const MOVED = unreadable(sentence('balanceMoved'));

/** A node's result; undefined if it refused, or did not answer. */
export const resultOf = (answer: Answer | undefined): unknown =>
  answer?.ok ? answer.result : undefined;

/** The results of the calls of a plan; undefined without such an answer. */
export const resultsOf = (
  { callsPerBlock }: SimulationPlan,
  answer: Answer | undefined,
): CallResult[] | undefined =>
  answer?.ok ? readSimulation(answer.result, callsPerBlock) : undefined;

const callsOf = (
  plan: SimulationPlan,
  answer: Answer | undefined,
): CallResult[] | ReturnType<typeof unreadable> =>
  answer?.ok === false
    ? unreadable(sentence('simulationRefused', { code: String(answer.code) }))
    : (resultsOf(plan, answer) ?? STRANGE);

/** The first words of a call's result; undefined if it reverted, or has fewer. */
export const words = (call: CallResult | undefined, count: number): bigint[] | undefined =>
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
  if (arrived === undefined) return unreadable(sentence('balanceNotReported'));
  if (arrived < AMOUNT_MIN) return failed(sentence('deliversNothing'));
  return { kind: 'bought', amount: arrived, tax: lostShare(arrived, bought) };
};

/**
 * Revert messages of Uniswap V2 pools and their forks in the case that, according to the token itself, less arrived
 * than others see.
 */
const POOL_MISSES = /: (?:INSUFFICIENT_INPUT_AMOUNT|K)$/;

/** Why a swap fails after the tokens were transferred. */
const swapReason = (returnData: string): Sentence => {
  const reason = revertReason(returnData);
  const text = reason.values?.['text'];
  const isMissed = typeof text === 'string' && POOL_MISSES.test(text);
  return isMissed ? sentence('earnsNothing') : reason;
};

/** Calls of a sale, without the approval with which a sale through a router begins. */
const SALE_CALLS = 4;

/** Reads the answer to `planSale` of `amount` tokens. */
export const readSale = (
  plan: SimulationPlan,
  answer: Answer | undefined,
  amount: bigint,
): Sale => {
  const calls = callsOf(plan, answer);
  if (!Array.isArray(calls)) return calls;
  const [buy, ...later] = calls;
  const [balance, handOver, swap, earnings] = later.slice(-SALE_CALLS);
  const [held] = words(balance, 1) ?? [];
  if (!buy?.ok || held === undefined || held < amount) return MOVED;
  // A router that may take the sold amount needs no larger approval.
  const isRouted = later.length > SALE_CALLS;
  const [received, earned] = words(swap, 2) ?? [];
  const isHandedOver = handOver?.ok !== false || (isRouted && earned !== undefined && earned > 0n);
  if (handOver && !isHandedOver) return failed(revertReason(handOver.returnData));
  if (swap?.ok === false) return failed(swapReason(swap.returnData));
  const [arrived] = words(earnings, 1) ?? [];
  if (received === undefined || earned === undefined || arrived === undefined) return STRANGE;
  if (earned === 0n || arrived === 0n) return failed(sentence('earnsNothing'));
  const tax = sellTaxOf({ amount, received, earned, arrived });
  const [spent = 0n, bought = 0n] = words(buy, 2) ?? [];
  const fall = lostShare(earned * bought, spent * received);
  return { kind: 'sold', tax, fall, earned: arrived };
};

/** Share of the purchase price that a sale of `planSaleThrough` did not return; undefined if there was none. */
export const lossThrough = (
  plan: SimulationPlan,
  answer: Answer | undefined,
): number | undefined => {
  const calls = resultsOf(plan, answer) ?? [];
  const [buy, earnings] = [calls[0], calls.at(-1)];
  const [spent] = words(buy, 2) ?? [];
  const [earned] = words(earnings, 1) ?? [];
  return spent && earned !== undefined ? lostShare(earned, spent) : undefined;
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
  return arrived === undefined ? STRANGE : { kind: 'moved', tax: lostShare(arrived, amount) };
};

/** Why the token refuses what the pool of `planPayout` sends; undefined if it does not, or gives no reason. */
export const readPayout = (
  plan: SimulationPlan,
  answer: Answer | undefined,
): Sentence | undefined => {
  const calls = callsOf(plan, answer);
  const [transfer] = Array.isArray(calls) ? calls : [];
  if (!transfer || transfer.ok) return undefined;
  const reason = revertReason(transfer.returnData);
  return reason.code === 'revertsSilently' ? undefined : reason;
};

/** Why a wallet is refused more tokens once it has received some, by the answer to `planGathering`. */
export const readGathering = (
  plan: SimulationPlan,
  answer: Answer | undefined,
): Sentence | undefined => {
  const calls = callsOf(plan, answer);
  const [first, ...more] = Array.isArray(calls) ? calls : [];
  const refused = first?.ok ? more.find(({ ok }) => !ok) : undefined;
  const reason = refused && revertReason(refused.returnData);
  return reason?.code === 'revertsSilently' ? undefined : reason;
};

/** What a plan of `planAccumulation` met: whether a later purchase, or the sale, fails. */
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
