import type { PoolSync, StepKind } from './poolSync.ts';

const LAST_HOUR_S = 3_600;
const TEN_MINUTES_S = 600;
const FIRST_MINUTE_S = 60;
/** Blocks after the first in which only those buy who waited for the launch. */
const FIRST_BLOCKS = 2;
/** A sale of this share of the base reserve moves the price by a tenth and more. */
const LARGE_SALE_SHARE = 0.05;
/** Amounts are told apart by this many digits: people and machines repeat typed amounts exactly. */
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
export const beginFlow = (): PoolFlow => ({
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
export const advanceFlow = (flow: PoolFlow, step: Step): void => {
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
