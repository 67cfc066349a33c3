import type { PoolChange } from '../pools/poolChange.ts';
import { LIQUIDITY_USD_MIN, liquidityUsd, roundShare, roundUsd, SHARE_MIN } from './amounts.ts';
import { type BlockRule, type BlockView, type Finding, mainPools } from './rule.ts';

/** Share from which a withdrawal is a warning. */
const WARNING_SHARE = 0.5;

/**
 * A liquidity provider withdrew a large part of a pool, which has less at the end of the block. Threshold: half of
 * `liquidity_drop` for one Burn, because a withdrawal is an early warning of a rug pull, and price movements cannot
 * cause it.
 */
export const liquidityRemoved: BlockRule = {
  type: 'liquidity_removed',
  threshold: ({ liquidity_drop: share }) => share / 2,
  looksAt: '`Burn`',
  strength: 'share of the base taken out by one Burn (half of `liquidity_drop`)',
  presets: '0.40 / 0.25 / 0.125',
  severity: 'warning REDUCE_EXPOSURE from 0.5, else info MONITOR',
  notDetected: 'who did it, where the tokens of a position leave in a later transaction',
  find: (view) => mainPools(view).flatMap((change) => findIn(change, view)),
};

const findIn = (change: PoolChange, { block, usdPerUnit }: BlockView): Finding[] => {
  if (change.after >= change.before) return [];
  const usd = usdPerUnit(change.base);
  return change.steps.flatMap((step): Finding[] => {
    const share = step.kind === 'burn' && step.before > 0 ? step.paid / step.before : 0;
    const beforeUsd = liquidityUsd(step.before, usd);
    if (share < SHARE_MIN || (beforeUsd !== null && beforeUsd < LIQUIDITY_USD_MIN)) return [];
    return [
      {
        type: 'liquidity_removed',
        token: change.token,
        wallets: step.wallets,
        strength: share,
        severity: share >= WARNING_SHARE ? 'warning' : 'info',
        recommendation: share >= WARNING_SHARE ? 'REDUCE_EXPOSURE' : 'MONITOR',
        details: {
          liquidity_change: -roundShare(share),
          liquidity_before_usd: roundUsd(beforeUsd),
          liquidity_after_usd: roundUsd(liquidityUsd(step.after, usd)),
          pool: change.pool,
          tx_hash: step.txHash,
          block_number: block.number,
        },
        txHash: step.txHash,
        logIndex: step.logIndex,
      },
    ];
  });
};
