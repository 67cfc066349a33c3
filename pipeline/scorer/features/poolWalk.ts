import assert from 'node:assert/strict';
import { classifyStep, type PoolSync, type StepKind } from './poolSync.ts';

const FIRST_MINUTES_S = 600;
const LAST_HOUR_S = 3_600;
/** The recent part of a pool's life is its last quarter. */
const RECENT_SHARE = 0.25;
/** People type amounts like 0.05 or 1.5: a buy is round when it is a whole multiple of this many coins. */
const ROUND_BUY_BASE = 0.01;
/** Doubles of reserves up to 1e6 coins carry errors near 1e-10 coins; this is 1e-8 coins. */
const ROUND_TOLERANCE = 1e-6;

/** Count, sum, sum of squares and the largest share of the reserve before it, for one kind of step. */
export type KindTotals = {
  count: number;
  volumeBase: number;
  squaresBase: number;
  largestShare: number;
  firstAtS: number;
  lastAtS: number;
};

/** Everything one pass over a pool's Syncs remembers; `NaN` marks what has not happened. */
export type PoolWalk = {
  first: PoolSync;
  last: PoolSync;
  asOfS: number;
  recentFromS: number;
  totals: Record<StepKind, KindTotals>;
  events: number;
  blocks: number;
  firstBlockEvents: number;
  firstMinutesEvents: number;
  recentEvents: number;
  lastHourEvents: number;
  largestGapS: number;
  peakBase: number;
  peakAtS: number;
  maxDrawdown: number;
  lastHourPeakBase: number;
  peakPrice: number;
  maxPriceDrawdown: number;
  recentStart: PoolSync;
  roundBuys: number;
  buysBeforeFirstSell: number;
  buyRun: number;
  longestBuyRun: number;
  blockHasBuy: boolean;
  blockHasSell: boolean;
  roundTripBlocks: number;
  returns: { count: number; mean: number; squares: number };
  flow: PoolFlow;
};

/** Base per raw token; NaN where the pool is empty. */
export const priceOf = (sync: PoolSync): number =>
  sync.reserveBase > 0 && sync.reserveToken > 0 ? sync.reserveBase / sync.reserveToken : Number.NaN;

/** Whether an amount is a whole multiple of `unit`, within float error. */
export const isMultipleOf = (amount: number, unit: number): boolean => {
  const units = amount / unit;
  return units > 0.5 && Math.abs(units - Math.round(units)) < ROUND_TOLERANCE;
};

const emptyTotals = (): KindTotals => ({
  count: 0,
  volumeBase: 0,
  squaresBase: 0,
  largestShare: Number.NaN,
  firstAtS: Number.NaN,
  lastAtS: Number.NaN,
});

/** The walk after the pool's first Sync, which is the first liquidity and counts as an add. */
export const beginWalk = (first: PoolSync, asOfS: number): PoolWalk => {
  const add = emptyTotals();
  add.count = 1;
  add.volumeBase = first.reserveBase;
  add.squaresBase = first.reserveBase ** 2;
  add.firstAtS = first.timestampS;
  add.lastAtS = first.timestampS;
  const recentFromS = asOfS - (asOfS - first.timestampS) * RECENT_SHARE;
  return {
    first,
    last: first,
    asOfS,
    recentFromS,
    totals: {
      buy: emptyTotals(),
      sell: emptyTotals(),
      add,
      remove: emptyTotals(),
      other: emptyTotals(),
    },
    events: 1,
    blocks: 1,
    firstBlockEvents: 1,
    firstMinutesEvents: 1,
    recentEvents: first.timestampS >= recentFromS ? 1 : 0,
    lastHourEvents: first.timestampS > asOfS - LAST_HOUR_S ? 1 : 0,
    largestGapS: 0,
    peakBase: first.reserveBase,
    peakAtS: first.timestampS,
    maxDrawdown: 0,
    lastHourPeakBase: first.reserveBase,
    peakPrice: priceOf(first),
    maxPriceDrawdown: 0,
    recentStart: first,
    roundBuys: 0,
    buysBeforeFirstSell: 0,
    buyRun: 0,
    longestBuyRun: 0,
    blockHasBuy: false,
    blockHasSell: false,
    roundTripBlocks: 0,
    returns: { count: 0, mean: 0, squares: 0 },
    flow: beginFlow(),
  };
};

const countKind = (walk: PoolWalk, kind: StepKind, sync: PoolSync, deltaBase: number): void => {
  const totals = walk.totals[kind];
  const amount = Math.abs(deltaBase);
  totals.count += 1;
  totals.volumeBase += amount;
  totals.squaresBase += amount ** 2;
  if (Number.isNaN(totals.firstAtS)) totals.firstAtS = sync.timestampS;
  totals.lastAtS = sync.timestampS;
  if (walk.last.reserveBase > 0) {
    const share = amount / walk.last.reserveBase;
    if (!(totals.largestShare >= share)) totals.largestShare = share;
  }
};

const followTrade = (walk: PoolWalk, kind: StepKind, deltaBase: number): void => {
  if (kind === 'buy') {
    walk.buyRun += 1;
    walk.longestBuyRun = Math.max(walk.longestBuyRun, walk.buyRun);
    if (walk.totals.sell.count === 0) walk.buysBeforeFirstSell += 1;
    if (isMultipleOf(deltaBase, ROUND_BUY_BASE)) walk.roundBuys += 1;
  } else if (kind === 'sell') {
    walk.buyRun = 0;
  }
  const hadBoth = walk.blockHasBuy && walk.blockHasSell;
  walk.blockHasBuy ||= kind === 'buy';
  walk.blockHasSell ||= kind === 'sell';
  if (!hadBoth && walk.blockHasBuy && walk.blockHasSell) walk.roundTripBlocks += 1;
};

const followPrice = (walk: PoolWalk, sync: PoolSync): void => {
  const price = priceOf(sync);
  const before = priceOf(walk.last);
  if (Number.isNaN(price)) return;
  if (!(walk.peakPrice >= price)) walk.peakPrice = price;
  walk.maxPriceDrawdown = Math.max(walk.maxPriceDrawdown, 1 - price / walk.peakPrice);
  if (Number.isNaN(before)) return;
  const { returns } = walk;
  const value = Math.log(price / before);
  returns.count += 1;
  const deviation = value - returns.mean;
  returns.mean += deviation / returns.count;
  returns.squares += deviation * (value - returns.mean);
};

const followReserve = (walk: PoolWalk, sync: PoolSync): void => {
  if (sync.reserveBase > walk.peakBase) {
    walk.peakBase = sync.reserveBase;
    walk.peakAtS = sync.timestampS;
  }
  if (walk.peakBase > 0) {
    walk.maxDrawdown = Math.max(walk.maxDrawdown, 1 - sync.reserveBase / walk.peakBase);
  }
  const inLastHour = sync.timestampS > walk.asOfS - LAST_HOUR_S;
  walk.lastHourPeakBase = inLastHour
    ? Math.max(walk.lastHourPeakBase, sync.reserveBase)
    : sync.reserveBase;
  if (inLastHour) walk.lastHourEvents += 1;
  if (sync.timestampS >= walk.recentFromS) walk.recentEvents += 1;
  else walk.recentStart = sync;
};

/** Takes the next Sync into the walk. Syncs must come in chain order. */
export const advanceWalk = (walk: PoolWalk, sync: PoolSync): void => {
  assert.ok(sync.timestampS >= walk.last.timestampS, 'Syncs must be in time order');
  assert.ok(sync.blockNumber >= walk.last.blockNumber, 'Syncs must be in block order');
  const deltaBase = sync.reserveBase - walk.last.reserveBase;
  const kind = classifyStep(deltaBase, sync.reserveToken - walk.last.reserveToken);
  walk.events += 1;
  if (sync.blockNumber !== walk.last.blockNumber) {
    walk.blocks += 1;
    walk.blockHasBuy = false;
    walk.blockHasSell = false;
  }
  if (sync.blockNumber === walk.first.blockNumber) walk.firstBlockEvents += 1;
  if (sync.timestampS - walk.first.timestampS <= FIRST_MINUTES_S) walk.firstMinutesEvents += 1;
  walk.largestGapS = Math.max(walk.largestGapS, sync.timestampS - walk.last.timestampS);
  followTrade(walk, kind, deltaBase);
  countKind(walk, kind, sync, deltaBase);
  followPrice(walk, sync);
  followReserve(walk, sync);
  advanceFlow(walk.flow, { kind, first: walk.first, before: walk.last, sync, asOfS: walk.asOfS });
  walk.last = sync;
};

const TEN_MINUTES_S = 600;
const FIRST_MINUTE_S = 60;
/** Blocks after the first in which only those buy who waited for the launch. */
const FIRST_BLOCKS = 2;
/** A sale of this share of the base reserve moves the price by a tenth and more. */
const LARGE_SALE_SHARE = 0.05;
/** Amounts are distinguished by this many digits: people and machines repeat typed amounts exactly. */
const AMOUNT_DIGITS = 7;

/** What one pass remembers of how money flows through a pool; `NaN` marks what has not happened. */
export type PoolFlow = {
  buyShares: number[];
  buyAmounts: Set<string>;
  repeatedBuys: number;
  largeSales: number;
  boughtToken: number;
  soldToken: number;
  outsideToken: number;
  liquidityUnits: number;
  removedUnits: number;
  addedUnits: number;
  lastHour: { bought: number; sold: number; buys: number; sells: number; largestSale: number };
  lastMinutes: { events: number; bought: number; sold: number };
  firstMinuteBought: number;
  firstBlocksBuys: number;
  firstTenMinutesBought: number;
  gaps: { count: number; mean: number; squares: number };
  sellRun: number;
  longestSellRun: number;
};

/** The flow after the pool's first Sync. */
const beginFlow = (): PoolFlow => ({
  buyShares: [],
  buyAmounts: new Set(),
  repeatedBuys: 0,
  largeSales: 0,
  boughtToken: 0,
  soldToken: 0,
  outsideToken: 0,
  liquidityUnits: 1,
  removedUnits: 0,
  addedUnits: 0,
  lastHour: { bought: 0, sold: 0, buys: 0, sells: 0, largestSale: Number.NaN },
  lastMinutes: { events: 0, bought: 0, sold: 0 },
  firstMinuteBought: 0,
  firstBlocksBuys: 0,
  firstTenMinutesBought: 0,
  gaps: { count: 0, mean: 0, squares: 0 },
  sellRun: 0,
  longestSellRun: 0,
});

/** One step of a pool, as classified. */
type Step = {
  kind: StepKind;
  first: PoolSync;
  before: PoolSync;
  sync: PoolSync;
  asOfS: number;
};

const followBuy = (flow: PoolFlow, { first, before, sync, asOfS }: Step): void => {
  const amount = sync.reserveBase - before.reserveBase;
  flow.boughtToken += before.reserveToken - sync.reserveToken;
  flow.sellRun = 0;
  if (before.reserveBase > 0) flow.buyShares.push(amount / before.reserveBase);
  const text = amount.toPrecision(AMOUNT_DIGITS);
  if (flow.buyAmounts.has(text)) flow.repeatedBuys += 1;
  else flow.buyAmounts.add(text);
  const poolAgeS = sync.timestampS - first.timestampS;
  if (poolAgeS <= FIRST_MINUTE_S) flow.firstMinuteBought += amount;
  if (poolAgeS <= TEN_MINUTES_S) flow.firstTenMinutesBought += amount;
  if (sync.blockNumber - first.blockNumber <= FIRST_BLOCKS) flow.firstBlocksBuys += 1;
  if (sync.timestampS > asOfS - LAST_HOUR_S) {
    flow.lastHour.bought += amount;
    flow.lastHour.buys += 1;
  }
  if (sync.timestampS > asOfS - TEN_MINUTES_S) flow.lastMinutes.bought += amount;
};

const followSell = (flow: PoolFlow, { before, sync, asOfS }: Step): void => {
  const amount = before.reserveBase - sync.reserveBase;
  flow.soldToken += sync.reserveToken - before.reserveToken;
  flow.outsideToken = Math.max(flow.outsideToken, flow.soldToken - flow.boughtToken);
  flow.sellRun += 1;
  flow.longestSellRun = Math.max(flow.longestSellRun, flow.sellRun);
  const share = amount / before.reserveBase;
  if (share >= LARGE_SALE_SHARE) flow.largeSales += 1;
  if (sync.timestampS > asOfS - LAST_HOUR_S) {
    flow.lastHour.sold += amount;
    flow.lastHour.sells += 1;
    if (!(flow.lastHour.largestSale >= share)) flow.lastHour.largestSale = share;
  }
  if (sync.timestampS > asOfS - TEN_MINUTES_S) flow.lastMinutes.sold += amount;
};

/** Liquidity in units of the first: an add or removal scales the share tokens like the reserves. */
const followLiquidity = (flow: PoolFlow, { kind, before, sync }: Step): void => {
  if (before.reserveBase <= 0) return;
  const after = (flow.liquidityUnits * sync.reserveBase) / before.reserveBase;
  if (kind === 'add') flow.addedUnits += after - flow.liquidityUnits;
  else flow.removedUnits += flow.liquidityUnits - after;
  flow.liquidityUnits = after;
};

/** Takes the next step into the flow. */
const advanceFlow = (flow: PoolFlow, step: Step): void => {
  const { kind, before, sync, asOfS } = step;
  const gapS = sync.timestampS - before.timestampS;
  const { gaps } = flow;
  gaps.count += 1;
  const deviation = gapS - gaps.mean;
  gaps.mean += deviation / gaps.count;
  gaps.squares += deviation * (gapS - gaps.mean);
  if (sync.timestampS > asOfS - TEN_MINUTES_S) flow.lastMinutes.events += 1;
  if (kind === 'buy') followBuy(flow, step);
  else if (kind === 'sell') followSell(flow, step);
  else if (kind !== 'other') followLiquidity(flow, step);
};
