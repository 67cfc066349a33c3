import { ZERO_HASH } from '../../../shared/chain/block.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import type { Sensitivity } from '../../../shared/messages/watchMessage.ts';
import { roundShare } from './amounts.ts';
import type { Finding, Rule } from './rule.ts';

/** Least change of the tax, as a share of a trade. */
const PRESETS: Readonly<Record<Sensitivity, number>> = { low: 0.1, medium: 0.05, high: 0.01 };
/** Taxes that buyers should know of, and that take most of the money. */
const HIGH_TAX = 0.1;
const CONFISCATING_TAX = 0.5;

/** Found in verdicts: `taxChange`. */
export const taxRule: Rule = {
  type: 'tax_change',
  watchedAs: 'token',
  isOfMessages: true,
  threshold: (_thresholds, sensitivity) => PRESETS[sensitivity],
  looksAt: 'verdicts: the tax of a simulated trade',
  strength: 'change as a share of a trade',
  presets: '0.10 / 0.05 / 0.01',
  severity:
    'critical AVOID from 0.5, warning REDUCE_EXPOSURE from 0.1, else info; less: info NO_ACTION',
  notDetected:
    'a tax set on a token untouched since, taxes of certain wallets, times without simulation',
};

/**
 * The cost of trading a token changed: the larger of the buy and sell taxes that the scorer measured by a simulated
 * trade, relative to the previous measurement (0 to 1). Detected when the token is scored, which happens after a
 * transaction of it or its pool.
 */
export const taxChange = (message: ScoreMessage, before: number, after: number): Finding | null => {
  const change = after - before;
  if (Math.abs(change) < PRESETS.high) return null;
  const { token, blockNumber } = message;
  return {
    type: 'tax_change',
    token,
    wallets: [],
    strength: Math.abs(change),
    ...adviceFor(change, after),
    details: {
      previous_tax: roundShare(before),
      new_tax: roundShare(after),
      tax_change: roundShare(change),
      tx_hash: null,
      block_number: blockNumber,
    },
    txHash: ZERO_HASH,
    logIndex: 0,
  };
};

const adviceFor = (change: number, after: number): Pick<Finding, 'severity' | 'recommendation'> => {
  if (change < 0) return { severity: 'info', recommendation: 'NO_ACTION' };
  if (after >= CONFISCATING_TAX) return { severity: 'critical', recommendation: 'AVOID' };
  if (after >= HIGH_TAX) return { severity: 'warning', recommendation: 'REDUCE_EXPOSURE' };
  return { severity: 'info', recommendation: 'MONITOR' };
};
