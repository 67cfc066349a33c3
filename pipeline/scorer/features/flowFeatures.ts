import { median, ratio, significantDigits } from './numbers.ts';
import type { PoolWalk } from './poolWalk.ts';

/** A purchase below this share of the base reserve hardly moves the price. */
const SMALL_BUY_SHARE = 0.005;
/** Gaps between events shorter than this count as this long when they are compared. */
const GAP_S_MIN = 1;

/** What happened in the last hour and the last ten minutes. */
export const recentFeatures = ({ flow, totals, last }: PoolWalk) => {
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
export const flowFeatures = (walk: PoolWalk) => {
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
