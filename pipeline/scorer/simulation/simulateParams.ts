import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { PoolKind } from '../../../shared/chain/protocol.ts';
import { hookOf, type ManagedEntry, poolHolder } from '../pool/poolKind.ts';
import { encodeCall, encodeCallData, quantity, WORD_MAX } from './evmCode.ts';
import { NEUTRAL_HOOK_CODE, ROUTER_CODES } from './routerCodes.ts';

/** A token, the pool to trade it on, and the base token on the pool's other side. */
export interface Market {
  readonly kind: PoolKind;
  readonly pool: Hex;
  readonly token: Hex;
  readonly base: Hex;
  /** Of a pool in a manager. */
  readonly entry?: ManagedEntry | undefined;
  /** Of a Virtuals curve: a contract that holds much of the base token. */
  readonly lender?: Hex | undefined;
}

/**
 * Where a pool can be traded: against the wrapped native token, in which simulations also pay and are paid if the
 * pool's other side is the native currency. Undefined for any other base, except for Virtuals curves, where the
 * trader's payment is lent.
 */
export const marketOf = (
  token: Hex,
  { baseToken, ...place }: Omit<Market, 'token' | 'base'> & { readonly baseToken: Hex },
  weth: Hex,
): Market | undefined =>
  place.kind === 'bonding'
    ? { ...place, token, base: baseToken }
    : baseToken.toLowerCase() === weth || (place.entry && baseToken === ZERO_ADDRESS)
      ? { ...place, token, base: weth }
      : undefined;

/**
 * First four bytes of keccak-256 of the signatures; a market is a tuple of three addresses, for a managed pool the
 * seven values of SimulatedV4Router.sol.
 */
const ROUTER_SELECTORS = {
  pool: { buy: '0x9f42eb36', sell: '0x6325ba81', settle: '0xd15849c9' },
  entry: { buy: '0xae537d1d', sell: '0xc070910f', settle: '0xc2ffe98d' },
} as const;

const encodeRouterCall = (
  name: keyof (typeof ROUTER_SELECTORS)['pool'],
  { pool, token, base, entry }: Market,
  ...values: readonly bigint[]
): Hex => {
  if (!entry) return encodeCall(ROUTER_SELECTORS.pool[name], pool, token, base, ...values);
  const { manager, isNative, fee, tickSpacing, hooks } = entry;
  const terms = [BigInt(isNative), BigInt(fee), BigInt(tickSpacing), hooks] as const;
  return encodeCall(ROUTER_SELECTORS.entry[name], manager, token, base, ...terms, ...values);
};

/**
 * Buys for a share of the base reserve, paid from the call's value; the tokens go to the caller. Returns (base spent,
 * tokens the pool pays out); the latter is zero if the pool is too small.
 */
export const encodeBuy = (market: Market, hundredThousandths: bigint): Hex =>
  encodeRouterCall('buy', market, hundredThousandths);

/**
 * Takes approved tokens of the caller into the pool, then settles. Returns the same as {@link encodeSettle}.
 */
export const encodeSell = (market: Market, amount: bigint): Hex =>
  encodeRouterCall('sell', market, amount);

/**
 * Swaps what the pool holds above its reserve; the base token goes to the caller. Returns (tokens the pool received,
 * base it pays out); the latter is zero if that would be nothing.
 */
export const encodeSettle = (market: Market): Hex => encodeRouterCall('settle', market);

/** `buy(address,address,uint256,uint256,bytes)` of SimulatedCrowd.sol. */
const CROWD_BUYS = '0xd3326ff6';

/**
 * Makes a crowd buy through a router: each purchase for a share of the base reserve and paid with `value` wei, its tokens handed on to two new wallets.
 * @param times purchases
 */
export const encodeCrowd = (
  market: Market,
  router: Hex,
  {
    hundredThousandths,
    value,
    times,
  }: { hundredThousandths: bigint; value: bigint; times: number },
): Hex => {
  const purchase = encodeBuy(market, hundredThousandths);
  const types = ['address', 'address', 'uint256', 'uint256', 'bytes'];
  const values = [router, market.token, value, BigInt(times), purchase];
  return encodeCallData(CROWD_BUYS, types, values) ?? CROWD_BUYS;
};

/** The block on which simulations are based. */
export interface Head {
  readonly number: number;
  /** Unix seconds. */
  readonly timestampS: number;
}

/** One trade to simulate: where, on what state, and with which unused addresses. */
export interface Trade {
  readonly market: Market;
  readonly head: Head;
  /** An ordinary account with ether, and nothing else. */
  readonly trader: Hex;
  /** Address at which the simulated router's code is placed. */
  readonly router: Hex;
  /** Another ordinary account, to send tokens to. */
  readonly friend: Hex;
  /** Whether the pool's hook is replaced by one that takes and refuses nothing. */
  readonly withoutHook?: boolean;
  /** Contracts that the token names, each of which may be the only router it admits. */
  readonly named?: readonly Hex[];
}

/** Parameters of `eth_simulateV1`. */
export type SimulationParams = readonly unknown[];

/** What to simulate, and how many calls per block its answer must contain. */
export interface SimulationPlan {
  readonly params: SimulationParams;
  readonly callsPerBlock: readonly number[];
}

/**
 * How the trader sells: by sending tokens to the pool (or, if only a callback may pay, to the router), or by letting
 * a router take them.
 */
export type SellWay = 'transfer' | 'router';

/** Seconds from one block to the next, as on Ethereum. */
export const BLOCK_SECONDS = 12;
/** Gas limit of a trade: a swap costs 0.15 million; a token that sells its taxes on the way, 1 million. */
const TRADE_GAS = 3_000_000n;
/** Gas limit of reading a balance: a few thousand, more if a token computes it. */
export const READ_GAS = 300_000n;
/** More than a share of any reserve costs, since reserves are below 2^112; enough for several. Wei. */
const PURSE_WEI = 2n ** 116n;
const PAYMENT_WEI = 2n ** 111n;

/** First four bytes of keccak-256 of the signature. EIP-20. */
export const SELECTOR = {
  balanceOf: '0x70a08231',
  transfer: '0xa9059cbb',
  transferFrom: '0x23b872dd',
  approve: '0x095ea7b3',
  allowance: '0xdd62ed3e',
} as const;

/** One call of a simulation. @param value wei */
export const call = (from: Hex, to: Hex, input: Hex, gas = TRADE_GAS, value = 0n) => ({
  from,
  to,
  input,
  gas: quantity(gas),
  value: quantity(value),
});
export type Call = ReturnType<typeof call>;

/** Reads an account's token balance. */
export const balanceOf = (from: Hex, token: Hex, holder: Hex): Call =>
  call(from, token, encodeCall(SELECTOR.balanceOf, holder), READ_GAS);

/** How many of a holder's tokens another account may take. */
export const allowanceOf = (
  from: Hex,
  token: Hex,
  { holder, spender }: { readonly holder: Hex; readonly spender: Hex },
): Call => call(from, token, encodeCall(SELECTOR.allowance, holder, spender), READ_GAS);

/** Approves a spender for an amount, then for everything, which some tokens refuse. */
export const approvalsOf = (
  holder: Hex,
  token: Hex,
  { spender, amount }: { readonly spender: Hex; readonly amount: bigint },
  gas = TRADE_GAS,
): readonly [exact: Call, whole: Call] => {
  const approve = (value: bigint): Call =>
    call(holder, token, encodeCall(SELECTOR.approve, spender, value), gas);
  return [approve(amount), approve(WORD_MAX)];
};

/** Block fields visible to a contract, besides number and time. */
export interface BlockEnvironment {
  /** Base fee, wei per unit of gas. */
  readonly baseFeeWei: bigint;
  /** The block's producer. */
  readonly miner: Hex;
  /** Its random number, 32 bytes. */
  readonly random: Hex;
}

/** A block of a simulation. Number and time are always given because nodes differ in their defaults. */
interface PlannedBlock {
  /** Seconds after the block it builds on. */
  readonly afterS: number;
  readonly stateOverrides?: object | undefined;
  /**
   * Conditions of real transactions, whose senders pay for gas. If absent, the node's defaults apply: no base fee,
   * often no producer and no random number.
   */
  readonly environment?: BlockEnvironment | undefined;
  readonly calls: readonly object[];
}

/** Maximum blocks that pass: nodes fill them in, and Geth refuses more than 256. */
const BLOCKS_PASSED_MAX = 200;

/**
 * Numbers of the blocks: as many pass as the elapsed time implies, because contracts count either; fewer in total if
 * these are too many.
 */
const numbersOf = (head: Head, blocks: readonly PlannedBlock[]): number[] => {
  const longestS = Math.max(...blocks.map(({ afterS }) => afterS));
  const inAll = Math.min(longestS / BLOCK_SECONDS, BLOCKS_PASSED_MAX);
  return blocks.reduce<number[]>((numbers, { afterS }, i) => {
    const next = (numbers[i - 1] ?? head.number) + 1;
    return [...numbers, Math.max(next, head.number + Math.floor((afterS * inAll) / longestS))];
  }, []);
};

const environmentOverrides = ({ baseFeeWei, miner, random }: BlockEnvironment) => ({
  baseFeePerGas: quantity(baseFeeWei),
  feeRecipient: miner,
  prevRandao: random,
});

/**
 * Blocks of calls, one after another, on top of a block of the chain. Calls in blocks with an environment are
 * validated like transactions; otherwise some nodes (anvil 1.7) hide the base fee from contracts.
 */
export const simulationOf = (head: Head, blocks: readonly PlannedBlock[]): SimulationPlan => {
  const numbers = numbersOf(head, blocks);
  return {
    params: [
      {
        blockStateCalls: blocks.map(({ afterS, stateOverrides, environment, calls }, i) => ({
          blockOverrides: {
            number: quantity(numbers[i] ?? head.number + 1 + i),
            time: quantity(head.timestampS + afterS),
            ...(environment && environmentOverrides(environment)),
          },
          ...(stateOverrides && { stateOverrides }),
          calls,
        })),
        validation: blocks.some(({ environment }) => environment),
      },
      quantity(head.number),
    ],
    callsPerBlock: blocks.map(({ calls }) => calls.length),
  };
};

/** Destination of tokens that `settle` then sells. */
const settledAt = (market: Market, router: Hex): Hex =>
  market.kind === 'concentrated' || market.kind === 'managed' ? router : market.pool;

/** Sells tokens by transferring them: two calls. */
const saleByTransfer = (
  { market, trader, router }: Pick<Trade, 'market' | 'trader' | 'router'>,
  amount: bigint,
): Call[] => [
  call(trader, market.token, encodeCall(SELECTOR.transfer, settledAt(market, router), amount)),
  call(trader, router, encodeSettle(market)),
];

/**
 * Sells tokens in the way of routers, by an allowance that the seller gives itself: three calls. A token may allow
 * transfers by holders, but refuse transfers by others on their behalf.
 */
export const saleByAllowance = (
  { market, trader, router }: Pick<Trade, 'market' | 'trader' | 'router'>,
  amount: bigint,
): Call[] => [
  call(trader, market.token, encodeCall(SELECTOR.approve, trader, amount)),
  call(
    trader,
    market.token,
    encodeCall(SELECTOR.transferFrom, trader, settledAt(market, router), amount),
  ),
  call(trader, router, encodeSettle(market)),
];

/** The code of the router for a market; on a curve the trader calls the manager itself. */
export const routerOverride = (market: Market, router: Hex) => ({
  ...(market.kind !== 'curve' &&
    market.kind !== 'bonding' && { [router]: { code: ROUTER_CODES[market.kind] } }),
});

const balanceCall = ({ trader }: Trade, asset: Hex, holder = trader) =>
  balanceOf(trader, asset, holder);

const buyCall = ({ market, trader, router }: Trade, size: bigint) =>
  call(trader, router, encodeBuy(market, size), TRADE_GAS, PAYMENT_WEI);

/** Calls in one block, and in the next one, `delayS` seconds later. */
const plan = (
  { market, head, trader, router, withoutHook }: Trade,
  calls: readonly object[],
  later: { readonly delayS: number; readonly calls: readonly object[] },
): SimulationPlan => {
  const hook = withoutHook ? hookOf(market.entry) : undefined;
  const stateOverrides = {
    [trader]: { balance: quantity(PURSE_WEI) },
    ...routerOverride(market, router),
    ...(hook && { [hook]: { code: NEUTRAL_HOOK_CODE } }),
  };
  return simulationOf(head, [
    { afterS: BLOCK_SECONDS, stateOverrides, calls },
    { afterS: BLOCK_SECONDS + later.delayS, calls: later.calls },
  ]);
};

/** A purchase; one block later, the trader's balance. Size in 1/100,000 of the base reserve. */
export const planPurchase = (trade: Trade, size: bigint): SimulationPlan =>
  plan(trade, [buyCall(trade, size)], {
    delayS: BLOCK_SECONDS,
    calls: [balanceCall(trade, trade.market.token)],
  });

/**
 * The same purchase, then after `delayS` seconds a sale of `amount`. Four calls return the token balance, a transfer
 * or an unlimited approval (as wallets give it), the swap, and the base tokens earned. Before them a router is
 * approved for the sold amount, because some tokens refuse approvals above a wallet's balance.
 */
export const planSale = (
  trade: Trade,
  sale: { way: SellWay; size: bigint; amount: bigint; delayS: number },
): SimulationPlan => {
  const { market, trader, router } = trade;
  const { way, size, amount, delayS } = sale;
  const isRouted = way === 'router';
  const [exact, whole] = approvalsOf(trader, market.token, { spender: router, amount });
  const steps = isRouted
    ? [whole, call(trader, router, encodeSell(market, amount))]
    : saleByTransfer(trade, amount);
  const calls = [
    ...(isRouted ? [exact] : []),
    balanceCall(trade, market.token),
    ...steps,
    balanceCall(trade, market.base),
  ];
  return plan(trade, [buyCall(trade, size)], { delayS, calls });
};

/** `swapExactTokensForTokensSupportingFeeOnTransferTokens`, as in routers of Uniswap V2 and its forks. */
const SWAP = '0x5c11d795';
const FAR_FUTURE_S = 2n ** 40n;

/**
 * Sells approved tokens of the caller through a Uniswap V2 router: at any price, along a path of two tokens.
 */
export const encodeSwap = (
  { token, base }: Pick<Market, 'token' | 'base'>,
  { amount, to }: { readonly amount: bigint; readonly to: Hex },
): Hex => encodeCall(SWAP, amount, 0n, 160n, to, FAR_FUTURE_S, 2n, token, base);

/**
 * The same purchase, then after `delayS` seconds a sale through an existing contract of the chain: an approval, the
 * swap, and the base tokens earned.
 */
export const planSaleThrough = (
  trade: Trade,
  sale: { spender: Hex; size: bigint; amount: bigint; delayS: number },
): SimulationPlan => {
  const { market, trader } = trade;
  const { spender, size, amount, delayS } = sale;
  const calls = [
    ...approvalsOf(trader, market.token, { spender, amount }),
    call(trader, spender, encodeSwap(market, { amount, to: trader })),
    balanceCall(trade, market.base),
  ];
  return plan(trade, [buyCall(trade, size)], { delayS, calls });
};

/** The same purchase, then after `delayS` seconds: token balance, a transfer of `amount`, what arrived. */
export const planTransfer = (
  trade: Trade,
  { size, amount, delayS }: { size: bigint; amount: bigint; delayS: number },
): SimulationPlan => {
  const { market, trader, friend } = trade;
  const calls = [
    balanceCall(trade, market.token),
    call(trader, market.token, encodeCall(SELECTOR.transfer, friend, amount)),
    balanceCall(trade, market.token, friend),
  ];
  return plan(trade, [buyCall(trade, size)], { delayS, calls });
};

/** Base units that the pool pays out to test the token's reaction. */
const PAID_OUT = 1_000n;

/** Only the last step of a purchase: the pool sends the trader a few tokens. */
export const planPayout = (trade: Trade): SimulationPlan => {
  const { market, trader } = trade;
  const data = encodeCall(SELECTOR.transfer, trader, PAID_OUT);
  return plan(trade, [], {
    delayS: BLOCK_SECONDS,
    calls: [call(poolHolder(market), market.token, data)],
  });
};

/** Blocks between two payments: tokens may make senders, or recipients, wait for a few. */
const GATHERING_BLOCKS = 8;

/**
 * The pool sends a wallet `amount` repeatedly: once in each of some blocks, and the rest in the last.
 * @param timesPerBlock number of transfers in each block
 */
export const planGathering = (
  trade: Trade,
  amount: bigint,
  timesPerBlock: readonly number[],
): SimulationPlan => {
  const { market, head, friend } = trade;
  const data = encodeCall(SELECTOR.transfer, friend, amount);
  const payout = call(poolHolder(market), market.token, data);
  return simulationOf(
    head,
    timesPerBlock.map((times, i) => ({
      afterS: (1 + i * GATHERING_BLOCKS) * BLOCK_SECONDS,
      calls: Array.from({ length: times }, () => payout),
    })),
  );
};

/** Several purchases in one block, then after `delayS` seconds a sale of `amount` by a transfer. */
export const planAccumulation = (
  trade: Trade,
  parts: { size: bigint; purchases: number; amount: bigint; delayS: number },
): SimulationPlan => {
  const { size, purchases, amount, delayS } = parts;
  const buys = Array.from({ length: purchases }, () => buyCall(trade, size));
  return plan(trade, buys, { delayS, calls: saleByTransfer(trade, amount) });
};
