import { FEATURE_NAMES, type FeatureName } from '../../../shared/messages/featureNames.ts';
import { creatorFeatures } from './creatorRecord.ts';
import { lpFeatures } from './lpFeatures.ts';
import { median, ratio, significantDigits } from './numbers.ts';
import type { PoolSeries } from './poolSync.ts';
import {
  advanceWalk,
  beginWalk,
  isMultipleOf,
  type KindTotals,
  type PoolWalk,
  priceOf,
} from './poolWalk.ts';

/** A purchase below this share of the base reserve hardly moves the price. */
const SMALL_BUY_SHARE = 0.005;
/** Gaps between events shorter than this count as this long when they are compared. */
const GAP_S_MIN = 1;

/** What happened in the last hour and the last ten minutes. */
const recentFeatures = ({ flow, totals, last }: PoolWalk) => {
  const { lastHour, lastMinutes } = flow;
  const volumeBase = totals.buy.volumeBase + totals.sell.volumeBase;
  return {
    lastHourNetFlow: ratio(lastHour.bought - lastHour.sold, last.reserveBase),
    lastHourSellCountShare: ratio(lastHour.sells, lastHour.sells + lastHour.buys),
    lastHourLargestSale: lastHour.largestSale,
    lastHourVolumeShare: ratio(lastHour.bought + lastHour.sold, volumeBase),
    lastTenMinutesEventCount: lastMinutes.events,
    lastTenMinutesNetFlow: ratio(lastMinutes.bought - lastMinutes.sold, last.reserveBase),
  };
};

/** The features of how money flowed through a pool, sizes as shares of what the pool held. */
const flowFeatures = (walk: PoolWalk) => {
  const { flow, first, totals } = walk;
  const { buy, sell } = totals;
  const { gaps, buyShares } = flow;
  const small = buyShares.filter((share) => share < SMALL_BUY_SHARE).length;
  return {
    gapVariation:
      gaps.count > 1
        ? Math.sqrt(gaps.squares / (gaps.count - 1)) / Math.max(gaps.mean, GAP_S_MIN)
        : Number.NaN,
    firstBaseDigits: significantDigits(first.reserveBase),
    firstTokenDigits: significantDigits(first.reserveToken),
    firstTokenMagnitude: first.reserveToken > 0 ? Math.log10(first.reserveToken) : Number.NaN,
    repeatedBuyShare: ratio(flow.repeatedBuys, buy.count),
    medianBuyShare: median(buyShares),
    smallBuyShare: ratio(small, buy.count),
    largeSaleCount: flow.largeSales,
    largeSaleShare: ratio(flow.largeSales, sell.count),
    buyTurnover: ratio(buy.volumeBase, first.reserveBase),
    sellTurnover: ratio(sell.volumeBase, first.reserveBase),
    firstMinuteBuyTurnover: ratio(flow.firstMinuteBought, first.reserveBase),
    firstTenMinutesBuyTurnover: ratio(flow.firstTenMinutesBought, first.reserveBase),
    firstBlocksBuyCount: flow.firstBlocksBuys,
    soldOfBoughtToken: ratio(flow.soldToken, flow.boughtToken),
    netBoughtOfFirstToken: ratio(flow.boughtToken - flow.soldToken, first.reserveToken),
    outsideTokenShare: ratio(flow.outsideToken, first.reserveToken),
    liquidityUnits: flow.liquidityUnits,
    addedUnits: flow.addedUnits,
    removedUnitsShare: ratio(flow.removedUnits, 1 + flow.addedUnits),
    longestSellRun: flow.longestSellRun,
  };
};

/**
 * Only the first day of a pool is read: it bounds the live cost, and older pools keep the features they had
 * at this age, which is the oldest age the model was trained on.
 */
export const FEATURE_WINDOW_S = 86_400;

/** Rates of pools younger than this are taken over this time, or one early event would look like a storm. */
const RATE_AGE_S_MIN = 60;
/** First liquidity is usually a typed amount, for example 5 or 7.5 coins. */
const ROUND_FIRST_BASE = 0.1;

const logRatio = (numerator: number, denominator: number): number =>
  numerator > 0 && denominator > 0 ? Math.log(numerator / denominator) : Number.NaN;

/** Sum of squared volume shares: 1 for a single trade, towards 0 for many equal ones. */
const herfindahl = (totals: KindTotals): number =>
  ratio(totals.squaresBase, totals.volumeBase ** 2);

const timeFeatures = (walk: PoolWalk) => {
  const ageS = walk.asOfS - walk.first.timestampS;
  const sinceLastS = walk.asOfS - walk.last.timestampS;
  return {
    ageS,
    secondsSinceLastEvent: sinceLastS,
    largestGapS: Math.max(walk.largestGapS, sinceLastS),
    eventCount: walk.events,
    eventsPerHour: (walk.events * 3_600) / Math.max(ageS, RATE_AGE_S_MIN),
    distinctBlockShare: walk.blocks / walk.events,
    firstBlockEventShare: walk.firstBlockEvents / walk.events,
    firstTenMinutesEventShare: walk.firstMinutesEvents / walk.events,
    recentEventShare: walk.recentEvents / walk.events,
    lastHourEventCount: walk.lastHourEvents,
  };
};

const tradeFeatures = (walk: PoolWalk) => {
  const { buy, sell, add, remove, other } = walk.totals;
  const { first, asOfS } = walk;
  return {
    buyCount: buy.count,
    sellCount: sell.count,
    addCount: add.count,
    removeCount: remove.count,
    otherCount: other.count,
    buyCountShare: ratio(buy.count, buy.count + sell.count),
    buyVolumeShare: ratio(buy.volumeBase, buy.volumeBase + sell.volumeBase),
    netFlowToFirstBase: ratio(buy.volumeBase - sell.volumeBase, first.reserveBase),
    largestBuyShare: buy.largestShare,
    largestSellShare: sell.largestShare,
    largestAddShare: add.largestShare,
    largestRemovalShare: remove.largestShare,
    buyHerfindahl: herfindahl(buy),
    sellHerfindahl: herfindahl(sell),
    roundBuyShare: ratio(walk.roundBuys, buy.count),
    buysBeforeFirstSell: walk.buysBeforeFirstSell,
    secondsToFirstBuy: buy.firstAtS - first.timestampS,
    secondsToFirstSell: sell.firstAtS - first.timestampS,
    secondsSinceLastBuy: asOfS - buy.lastAtS,
    secondsSinceLastSell: asOfS - sell.lastAtS,
    longestBuyRun: walk.longestBuyRun,
    roundTripBlocks: walk.roundTripBlocks,
  };
};

const reserveFeatures = (walk: PoolWalk) => {
  const { first, last, recentStart, returns } = walk;
  return {
    firstBase: first.reserveBase,
    drawdownFromPeak: 1 - ratio(last.reserveBase, walk.peakBase),
    growthFromFirst: ratio(last.reserveBase, first.reserveBase),
    peakGrowthFromFirst: ratio(walk.peakBase, first.reserveBase),
    secondsSincePeak: walk.asOfS - walk.peakAtS,
    maxDrawdown: walk.maxDrawdown,
    lastHourDrawdown: 1 - ratio(last.reserveBase, walk.lastHourPeakBase),
    firstBaseRound: isMultipleOf(first.reserveBase, ROUND_FIRST_BASE) ? 1 : 0,
    tokenReserveGrowth: ratio(last.reserveToken, first.reserveToken),
    logPriceFromFirst: logRatio(priceOf(last), priceOf(first)),
    logPriceFromPeak: logRatio(priceOf(last), walk.peakPrice),
    maxPriceDrawdown: walk.maxPriceDrawdown,
    logReturnVolatility:
      returns.count > 1 ? Math.sqrt(returns.squares / (returns.count - 1)) : Number.NaN,
    recentBaseGrowth: ratio(last.reserveBase, recentStart.reserveBase),
    recentLogPriceChange: logRatio(priceOf(last), priceOf(recentStart)),
  };
};

const INDEX_BY_NAME = new Map<string, number>(FEATURE_NAMES.map((name, i) => [name, i]));

/**
 * Puts one group in its places. Groups are not joined into one object first: an object of so many
 * properties is a hash table to the engine, and costs more than all the rest.
 */
const write = (vector: Float64Array, group: Partial<Record<FeatureName, number>>): void => {
  for (const name in group) {
    vector[INDEX_BY_NAME.get(name) ?? -1] = group[name as FeatureName] ?? Number.NaN;
  }
};

/**
 * The features of a pool as of a time, in the order of `FEATURE_NAMES`; what is not known is NaN, never 0.
 * Events after `asOfTimestampS` or after the pool's first day are not read. One pass, O(events read).
 * The same function serves training and live scoring. A pool without a Sync by then has only NaN.
 */
export const poolFeatures = (series: PoolSeries, asOfTimestampS: number): Float64Array => {
  const vector = new Float64Array(FEATURE_NAMES.length).fill(Number.NaN);
  const [first] = series.syncs;
  if (first === undefined || first.timestampS > asOfTimestampS) return vector;
  const asOfS = Math.min(asOfTimestampS, first.timestampS + FEATURE_WINDOW_S);
  const walk = beginWalk(first, asOfS);
  for (let i = 1; i < series.syncs.length; i += 1) {
    const sync = series.syncs[i];
    if (sync === undefined || sync.timestampS > asOfS) break;
    advanceWalk(walk, sync);
  }
  write(vector, timeFeatures(walk));
  write(vector, tradeFeatures(walk));
  write(vector, reserveFeatures(walk));
  write(vector, flowFeatures(walk));
  write(vector, recentFeatures(walk));
  write(vector, lpFeatures(series.lp, asOfS));
  write(vector, creatorFeatures(series.creator, first.timestampS));
  return vector;
};
