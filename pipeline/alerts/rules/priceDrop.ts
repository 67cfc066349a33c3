import type { PoolChange, PoolStepOfToken } from '../pools/poolChange.ts';
import { PRICE_WINDOW_S } from '../pools/poolSeries.ts';
import { fallInBlock, liquidityUsd, roundShare, roundUsd } from './amounts.ts';
import { type BlockRule, type BlockView, type Finding, mainPools } from './rule.ts';

/** Drops from which a reaction is worthwhile, and from which hardly anything is left. */
const WARNING_DROP = 0.5;
const CRITICAL_DROP = 0.9;

/**
 * The price fell: base per token by the reserves at the end of the block, relative to its highest value at the end of
 * a block in the last hour. Only ends of blocks count, so a price moved for one transaction has no effect. Threshold:
 * `price_drop`. Not detected: prices in pools without a base token.
 */
export const priceDrop: BlockRule = {
  type: 'price_drop',
  threshold: ({ price_drop: share }) => share,
  looksAt: 'the same',
  strength: 'share of the price lost within an hour (`price_drop`)',
  presets: '0.60 / 0.40 / 0.20',
  severity:
    'critical SELL_IMMEDIATELY from 0.9, warning REDUCE_EXPOSURE from 0.5, else info MONITOR',
  notDetected: 'stable Solidly pools of tokens whose decimals are unknown',
  find: (view) => mainPools(view).flatMap((change) => findIn(change, view)),
};

const priceFall = ({ priceBefore, priceAfter }: PoolStepOfToken): number =>
  priceBefore - priceAfter;

const findIn = (change: PoolChange, { block, usdPerUnit }: BlockView): Finding[] => {
  const liquidity = liquidityUsd(Math.max(change.peak, change.after), usdPerUnit(change.base));
  const fall = fallInBlock(change.steps, change.price, priceFall, liquidity);
  if (!fall) return [];
  const { drop, furthest, wallets } = fall;
  return [
    {
      type: 'price_drop',
      token: change.token,
      wallets,
      strength: drop,
      ...adviceFor(drop),
      details: {
        price_change: -roundShare(drop),
        window_seconds: PRICE_WINDOW_S,
        liquidity_usd: roundUsd(liquidityUsd(change.after, usdPerUnit(change.base))),
        pool: change.pool,
        tx_hash: furthest.txHash,
        block_number: block.number,
      },
      txHash: furthest.txHash,
      logIndex: furthest.logIndex,
    },
  ];
};

const adviceFor = (drop: number): Pick<Finding, 'severity' | 'recommendation'> => {
  if (drop >= CRITICAL_DROP) return { severity: 'critical', recommendation: 'SELL_IMMEDIATELY' };
  if (drop >= WARNING_DROP) return { severity: 'warning', recommendation: 'REDUCE_EXPOSURE' };
  return { severity: 'info', recommendation: 'MONITOR' };
};
