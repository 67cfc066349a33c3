import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { PoolChange } from '../pools/poolChange.ts';
import { fallInBlock, liquidityUsd, roundShare, roundUsd } from './amounts.ts';
import { type BlockRule, type BlockView, type Finding, mainPools } from './rule.ts';

/** Drop after which waiting is pointless: a tenth or less of the money remains. */
const CRITICAL_DROP = 0.9;

/**
 * A pool lost its money: the base reserve at the end of the block, relative to its highest value at the end of a
 * block in the last ten minutes. Only ends of blocks count, so liquidity lent for one transaction neither hides a
 * drain nor looks like one. It does not matter how the money left: by Burn, by a sale of minted tokens, or by a drain
 * that no log explains. Threshold: `liquidity_drop`.
 */
export const rugPull: BlockRule = {
  type: 'rug_pull',
  threshold: ({ liquidity_drop: share }) => share,
  looksAt: 'reserves at the ends of blocks',
  strength: 'share of the base gone within 10 minutes (`liquidity_drop`)',
  presets: '0.80 / 0.50 / 0.25',
  severity: 'critical SELL_IMMEDIATELY from 0.9, else warning REDUCE_EXPOSURE',
  notDetected: 'pools without a base token, pools under 200 USD',
  find: (view) => mainPools(view).flatMap((change) => findIn(change, view)),
};

const findIn = (change: PoolChange, { block, usdPerUnit }: BlockView): Finding[] => {
  const usd = usdPerUnit(change.base);
  const peakUsd = liquidityUsd(change.peak, usd);
  const fall = fallInBlock(change.steps, change, reserveFall, peakUsd);
  if (!fall) return [];
  const { drop, furthest, wallets } = fall;
  const isCritical = drop >= CRITICAL_DROP;
  const finding: Finding = {
    type: 'rug_pull',
    token: change.token,
    wallets,
    strength: drop,
    severity: isCritical ? 'critical' : 'warning',
    recommendation: isCritical ? 'SELL_IMMEDIATELY' : 'REDUCE_EXPOSURE',
    details: {
      liquidity_change: -roundShare(drop),
      liquidity_before_usd: roundUsd(peakUsd),
      liquidity_after_usd: roundUsd(liquidityUsd(change.after, usd)),
      cause: furthest.kind,
      pool: change.pool,
      tx_hash: furthest.txHash,
      block_number: block.number,
    },
    txHash: furthest.txHash,
    logIndex: furthest.logIndex,
  };
  const withProfile: Finding['withProfile'] = ({ creator }) => ({
    ...finding,
    details: { ...finding.details, creator_sold_usd: creatorSoldUsd(change, creator, usd) },
  });
  return [{ ...finding, withProfile }];
};

const reserveFall = ({ before, after }: PoolChange['steps'][number]): number => before - after;

/**
 * The creator's proceeds from the pool in the window, in US dollars: the base tokens of every Swap or Burn of this
 * pool to which the creator gave the tokens or the liquidity shares (a Transfer to the pool in that transaction), or
 * whose `to` is the creator. Valued at the current price.
 */
const creatorSoldUsd = (change: PoolChange, creator: Hex, usd: number | null): number | null => {
  if (usd === null || creator === ZERO_ADDRESS) return null;
  const own = change.payouts.filter(({ wallets }) => wallets.includes(creator));
  return roundUsd(own.reduce((sum, { amount }) => sum + amount * usd, 0));
};
