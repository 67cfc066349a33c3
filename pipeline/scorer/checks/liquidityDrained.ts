import { selectorOf } from '../../../shared/encode/evmCode.ts';
import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { CheckInput } from './checkInput.ts';
import { callRequest, receiptRequest } from './evidence.ts';

/** A pool left with this share of its peak is drained: the label the model is trained on. */
const DRAINED_SHARE_MAX = 0.05;
const GET_RESERVES = selectorOf('getReserves()');
/** Whole native coins a pool must have held for its draining to matter. */
const PEAK_BASE_MIN = 0.5;

/** Whether the base liquidity of the main pool is gone. */
export const liquidityDrained = ({ pool }: CheckInput): Check => {
  const check = { id: 'liquidity_drained', severity: 'critical' } as const;
  if (!pool) return { ...check, status: 'not_applicable', reason: 'The token has no pool.' };
  const left = pool.peakBase > 0 ? pool.currentBase / pool.peakBase : 1;
  const { pool_address, last_block, largest_drop_tx } = pool.stored;
  const evidence = [
    {
      kind: 'address',
      ref: pool_address,
      note: `getReserves() at block ${last_block}`,
      request: callRequest(pool_address, GET_RESERVES, last_block),
    },
    {
      kind: 'tx',
      ref: largest_drop_tx,
      note: 'largest fall of the reserve',
      request: receiptRequest(largest_drop_tx),
    },
  ] as const;
  const value = Math.round((1 - left) * 10_000) / 10_000;
  if (pool.peakBase < PEAK_BASE_MIN || left > DRAINED_SHARE_MAX) {
    const reason = `The main pool holds ${percent(left)} of its highest reserve.`;
    return { ...check, status: 'pass', value, reason, evidence: [evidence[0]] };
  }
  const reason = `The main pool lost ${percent(1 - left)} of its highest reserve.`;
  return { ...check, status: 'fail', value, reason, evidence: [...evidence] };
};

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
