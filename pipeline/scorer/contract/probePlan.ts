import type { Hex } from '../../../shared/chain/block.ts';
import type { ClockedContract } from '../simulation/callSequence.ts';
import { quantity } from '../simulation/evmCode.ts';
import { CROWD_CODE } from '../simulation/routerCodes.ts';
import {
  allowanceOf,
  BLOCK_SECONDS,
  balanceOf,
  call,
  encodeBuy,
  encodeCrowd,
  type Head,
  type Market,
  routerOverride,
  type SimulationPlan,
  saleByAllowance,
  simulationOf,
} from '../simulation/simulateParams.ts';

import type { PatchedCode } from './secrets.ts';

/** What a probe trades, on which block, and with whom. Market is undefined if there is none. */
export interface ProbeStage {
  readonly token: Hex;
  readonly market: Market | undefined;
  readonly head: Head;
  readonly trader: Hex;
  readonly router: Hex;
  /** Size of the purchase in 1/100,000 of the base reserve. */
  readonly size: bigint;
  /** Tokens received in the purchase; 0 while unknown. */
  readonly amount: bigint;
  /** The token or the pool's hook, if it reads the block number: with the code that advances it. */
  readonly laterClock?: ClockedContract | undefined;
  /** Another ordinary account that trades. */
  readonly stranger?: Hex;
}

/**
 * What happens between a purchase and its sale: the price falls, somebody else buys, many others do, or there is code
 * where the token looks for a contract.
 */
export type Hindrance =
  | { readonly kind: 'fall' | 'purchase' | 'crowd' }
  | { readonly kind: 'code'; readonly address: Hex };

/** A privileged call, and what is read before and after it: balances, and the buyer's allowances. */
export interface PrivilegedCall {
  /** The called contract: the token, or its pool's hook. */
  readonly target: Hex;
  readonly caller: Hex;
  readonly data: Hex;
  /** Calls of the same caller, made a day earlier. */
  readonly prepared?: readonly Hex[] | undefined;
  /** Calls in place of the single one, for example repetitions. */
  readonly acts?: readonly Hex[] | undefined;
  readonly watched: readonly Hex[];
  readonly spenders: readonly Hex[];
  /** Code that replaces a contract's own. */
  readonly patched?: PatchedCode | undefined;
}

/**
 * Seconds after which a sale that works now must still work: a day and some hours, because sales may be open only at
 * certain times of a day or an hour.
 */
export const LATER_S = 99_996;
/** Four weeks plus the same hours, after which it must still work: buyers stay for longer than a day. */
export const WEEKS_LATER_S = 2_432_796;
const PURSE_WEI = 2n ** 112n;
const PAYMENT_WEI = 2n ** 111n;
/**
 * Payment for each purchase by another account: within one call it comes from the trader, who needs enough left.
 */
const STRANGER_PAYMENT_WEI = 2n ** 107n;

const balance = ({ trader, token }: ProbeStage, holder: Hex) => balanceOf(trader, token, holder);

/** The block number, which a contract sees as its balance. */
const clockAt = (clock: ClockedContract | undefined, blockNumber: number) => {
  if (!clock) return {};
  const { shownBy, runs, code } = clock;
  const balance = quantity(blockNumber);
  return shownBy === runs
    ? { [runs]: { code, balance } }
    : { [runs]: { code }, [shownBy]: { balance } };
};

/** Calls of one block; `afterS`: seconds after the first one. */
interface TimedCalls {
  readonly afterS: number;
  readonly calls: readonly object[];
  /** State overrides before them; for the first block only what all simulations need. */
  readonly stateOverrides?: object;
}

/** Accounts besides the trader and the router: another trader, and code that replaces a contract's own. */
interface Beside {
  readonly stranger?: Hex | undefined;
  readonly patched?: PatchedCode | undefined;
}

const planAt = (
  { market, head, trader, router }: ProbeStage,
  blocks: readonly TimedCalls[],
  { stranger, patched }: Beside,
): SimulationPlan => {
  const purse = { balance: quantity(PURSE_WEI) };
  const first = {
    [trader]: purse,
    ...(stranger && { [stranger]: purse }),
    ...(market && routerOverride(market, router)),
    ...(patched && { [patched.address]: { code: patched.code } }),
  };
  return simulationOf(
    head,
    blocks.map(({ afterS, calls, stateOverrides = {} }, i) => ({
      afterS: BLOCK_SECONDS + afterS,
      stateOverrides: i === 0 ? first : stateOverrides,
      calls,
    })),
  );
};

/** Blocks that are `delayS` seconds apart. */
const plan = (
  stage: ProbeStage,
  blocks: readonly (readonly object[])[],
  delayS: number,
  { clock, ...beside }: Beside & { readonly clock?: ClockedContract | undefined } = {},
): SimulationPlan => {
  const stateOverrides = clockAt(clock, stage.head.number + 1 + delayS / BLOCK_SECONDS);
  const timed = blocks.map((calls, i) => ({ afterS: i * delayS, calls, stateOverrides }));
  return planAt(stage, timed, beside);
};

const buyBlock = ({ market, trader, router, size }: ProbeStage): object[] =>
  market ? [call(trader, router, encodeBuy(market, size), undefined, PAYMENT_WEI)] : [];

/** Purchases by another account, which raise the price. */
export interface PriceRise {
  readonly stranger: Hex;
  /** Of each, in 1/100,000 of the base reserve. */
  readonly size: bigint;
  readonly times: number;
}

const riseBlock = ({ market, router }: ProbeStage, rise: PriceRise): object[] => {
  if (!market) return [];
  const { stranger, size, times } = rise;
  const purchase = call(stranger, router, encodeBuy(market, size), undefined, STRANGER_PAYMENT_WEI);
  return Array.from({ length: times }, () => purchase);
};

/** Calls of a sale. */
export const SALE_CALLS = 3;

/** Sells the bought tokens. */
const saleCalls = ({ market, trader, router, amount }: ProbeStage): object[] =>
  market ? saleByAllowance({ market, trader, router }, amount) : [];

/**
 * Purchase by another account just before a sale, in 1/100,000 of the base reserve, and seconds from it to the sale.
 */
const PURCHASE_SIZE = 10n;
const PURCHASE_BEFORE_S = 60;
/**
 * Purchase by another account that quadruples the price, and the multiple of the buyer's tokens (two fifths of a
 * pool's) that it then sells: less than it received.
 */
const FALL_SIZE = 100_000n;
const FALL_SALE = 80n;
/**
 * The purchases of a crowd, each for two new wallets: the number of blocks, the purchases in each, their size in
 * 1/100,000 of the base reserve, and the wei sent with each, so that one purse pays for all. Together they use less gas
 * than nodes allow a simulation by default (50 million), and each block uses less than an Ethereum block may.
 */
const CROWD = { blocks: 5, times: 30, size: 2n, paymentWei: 2n ** 103n, gas: 12_000_000n } as const;
/** Wallets that have bought before the sale that a crowd may hinder. */
export const CROWD_WALLETS = 2 * CROWD.blocks * CROWD.times;
/** Reverts on every call, but accepts coins. */
const REFUSING_CODE = '0x36600557005b600080fd';

const strangerBuys = ({ market, router, stranger, trader }: ProbeStage, size: bigint): object[] =>
  market
    ? [call(stranger ?? trader, router, encodeBuy(market, size), undefined, STRANGER_PAYMENT_WEI)]
    : [];

const crowdBlocks = ({ market, router, stranger, trader }: ProbeStage): TimedCalls[] => {
  if (!market || !stranger) return [];
  const { blocks, times, size, paymentWei, gas } = CROWD;
  const buys = encodeCrowd(market, router, { hundredThousandths: size, value: paymentWei, times });
  return Array.from({ length: blocks }, (_, i) => ({
    afterS: LATER_S + i * BLOCK_SECONDS,
    calls: [call(trader, stranger, buys, gas)],
    ...(i === 0 && { stateOverrides: { [stranger]: { code: CROWD_CODE } } }),
  }));
};

/** Actions in the blocks before a sale, by seconds after the purchase. */
const hindranceBlocks = (stage: ProbeStage, { kind }: Hindrance): TimedCalls[] => {
  if (kind === 'code') return [];
  if (kind === 'crowd') return crowdBlocks(stage);
  if (kind === 'purchase') {
    return [{ afterS: LATER_S, calls: strangerBuys(stage, PURCHASE_SIZE) }];
  }
  const { market, router, stranger, trader, amount } = stage;
  const seller = { trader: stranger ?? trader, router };
  const sale = market ? saleByAllowance({ market, ...seller }, amount * FALL_SALE) : [];
  return [
    { afterS: LATER_S, calls: strangerBuys(stage, FALL_SIZE) },
    { afterS: 2 * LATER_S, calls: sale },
  ];
};

/**
 * The purchase; the hindrance; then the sale, long after the seller's own purchase and the other account's sale,
 * because tokens may make either wait. The other account sells a multiple of the buyer's tokens, so the fraction that
 * the buyer sells is given separately.
 */
export const planHinderedSale = (
  stage: ProbeStage,
  hindrance: Hindrance,
  part = 1n,
): SimulationPlan => {
  const { head, laterClock, stranger } = stage;
  const before = hindranceBlocks(stage, hindrance);
  const lastS = before.at(-1)?.afterS ?? 0;
  const saleS = lastS + (hindrance.kind === 'purchase' ? PURCHASE_BEFORE_S : LATER_S);
  const placed = hindrance.kind === 'code' && { [hindrance.address]: { code: REFUSING_CODE } };
  const clockAfter = (afterS: number) =>
    clockAt(laterClock, head.number + 1 + Math.floor(afterS / BLOCK_SECONDS));
  const blocks: TimedCalls[] = [
    { afterS: 0, calls: buyBlock(stage) },
    ...before.map((block) => ({
      ...block,
      stateOverrides: { ...block.stateOverrides, ...clockAfter(block.afterS) },
    })),
    {
      afterS: saleS,
      calls: saleCalls({ ...stage, amount: stage.amount / part }),
      stateOverrides: { ...clockAfter(saleS), ...placed },
    },
  ];
  return planAt(stage, blocks, { stranger });
};

/** Plan of a purchase, then a read of what the trader received: one call per block. */
export const planDelivery = (stage: ProbeStage): SimulationPlan =>
  plan(stage, [buyBlock(stage), [balance(stage, stage.trader)]], BLOCK_SECONDS);

/** The same purchase a day later: its cost then. */
export const planLaterDelivery = (stage: ProbeStage): SimulationPlan =>
  plan(
    stage,
    [[balance(stage, stage.trader)], buyBlock(stage), [balance(stage, stage.trader)]],
    LATER_S,
    { clock: stage.laterClock },
  );

/**
 * The purchase, then after `delayS` seconds its sale. Nodes can advance the time freely, but not the block number: a
 * contract that reads it sees an advanced one.
 */
export const planSaleAfter = (stage: ProbeStage, delayS: number): SimulationPlan =>
  plan(stage, [buyBlock(stage), saleCalls(stage)], delayS, {
    clock: delayS > BLOCK_SECONDS ? stage.laterClock : undefined,
  });

/**
 * The purchase; another account's purchases, which raise the price; then the sale at a profit. One block each.
 */
export const planSaleInProfit = (stage: ProbeStage, rise: PriceRise): SimulationPlan =>
  plan(stage, [buyBlock(stage), riseBlock(stage, rise), saleCalls(stage)], BLOCK_SECONDS, rise);

/**
 * The purchase; preparing calls, if any; then the watched balances and allowances, the privileged call, the same
 * reads again, and the sale. The privileged call has the full gas of a call and no value.
 */
export const planPower = (stage: ProbeStage, power: PrivilegedCall): SimulationPlan => {
  const { trader, token } = stage;
  const reads = [
    ...power.watched.map((holder) => balance(stage, holder)),
    ...power.spenders.map((spender) => allowanceOf(trader, token, { holder: trader, spender })),
  ];
  const { caller, target, data, prepared = [], acts = [data], patched } = power;
  const made = (one: Hex) => call(caller, target, one);
  const around = [...reads, ...acts.map(made), ...reads, ...saleCalls(stage)];
  const before = prepared.length > 0 ? [prepared.map(made)] : [];
  const delayS = prepared.length > 0 ? LATER_S : BLOCK_SECONDS;
  return plan(stage, [buyBlock(stage), ...before, around], delayS, { patched });
};

/**
 * Accounts watched around a privileged call: those whose balances are read, the buyer first, and those to whom an
 * allowance of the buyer would be useful. A called contract beside the token may mint to itself.
 */
export const watchedAround = (parts: {
  trader: Hex;
  stranger: Hex;
  caller: Hex;
  token: Hex;
  target: Hex;
  pool: Hex | undefined;
}): Pick<PrivilegedCall, 'watched' | 'spenders'> => {
  const { trader, stranger, caller, token, target, pool } = parts;
  return {
    watched: [...new Set([trader, stranger, caller, token, target, ...(pool ? [pool] : [])])],
    spenders: [...new Set([caller, stranger])],
  };
};
