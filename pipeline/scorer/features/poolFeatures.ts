import assert from 'node:assert/strict';
import { FEATURE_NAMES, type FeatureName } from '../../../shared/messages/featureNames.ts';
import { creatorFeatures } from './creatorRecord.ts';
import { lpFeatures } from './lpFeatures.ts';
import { median, ratio, significantDigits } from './numbers.ts';
import { type PoolSeries, type PoolSync, type StepKind, stepKind } from './poolSync.ts';

/**
 * Only the first day of a pool is read. That bounds the cost, and older pools keep the features of this age, the
 * oldest one on which the model was trained.
 */
export const FEATURE_WINDOW_S = 86_400;

const MINUTE_S = 60;
const TEN_MINUTES_S = 600;
const HOUR_S = 3_600;
/** The recent part of a pool's life is its last quarter. */
const RECENT_SHARE = 0.25;
/** Rates of younger pools are computed over this time, so that one early event does not look like a burst. */
const RATE_AGE_S_MIN = 60;
/** Shorter gaps between events count as this long in comparisons. */
const GAP_S_MIN = 1;
/** First liquidity is usually a typed amount, for example 5 or 7.5 coins. */
const ROUND_FIRST_BASE = 0.1;
/** People type amounts like 0.05 or 1.5: a purchase is round if it is a whole multiple of this many coins. */
const ROUND_BUY_BASE = 0.01;
/** Doubles of reserves up to 1e6 coins have errors near 1e-10 coins; this is 1e-8 coins. */
const ROUND_TOLERANCE = 1e-6;
/** Amounts are distinguished by this many digits: people and bots repeat typed amounts exactly. */
const AMOUNT_DIGITS = 7;
/** A purchase below this share of the base reserve hardly moves the price. */
const SMALL_BUY_SHARE = 0.005;
/** A sale of this share of the base reserve moves the price by at least a tenth. */
const LARGE_SALE_SHARE = 0.05;
/** Blocks after the first in which only those buy who waited for the launch. */
const FIRST_BLOCKS = 2;

/** The step between two consecutive Syncs. */
interface Step {
  readonly kind: StepKind;
  readonly before: PoolSync;
  readonly sync: PoolSync;
  /** Base tokens moved, whole coins. */
  readonly amount: number;
  /** The same as a share of the base reserve before; NaN if that was empty. */
  readonly share: number;
}

/** A pool as far as it is read. */
interface ReadPool {
  readonly asOfS: number;
  /** When the recent part begins, Unix seconds. */
  readonly recentFromS: number;
  readonly syncs: readonly PoolSync[];
  /** The first Sync is the first liquidity. */
  readonly first: PoolSync;
  readonly last: PoolSync;
  readonly steps: readonly Step[];
  readonly byKind: Readonly<Record<StepKind, readonly Step[]>>;
}

/** From one Sync to the next. @param syncs in chain order */
export const stepsOf = (syncs: readonly PoolSync[]): Step[] =>
  syncs.slice(1).map((sync, i): Step => {
    const before = syncs[i] ?? sync;
    assert.ok(sync.timestampS >= before.timestampS, 'Syncs must be in time order');
    assert.ok(sync.blockNumber >= before.blockNumber, 'Syncs must be in block order');
    const amount = Math.abs(sync.reserveBase - before.reserveBase);
    return {
      kind: stepKind(before, sync),
      before,
      sync,
      amount,
      share: ratio(amount, before.reserveBase),
    };
  });

/** @param syncs in chain order, at least one */
const readPool = (syncs: readonly PoolSync[], first: PoolSync, asOfS: number): ReadPool => {
  const steps = stepsOf(syncs);
  const byKind: Record<StepKind, Step[]> = { buy: [], sell: [], add: [], remove: [], other: [] };
  for (const step of steps) byKind[step.kind].push(step);
  const recentFromS = asOfS - (asOfS - first.timestampS) * RECENT_SHARE;
  return { asOfS, recentFromS, syncs, first, last: syncs.at(-1) ?? first, steps, byKind };
};

/** The largest number; NaN for an empty list. NaN values are ignored. */
const largest = (values: readonly number[]): number =>
  values.reduce((most, value) => (most >= value || Number.isNaN(value) ? most : value), Number.NaN);

const volumeOf = (steps: readonly Step[]): number =>
  steps.reduce((sum, { amount }) => sum + amount, 0);
const sharesOf = (steps: readonly Step[]): number[] => steps.map(({ share }) => share);
const since = (steps: readonly Step[], atS: number): Step[] =>
  steps.filter(({ sync }) => sync.timestampS > atS);
const timeOf = (step: Step | undefined): number => step?.sync.timestampS ?? Number.NaN;

/** Mean of numbers, and the sum of squared distances from it (Welford). */
const spreadOf = (values: readonly number[]): { mean: number; squares: number } => {
  let [mean, squares] = [0, 0];
  for (const [i, value] of values.entries()) {
    const deviation = value - mean;
    mean += deviation / (i + 1);
    squares += deviation * (value - mean);
  }
  return { mean, squares };
};

/** The sample standard deviation; NaN for fewer than two numbers. */
const deviationOf = (values: readonly number[], { squares }: { squares: number }): number =>
  values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : Number.NaN;

/** The deepest fall below the running maximum, as a share of it. */
const maxDrawdown = (values: readonly number[]): number => {
  let [peak, most] = [0, 0];
  for (const value of values) {
    if (value > peak) peak = value;
    if (peak > 0) most = Math.max(most, 1 - value / peak);
  }
  return most;
};

/** Base per raw token; NaN if the pool is empty. */
const priceOf = (sync: PoolSync): number =>
  sync.reserveBase > 0 && sync.reserveToken > 0 ? sync.reserveBase / sync.reserveToken : Number.NaN;

const logRatio = (numerator: number, denominator: number): number =>
  numerator > 0 && denominator > 0 ? Math.log(numerator / denominator) : Number.NaN;

/** Whether an amount is a whole multiple of `unit`, within float error. */
const isMultipleOf = (amount: number, unit: number): boolean => {
  const units = amount / unit;
  return units > 0.5 && Math.abs(units - Math.round(units)) < ROUND_TOLERANCE;
};

/** Sum of squared volume shares: 1 for a single trade, towards 0 for many equal ones. */
const herfindahl = (steps: readonly Step[]): number =>
  ratio(
    steps.reduce((sum, { amount }) => sum + amount ** 2, 0),
    volumeOf(steps) ** 2,
  );

/** The most consecutive trades of the same kind. */
const longestRun = ({ steps }: ReadPool, kind: 'buy' | 'sell'): number => {
  let [run, longest] = [0, 0];
  for (const step of steps) {
    if (step.kind === kind) run += 1;
    else if (step.kind === 'buy' || step.kind === 'sell') run = 0;
    longest = Math.max(longest, run);
  }
  return longest;
};

const timeFeatures = ({ asOfS, recentFromS, syncs, first, last, steps }: ReadPool) => {
  const ageS = asOfS - first.timestampS;
  const sinceLastS = asOfS - last.timestampS;
  const events = syncs.length;
  const count = (is: (sync: PoolSync) => boolean): number => syncs.filter(is).length;
  return {
    ageS,
    secondsSinceLastEvent: sinceLastS,
    largestGapS: steps.reduce(
      (most, { before, sync }) => Math.max(most, sync.timestampS - before.timestampS),
      sinceLastS,
    ),
    eventCount: events,
    eventsPerHour: (events * HOUR_S) / Math.max(ageS, RATE_AGE_S_MIN),
    distinctBlockShare:
      (1 + steps.filter(({ before, sync }) => sync.blockNumber > before.blockNumber).length) /
      events,
    firstBlockEventShare: count((sync) => sync.blockNumber === first.blockNumber) / events,
    firstTenMinutesEventShare:
      count((sync) => sync.timestampS - first.timestampS <= TEN_MINUTES_S) / events,
    recentEventShare: count((sync) => sync.timestampS >= recentFromS) / events,
    lastHourEventCount: count((sync) => sync.timestampS > asOfS - HOUR_S),
  };
};

const tradeFeatures = (pool: ReadPool) => {
  const { asOfS, first, steps, byKind } = pool;
  const { buy: buys, sell: sells, add, remove, other } = byKind;
  const [bought, sold] = [volumeOf(buys), volumeOf(sells)];
  const firstSell = steps.findIndex(({ kind }) => kind === 'sell');
  const untilSell = firstSell < 0 ? steps : steps.slice(0, firstSell);
  const sellBlocks = new Set(sells.map(({ sync }) => sync.blockNumber));
  const buyBlocks = new Set(buys.map(({ sync }) => sync.blockNumber));
  return {
    buyCount: buys.length,
    sellCount: sells.length,
    addCount: 1 + add.length,
    removeCount: remove.length,
    otherCount: other.length,
    buyCountShare: ratio(buys.length, buys.length + sells.length),
    buyVolumeShare: ratio(bought, bought + sold),
    netFlowToFirstBase: ratio(bought - sold, first.reserveBase),
    largestBuyShare: largest(sharesOf(buys)),
    largestSellShare: largest(sharesOf(sells)),
    largestAddShare: largest(sharesOf(add)),
    largestRemovalShare: largest(sharesOf(remove)),
    buyHerfindahl: herfindahl(buys),
    sellHerfindahl: herfindahl(sells),
    roundBuyShare: ratio(
      buys.filter(({ amount }) => isMultipleOf(amount, ROUND_BUY_BASE)).length,
      buys.length,
    ),
    buysBeforeFirstSell: untilSell.filter(({ kind }) => kind === 'buy').length,
    secondsToFirstBuy: timeOf(buys[0]) - first.timestampS,
    secondsToFirstSell: timeOf(sells[0]) - first.timestampS,
    secondsSinceLastBuy: asOfS - timeOf(buys.at(-1)),
    secondsSinceLastSell: asOfS - timeOf(sells.at(-1)),
    longestBuyRun: longestRun(pool, 'buy'),
    roundTripBlocks: [...buyBlocks].filter((block) => sellBlocks.has(block)).length,
  };
};

const reserveFeatures = ({ asOfS, recentFromS, syncs, first, last, steps }: ReadPool) => {
  const recentStart = syncs.findLast(({ timestampS }) => timestampS < recentFromS) ?? first;
  const peak = syncs.reduce((best, sync) => (sync.reserveBase > best.reserveBase ? sync : best));
  // The pool's holdings an hour ago count too.
  const hourFrom = syncs.findLastIndex(({ timestampS }) => timestampS <= asOfS - HOUR_S);
  const ofLastHour = syncs.slice(Math.max(0, hourFrom)).map(({ reserveBase }) => reserveBase);
  const prices = syncs.map(priceOf).filter((price) => !Number.isNaN(price));
  const returns = steps
    .map(({ before, sync }) => logRatio(priceOf(sync), priceOf(before)))
    .filter((value) => !Number.isNaN(value));
  return {
    firstBase: first.reserveBase,
    drawdownFromPeak: 1 - ratio(last.reserveBase, peak.reserveBase),
    growthFromFirst: ratio(last.reserveBase, first.reserveBase),
    peakGrowthFromFirst: ratio(peak.reserveBase, first.reserveBase),
    secondsSincePeak: asOfS - peak.timestampS,
    maxDrawdown: maxDrawdown(syncs.map(({ reserveBase }) => reserveBase)),
    lastHourDrawdown: 1 - ratio(last.reserveBase, largest(ofLastHour)),
    firstBaseRound: isMultipleOf(first.reserveBase, ROUND_FIRST_BASE) ? 1 : 0,
    tokenReserveGrowth: ratio(last.reserveToken, first.reserveToken),
    logPriceFromFirst: logRatio(priceOf(last), priceOf(first)),
    logPriceFromPeak: logRatio(priceOf(last), largest(prices)),
    maxPriceDrawdown: maxDrawdown(prices),
    logReturnVolatility: deviationOf(returns, spreadOf(returns)),
    recentBaseGrowth: ratio(last.reserveBase, recentStart.reserveBase),
    recentLogPriceChange: logRatio(priceOf(last), priceOf(recentStart)),
  };
};

/**
 * Tokens that went out to buyers and came back from sellers; `outside`: maximum that came back in excess of what had
 * gone out.
 */
const tokenFlow = ({ steps }: ReadPool) => {
  let [bought, sold, outside] = [0, 0, 0];
  for (const { kind, before, sync } of steps) {
    if (kind === 'buy') bought += before.reserveToken - sync.reserveToken;
    if (kind !== 'sell') continue;
    sold += sync.reserveToken - before.reserveToken;
    outside = Math.max(outside, sold - bought);
  }
  return { bought, sold, outside };
};

/** Liquidity in units of the first: an add or removal scales liquidity tokens like the reserves. */
export const liquidityUnits = (steps: readonly Step[]) => {
  let [units, added, removed] = [1, 0, 0];
  for (const { kind, before, sync } of steps) {
    if ((kind !== 'add' && kind !== 'remove') || before.reserveBase <= 0) continue;
    const after = (units * sync.reserveBase) / before.reserveBase;
    if (kind === 'add') added += after - units;
    else removed += units - after;
    units = after;
  }
  return { units, added, removed };
};

/** How money flowed through a pool; sizes as shares of the pool's holdings. */
const flowFeatures = (pool: ReadPool) => {
  const { first, steps, byKind } = pool;
  const { buy: buys, sell: sells } = byKind;
  const gaps = steps.map(({ before, sync }) => sync.timestampS - before.timestampS);
  const gapSpread = spreadOf(gaps);
  const buyShares = sharesOf(buys).filter((share) => !Number.isNaN(share));
  const largeSales = sharesOf(sells).filter((share) => share >= LARGE_SALE_SHARE).length;
  const amounts = new Set(buys.map(({ amount }) => amount.toPrecision(AMOUNT_DIGITS)));
  const boughtWithin = (ageS: number): number =>
    volumeOf(buys.filter(({ sync }) => sync.timestampS - first.timestampS <= ageS));
  const tokens = tokenFlow(pool);
  const liquidity = liquidityUnits(steps);
  return {
    gapVariation: deviationOf(gaps, gapSpread) / Math.max(gapSpread.mean, GAP_S_MIN),
    firstBaseDigits: significantDigits(first.reserveBase),
    firstTokenDigits: significantDigits(first.reserveToken),
    firstTokenMagnitude: first.reserveToken > 0 ? Math.log10(first.reserveToken) : Number.NaN,
    repeatedBuyShare: ratio(buys.length - amounts.size, buys.length),
    medianBuyShare: median(buyShares),
    smallBuyShare: ratio(buyShares.filter((share) => share < SMALL_BUY_SHARE).length, buys.length),
    largeSaleCount: largeSales,
    largeSaleShare: ratio(largeSales, sells.length),
    buyTurnover: ratio(volumeOf(buys), first.reserveBase),
    sellTurnover: ratio(volumeOf(sells), first.reserveBase),
    firstMinuteBuyTurnover: ratio(boughtWithin(MINUTE_S), first.reserveBase),
    firstTenMinutesBuyTurnover: ratio(boughtWithin(TEN_MINUTES_S), first.reserveBase),
    firstBlocksBuyCount: buys.filter(
      ({ sync }) => sync.blockNumber - first.blockNumber <= FIRST_BLOCKS,
    ).length,
    soldOfBoughtToken: ratio(tokens.sold, tokens.bought),
    netBoughtOfFirstToken: ratio(tokens.bought - tokens.sold, first.reserveToken),
    outsideTokenShare: ratio(tokens.outside, first.reserveToken),
    liquidityUnits: liquidity.units,
    addedUnits: liquidity.added,
    removedUnitsShare: ratio(liquidity.removed, 1 + liquidity.added),
    longestSellRun: longestRun(pool, 'sell'),
  };
};

/** What happened in the last hour and the last ten minutes. */
const recentFeatures = ({ asOfS, last, steps, byKind }: ReadPool) => {
  const { buy: buys, sell: sells } = byKind;
  const [hourS, minutesS] = [asOfS - HOUR_S, asOfS - TEN_MINUTES_S];
  const [hourBuys, hourSells] = [since(buys, hourS), since(sells, hourS)];
  const [bought, sold] = [volumeOf(hourBuys), volumeOf(hourSells)];
  const net = volumeOf(since(buys, minutesS)) - volumeOf(since(sells, minutesS));
  return {
    lastHourNetFlow: ratio(bought - sold, last.reserveBase),
    lastHourSellCountShare: ratio(hourSells.length, hourSells.length + hourBuys.length),
    lastHourLargestSale: largest(sharesOf(hourSells)),
    lastHourVolumeShare: ratio(bought + sold, volumeOf(buys) + volumeOf(sells)),
    lastTenMinutesEventCount: since(steps, minutesS).length,
    lastTenMinutesNetFlow: ratio(net, last.reserveBase),
  };
};

const INDEX_BY_NAME = new Map<string, number>(FEATURE_NAMES.map((name, i) => [name, i]));

/**
 * Writes one group into the vector. Groups are not merged into one object first: an object of so many properties is a
 * hash table to the engine, and costs more than everything else.
 */
const write = (vector: Float64Array, group: Partial<Record<FeatureName, number>>): void => {
  for (const name in group) {
    vector[INDEX_BY_NAME.get(name) ?? -1] = group[name as FeatureName] ?? Number.NaN;
  }
};

/**
 * The features of a pool as of a time, in the order of `FEATURE_NAMES`; unknown values are NaN, never 0. Events after
 * `asOfTimestampS` or after the pool's first day are not read. The same function serves training and live scoring. A
 * pool without a Sync by then has only NaN.
 * @param liquidityAsOfS the same for transfers of liquidity; not before the other
 */
export const poolFeatures = (
  series: PoolSeries,
  asOfTimestampS: number,
  liquidityAsOfS = asOfTimestampS,
): Float64Array => {
  const vector = new Float64Array(FEATURE_NAMES.length).fill(Number.NaN);
  const [first] = series.syncs;
  if (first === undefined || first.timestampS > asOfTimestampS) return vector;
  const endS = first.timestampS + FEATURE_WINDOW_S;
  const asOfS = Math.min(asOfTimestampS, endS);
  const after = series.syncs.findIndex(({ timestampS }) => timestampS > asOfS);
  const pool = readPool(after < 0 ? series.syncs : series.syncs.slice(0, after), first, asOfS);
  write(vector, timeFeatures(pool));
  write(vector, tradeFeatures(pool));
  write(vector, reserveFeatures(pool));
  write(vector, flowFeatures(pool));
  write(vector, recentFeatures(pool));
  write(vector, lpFeatures(series.lp, Math.min(liquidityAsOfS, endS)));
  write(vector, creatorFeatures(series.creator, first.timestampS));
  return vector;
};
