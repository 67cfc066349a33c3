import type { Hex } from '../../../shared/chain/block.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { decodeWords, encodeCall } from './abiWords.ts';
import { selectorOf } from './evmCode.ts';
import {
  type Answer,
  type CallResult,
  lostShare,
  readSimulation,
  revertReason,
} from './readOutcomes.ts';
import { BLOCK_SECONDS, type SimulationPlan, type Trade } from './simulateParams.ts';
import type { TradeSteps } from './tradeSteps.ts';

// A purchase and a sale on a bonding curve of four.meme, through its manager and by a plain account, as its interface has it
// (`TokenManager2`): tokens move to and from the manager alone until the curve has graduated, so no router can trade for anybody.

const SELECTOR = {
  balanceOf: '0x70a08231',
  approve: '0x095ea7b3',
  buy: selectorOf('buyTokenAMAP(address,uint256,uint256)'),
  sell: selectorOf('sellToken(address,uint256)'),
} as const;
/** Answers the native currency of the address it is asked for: PUSH 0, CALLDATALOAD, BALANCE, as a word. */
const BALANCE_CODE: Hex = '0x6000353160005260206000f3';
/** What is paid, wei: a hundredth of a coin, and less where the curve has no more to give. */
const PAYMENTS_WEI = [10n ** 16n, 10n ** 14n] as const;
const PURSE_WEI = 10n ** 24n;
const TRADE_GAS = 3_000_000n;
const READ_GAS = 300_000n;
/** Raw units below which an amount says nothing about a tax. */
const AMOUNT_MIN = 1_000n;

const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`;
const call = (from: Hex, to: Hex, input: Hex, gas = TRADE_GAS, value = 0n) => ({
  from,
  to,
  input,
  gas: quantity(gas),
  value: quantity(value),
});

/** The calls of two blocks: a purchase between two looks at what the manager holds, then `later`. */
const planOf = (
  { market, head, trader, router }: Trade,
  manager: Hex,
  payment: bigint,
  later: readonly object[],
): SimulationPlan => {
  const held = call(trader, market.token, encodeCall(SELECTOR.balanceOf, manager), READ_GAS);
  const data = encodeCall(SELECTOR.buy, market.token, payment, 0n);
  const first = [held, call(trader, manager, data, TRADE_GAS, payment), held];
  const at = (blocks: number) => ({
    number: quantity(head.number + blocks),
    time: quantity(head.timestampS + blocks * BLOCK_SECONDS),
  });
  const stateOverrides = {
    [trader]: { balance: quantity(PURSE_WEI) },
    [router]: { code: BALANCE_CODE },
  };
  const blockStateCalls = [
    { blockOverrides: at(1), stateOverrides, calls: first },
    { blockOverrides: at(2), calls: later },
  ];
  return {
    params: [{ blockStateCalls, validation: false }, quantity(head.number)],
    callsPerBlock: [first.length, later.length],
  };
};

const wordOf = (result: CallResult | undefined): bigint | undefined =>
  result?.ok ? decodeWords(result.returnData, 1)?.[0] : undefined;

const resultsOf = (plan: SimulationPlan, answer: Answer | undefined): CallResult[] | undefined =>
  answer?.ok ? readSimulation(answer.result, plan.callsPerBlock) : undefined;

const UNREADABLE = { kind: 'unknown', reason: sentence('answerUnreadable') } as const;

/** What a purchase showed: tokens that left the manager, and that arrived. */
const readPurchase = (calls: readonly CallResult[]) => {
  const [before, buy, after, held] = calls;
  if (buy && !buy.ok) return { kind: 'failed', reason: revertReason(buy.returnData) } as const;
  const [had, has, arrived] = [wordOf(before), wordOf(after), wordOf(held)];
  if (had === undefined || has === undefined || arrived === undefined) return undefined;
  return { kind: 'bought', bought: had - has, arrived } as const;
};

/** Buys, waits a block, sells all of it. */
export function* curveSteps(trade: Trade, manager: Hex): TradeSteps {
  const { market, trader, router, head } = trade;
  const balance = call(trader, market.token, encodeCall(SELECTOR.balanceOf, trader), READ_GAS);
  const buys = PAYMENTS_WEI.map((payment) => planOf(trade, manager, payment, [balance]));
  const answers = yield buys;
  const tries = buys.map((plan, i) => {
    const calls = resultsOf(plan, answers[i]);
    return calls && readPurchase(calls);
  });
  const at = tries.findIndex((one) => one?.kind === 'bought');
  const [bought, payment] = [tries[at], PAYMENTS_WEI[at]];
  if (bought?.kind !== 'bought' || payment === undefined) {
    const [first] = tries;
    // No log tells whether a curve is priced in another token than the native one, which is what was offered.
    return first?.kind === 'failed'
      ? { kind: 'unknown', reason: sentence('curveBuyFails', { why: first.reason }) }
      : UNREADABLE;
  }
  const { arrived: amount } = bought;
  const blockNumber = head.number;
  if (amount < AMOUNT_MIN) {
    const shownBy = buys[at]?.params ?? [];
    return { kind: 'buyFails', blockNumber, reason: sentence('deliversNothing'), shownBy };
  }
  const purse = call(trader, router, encodeCall('0x', trader), READ_GAS);
  const atManager = call(trader, market.token, encodeCall(SELECTOR.balanceOf, manager), READ_GAS);
  const plan = planOf(trade, manager, payment, [
    atManager,
    purse,
    call(trader, market.token, encodeCall(SELECTOR.approve, manager, amount)),
    call(trader, manager, encodeCall(SELECTOR.sell, market.token, amount)),
    purse,
    atManager,
  ]);
  const [answer] = yield [plan];
  const calls = resultsOf(plan, answer)?.slice(3);
  if (!calls) return UNREADABLE;
  const [had, paidBefore, approval, sale, paidAfter, has] = calls;
  const failed = (reason: ReturnType<typeof revertReason>) =>
    ({ kind: 'sellFails', blockNumber, reason, limits: [], shownBy: plan.params }) as const;
  const reverted = [approval, sale].find((step) => step && !step.ok);
  if (reverted) return failed(revertReason(reverted.returnData));
  const [a, b, c, d] = [had, paidBefore, paidAfter, has].map(wordOf);
  if (a === undefined || b === undefined || c === undefined || d === undefined) return UNREADABLE;
  if (c <= b) return failed(sentence('earnsNothing'));
  return {
    kind: 'traded',
    blockNumber,
    buyTax: lostShare(amount, bought.bought),
    sellTax: lostShare(d - a, amount),
    sellableAfterS: BLOCK_SECONDS,
    transfer: { kind: 'unreadable', reason: sentence('noTransfer') },
    limits: [],
    shownBy: { sale: plan.params, transfer: plan.params, limits: [] },
  };
}
