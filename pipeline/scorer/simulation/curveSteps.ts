import type { Hex } from '../../../shared/chain/block.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { encodeCall, quantity, selectorOf, WORD_MAX } from './evmCode.ts';
import {
  type Answer,
  type CallResult,
  lostShare,
  resultsOf,
  revertReason,
  words,
} from './readOutcomes.ts';
import {
  BLOCK_SECONDS,
  balanceOf,
  type Call,
  call,
  SELECTOR as ERC20,
  READ_GAS,
  type SimulationPlan,
  simulationOf,
  type Trade,
} from './simulateParams.ts';
import type { TradeSteps } from './tradeSteps.ts';

// A purchase and a sale on a bonding curve, by an ordinary account and through the contract that created the curve:
// four.meme tokens move only to and from that contract until the curve has graduated, and a Virtuals pair trades with
// nothing else.

const SELECTOR = {
  ...ERC20,
  /** The manager of four.meme, `TokenManager2`. */
  buyForNative: selectorOf('buyTokenAMAP(address,uint256,uint256)'),
  sellForNative: selectorOf('sellToken(address,uint256)'),
  /** The Virtuals contract, `Bonding`, and the pair, which names the router that takes the payment. */
  buy: selectorOf('buy(uint256,address,uint256,uint256)'),
  sell: selectorOf('sell(uint256,address,uint256,uint256)'),
  router: selectorOf('router()'),
  reserves: selectorOf('getReserves()'),
} as const;
/** Returns the native balance of the address in its argument: PUSH 0, CALLDATALOAD, BALANCE, as a word. */
const BALANCE_CODE: Hex = '0x6000353160005260206000f3';
/** Payments to try, wei: a hundredth of a coin, and less if the curve has too little left. */
const PAYMENTS_WEI = [10n ** 16n, 10n ** 14n] as const;
/** Payments to try, as fractions of what a Virtuals curve would pay for all tokens. */
const RESERVE_PARTS = [1_000n, 1_000_000n] as const;
const PURSE_WEI = 10n ** 24n;
/** Raw units below which an amount says nothing about a tax. */
const AMOUNT_MIN = 1_000n;

/** How a trader trades on a curve. */
interface Deal {
  /** The holder of the tokens that the curve offers. */
  readonly holder: Hex;
  /** Amounts to pay; the first that the curve accepts counts. */
  readonly payments: readonly bigint[];
  /** Calls before the purchase. */
  prepare(payment: bigint): readonly Call[];
  buy(payment: bigint): Call;
  /** The recipient of sold tokens. */
  readonly spender: Hex;
  sell(amount: bigint): Call;
  /** The trader's balance of the quote token. */
  readonly purse: Call;
}

/** A four.meme curve, assumed to be priced in native currency. */
const nativeDeal = ({ market: { token }, trader, router }: Trade, manager: Hex): Deal => ({
  holder: manager,
  payments: PAYMENTS_WEI,
  prepare: () => [],
  buy: (payment) => {
    const data = encodeCall(SELECTOR.buyForNative, token, payment, 0n);
    return call(trader, manager, data, undefined, payment);
  },
  spender: manager,
  sell: (amount) => call(trader, manager, encodeCall(SELECTOR.sellForNative, token, amount)),
  purse: call(trader, router, encodeCall('0x', trader), READ_GAS),
});

/**
 * The quote token of a Virtuals curve cannot be created in a simulation: a large holder lends it to the trader, or
 * the curve itself.
 */
const lenderOf = ({ market }: Trade): Hex => market.lender ?? market.pool;

const pairDeal = (
  trade: Trade,
  maker: Hex,
  asked: { readonly router: Hex; readonly reserve: bigint; readonly lent: bigint },
): Deal => {
  const { market, trader } = trade;
  const { pool, token, base } = market;
  const { router, reserve, lent } = asked;
  return {
    holder: pool,
    payments: RESERVE_PARTS.map((part) => reserve / part).filter(
      (payment) => payment > 0n && payment <= lent,
    ),
    prepare: (payment) => [
      call(lenderOf(trade), base, encodeCall(SELECTOR.transfer, trader, payment)),
      call(trader, base, encodeCall(SELECTOR.approve, router, payment)),
    ],
    buy: (payment) => call(trader, maker, encodeCall(SELECTOR.buy, payment, token, 0n, WORD_MAX)),
    spender: router,
    sell: (amount) => call(trader, maker, encodeCall(SELECTOR.sell, amount, token, 0n, WORD_MAX)),
    purse: balanceOf(trader, base, trader),
  };
};

const planOf = (
  { head, trader, router }: Pick<Trade, 'head' | 'trader' | 'router'>,
  first: readonly Call[],
  later: readonly Call[],
): SimulationPlan => {
  const stateOverrides = {
    [trader]: { balance: quantity(PURSE_WEI) },
    [router]: { code: BALANCE_CODE },
  };
  return simulationOf(head, [
    { afterS: BLOCK_SECONDS, stateOverrides, calls: first },
    { afterS: 2 * BLOCK_SECONDS, calls: later },
  ]);
};

/** A purchase between two reads of the curve's holdings, a block before `later`. */
const planPurchase = (
  trade: Trade,
  deal: Deal,
  payment: bigint,
  later: readonly Call[],
): SimulationPlan => {
  const held = balanceOf(trade.trader, trade.market.token, deal.holder);
  return planOf(trade, [held, ...deal.prepare(payment), deal.buy(payment), held], later);
};

/** The words of a result, at most two. */
const wordsOf = (result: CallResult | undefined): bigint[] | undefined =>
  words(result, 2) ?? words(result, 1);
const wordOf = (result: CallResult | undefined): bigint | undefined => words(result, 1)?.[0];

const UNREADABLE = { kind: 'unknown', reason: sentence('answerUnreadable') } as const;

/** Result of a purchase: tokens that left the curve, and that arrived. */
const readPurchase = (calls: readonly CallResult[]) => {
  const [before] = calls;
  const [buy, after, held] = calls.slice(-3);
  if (buy && !buy.ok) return { kind: 'failed', reason: revertReason(buy.returnData) } as const;
  const [had, has, arrived] = [wordOf(before), wordOf(after), wordOf(held)];
  if (had === undefined || has === undefined || arrived === undefined) return undefined;
  return { kind: 'bought', bought: had - has, arrived } as const;
};

/** Asks a Virtuals pair for its router and the price of all its tokens, and how much can be lent. */
function* findDeal(trade: Trade, maker: Hex) {
  const { market, trader } = trade;
  const asked = [
    call(trader, market.pool, SELECTOR.router, READ_GAS),
    call(trader, market.pool, SELECTOR.reserves, READ_GAS),
    balanceOf(trader, market.base, lenderOf(trade)),
  ];
  const plan = planOf(trade, asked, []);
  const [answer]: readonly (Answer | undefined)[] = yield [plan];
  const [router, reserves, lent] = (resultsOf(plan, answer) ?? []).map(wordsOf);
  const reserve = reserves?.[1];
  if (!router?.[0] || reserve === undefined || lent?.[0] === undefined) return undefined;
  const address: Hex = `0x${router[0].toString(16).padStart(40, '0').slice(-40)}`;
  return pairDeal(trade, maker, { router: address, reserve, lent: lent[0] });
}

/** Trades on a curve; undefined if the market is none. */
export const curveSteps = (trade: Trade): TradeSteps | undefined => {
  const { kind, entry } = trade.market;
  if (!entry || (kind !== 'curve' && kind !== 'bonding')) return undefined;
  return steps(trade, kind, entry.manager);
};

/** Buys, waits a block, sells everything. */
function* steps(trade: Trade, kind: 'curve' | 'bonding', manager: Hex): TradeSteps {
  const deal = kind === 'curve' ? nativeDeal(trade, manager) : yield* findDeal(trade, manager);
  if (!deal) return UNREADABLE;
  const { market, trader, head } = trade;
  const { payments, spender, purse } = deal;
  if (payments.length === 0) return { kind: 'unknown', reason: sentence('curveEmpty') };
  const balance = balanceOf(trader, market.token, trader);
  const buys = payments.map((payment) => planPurchase(trade, deal, payment, [balance]));
  const answers = yield buys;
  const tries = buys.map((plan, i) => {
    const calls = resultsOf(plan, answers[i]);
    return calls && readPurchase(calls);
  });
  const at = tries.findIndex((one) => one?.kind === 'bought');
  const [bought, payment] = [tries[at], payments[at]];
  if (bought?.kind !== 'bought' || payment === undefined) {
    const [first] = tries;
    if (first?.kind !== 'failed') return UNREADABLE;
    // No log shows whether a four.meme curve is priced in a token other than the native one, which was offered.
    const why = { why: first.reason };
    const reason =
      kind === 'curve' ? sentence('curveBuyFails', why) : sentence('curveRefuses', why);
    return { kind: 'unknown', reason };
  }
  const { arrived: amount } = bought;
  const blockNumber = head.number;
  if (amount < AMOUNT_MIN) {
    const shownBy = buys[at]?.params ?? [];
    return { kind: 'buyFails', blockNumber, reason: sentence('deliversNothing'), shownBy };
  }
  const held = balanceOf(trader, market.token, deal.holder);
  const later = [
    held,
    purse,
    call(trader, market.token, encodeCall(SELECTOR.approve, spender, amount)),
    deal.sell(amount),
    purse,
    held,
  ];
  const plan = planPurchase(trade, deal, payment, later);
  const [answer] = yield [plan];
  const calls = resultsOf(plan, answer)?.slice(-later.length);
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
