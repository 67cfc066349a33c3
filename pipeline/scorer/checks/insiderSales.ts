import { sentence } from '../../../shared/sentences/sentence.ts';
import { defineCheck } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import { type CheckOutcome, rounded, txEvidence } from './checkResult.ts';
import { leftOf, PEAK_BASE_MIN } from './marketChecks.ts';

/** Of the tokens that a pool holds now, those that came from insiders: they took out this share of its money (`x · y = k`). */
const SOLD_SHARE_MIN = 0.5;

/** Whether those behind the token sold so many tokens they never paid for that half of the pool's money or more is gone. */
const insidersSold = ({ pool, insiderSales }: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  if (!pool || !insiderSales)
    return { ...check, status: 'not_applicable', reason: sentence('salesUnread') };
  const { sold, txHashes } = insiderSales;
  const share = Math.min(1, Number(sold) / Math.max(1, Number(pool.stored.current_token)));
  const value = rounded(share);
  const left = leftOf(pool);
  if (share < SOLD_SHARE_MIN || left > 1 - SOLD_SHARE_MIN || pool.peakBase < PEAK_BASE_MIN) {
    return { ...check, status: 'pass', value, reason: sentence('fewSoldByInsiders') };
  }
  const evidence = txHashes.map((txHash) => txEvidence(txHash, sentence('soldByInsider')));
  const reason = sentence('soldByInsiders', { share, left });
  return { ...check, status: 'fail', value, reason, evidence };
};

export const insiderSalesCheck = defineCheck({
  id: 'insider_sales',
  question: { topic: 'holders', whenPassed: 'no' },
  // What buyers paid is gone as after a withdrawal of the liquidity. No recording tells who sold.
  failed: { logOdds: 2.5, kind: 'accusation' },
  failsIf:
    'within a week, the creator, wallets that it paid, and wallets that it gave tokens to itself (of all these the five that sold most) sold tokens they had not bought, half of what the main pool holds now or more, and half of its highest reserve or less is left; pools of Uniswap V2',
  severity: 'warning',
  run: insidersSold,
});
