import type { Hex } from '../../../shared/chain/block.ts';
import type { BaseStep, PoolChange } from '../pools/poolChange.ts';
import { liquidityUsd, roundShare, roundUsd } from './round.ts';
import type { BlockView, Finding, Rule } from './rule.ts';

/** Drop from which there is nothing left to wait for: a tenth or less of the money remains. */
const CRITICAL_DROP = 0.9;
/**
 * US dollars of liquidity a pool must have had. Anyone can open a second pool of a watched token and
 * empty it; below this a real pool is worth no alert either.
 */
export const LIQUIDITY_USD_MIN = 200;

/** Presets of `liquidity_drop` in AlertConfig: share of the base reserve gone within ten minutes. */
const PRESETS = { low: 0.8, medium: 0.5, high: 0.25 } as const;

/**
 * A pool lost its money: the base reserve at the end of the block against its highest value at the
 * end of a block of the last ten minutes. Ends of blocks, so that liquidity lent for one transaction
 * neither hides a drain nor looks like one. It does not matter how it left: by Burn, by a sale of
 * minted tokens, or by a drain no log explains.
 */
export const rugPull: Rule = {
  type: 'rug_pull',
  presets: PRESETS,
  find: (view) => view.pools.flatMap((change) => findIn(change, view)),
};

const findIn = (change: PoolChange, { block, usdPerUnit }: BlockView): Finding[] => {
  const drop = change.peak > 0 ? 1 - change.after / change.peak : 0;
  if (drop < PRESETS.high || change.after >= change.before) return [];
  const fall = largestFall(change.steps);
  const usd = usdPerUnit(change.base);
  const peakUsd = liquidityUsd(change.peak, usd);
  if (!fall || (peakUsd !== null && peakUsd < LIQUIDITY_USD_MIN)) return [];
  const isCritical = drop >= CRITICAL_DROP;
  return [
    {
      type: 'rug_pull',
      token: change.token,
      subject: change.pool,
      wallets: walletsOfFalls(change.steps),
      strength: drop,
      severity: isCritical ? 'critical' : 'warning',
      recommendation: isCritical ? 'SELL_IMMEDIATELY' : 'REDUCE_EXPOSURE',
      details: {
        liquidity_change: -roundShare(drop),
        liquidity_before_usd: roundUsd(peakUsd),
        liquidity_after_usd: roundUsd(liquidityUsd(change.after, usd)),
        cause: fall.kind,
        pool: change.pool,
        tx_hash: fall.txHash,
        block_number: block.number,
      },
      payouts:
        usd === null
          ? null
          : change.payouts.map(({ wallets, amount }) => ({ wallets, usd: amount * usd })),
      txHash: fall.txHash,
      logIndex: fall.logIndex,
    },
  ];
};

const fallOf = (step: BaseStep): number => step.before - step.after;

const largestFall = (steps: readonly BaseStep[]): BaseStep | undefined =>
  steps
    .filter((step) => fallOf(step) > 0)
    .toSorted((a, b) => fallOf(b) - fallOf(a))
    .at(0);

/** Share of the block's fall a step needs, for its wallets to have drained the pool. */
const DRAINER_SHARE_MIN = 0.25;

const walletsOfFalls = (steps: readonly BaseStep[]): Hex[] => {
  const total = steps.reduce((sum, step) => sum + Math.max(0, fallOf(step)), 0);
  const drains = steps.filter((step) => fallOf(step) >= total * DRAINER_SHARE_MIN);
  return [...new Set(drains.flatMap(({ wallets }) => wallets))];
};
