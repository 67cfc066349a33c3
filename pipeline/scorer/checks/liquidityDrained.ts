import { sentence } from '../../../shared/sentences/sentence.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import type { CheckInput } from './checkInput.ts';
import type { CheckResult } from './checkResult.ts';
import { callRequest, receiptRequest } from './evidence.ts';

/** A pool left with this share of its peak is drained: the label the model is trained on. */
const DRAINED_SHARE_MAX = 0.05;
const GET_RESERVES = selectorOf('getReserves()');
/** Whole native coins a pool must have held for its draining to matter. */
const PEAK_BASE_MIN = 0.5;

/** Whether the base liquidity of the main pool is gone. */
export const liquidityDrained = ({ pool }: CheckInput): CheckResult => {
  const check = { id: 'liquidity_drained', severity: 'critical' } as const;
  if (!pool) return { ...check, status: 'not_applicable', reason: sentence('noPool') };
  const left = pool.peakBase > 0 ? pool.currentBase / pool.peakBase : 1;
  const { pool_address, last_block, largest_drop_tx } = pool.stored;
  const evidence = [
    {
      kind: 'address',
      ref: pool_address,
      note: sentence('atBlock', { call: 'getReserves()', block: String(last_block) }),
      request: callRequest(pool_address, GET_RESERVES, last_block),
    },
    {
      kind: 'tx',
      ref: largest_drop_tx,
      note: sentence('largestFall'),
      request: receiptRequest(largest_drop_tx),
    },
  ] as const;
  const value = Math.round((1 - left) * 10_000) / 10_000;
  if (pool.peakBase < PEAK_BASE_MIN || left > DRAINED_SHARE_MAX) {
    const reason = sentence('poolHolds', { share: left });
    return { ...check, status: 'pass', value, reason, evidence: [evidence[0]] };
  }
  const reason = sentence('poolLost', { share: value });
  return { ...check, status: 'fail', value, reason, evidence: [...evidence] };
};
