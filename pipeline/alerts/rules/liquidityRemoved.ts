import type { PoolChange } from '../pools/poolChange.ts';
import { liquidityUsd, roundShare, roundUsd } from './round.ts';
import { LIQUIDITY_USD_MIN } from './rugPull.ts';
import type { BlockView, Finding, Rule } from './rule.ts';

/**
 * Share of the base reserve one Burn takes out: half of the rug_pull presets, because a withdrawal
 * is the warning before the rug and price moves cannot cause it.
 */
const PRESETS = { low: 0.4, medium: 0.25, high: 0.125 } as const;
/** Share from which a withdrawal is more than news. */
const WARNING_SHARE = 0.5;

/** A liquidity provider took a large part out of a pool, which ended the block with less. */
export const liquidityRemoved: Rule = {
  type: 'liquidity_removed',
  presets: PRESETS,
  find: (view) => view.pools.flatMap((change) => findIn(change, view)),
};

const findIn = (change: PoolChange, { block, usdPerUnit }: BlockView): Finding[] => {
  if (change.after >= change.before) return [];
  const usd = usdPerUnit(change.base);
  return change.steps.flatMap((step): Finding[] => {
    const share = step.kind === 'burn' && step.before > 0 ? step.paid / step.before : 0;
    const beforeUsd = liquidityUsd(step.before, usd);
    if (share < PRESETS.high || (beforeUsd !== null && beforeUsd < LIQUIDITY_USD_MIN)) return [];
    return [
      {
        type: 'liquidity_removed',
        token: change.token,
        subject: change.pool,
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
