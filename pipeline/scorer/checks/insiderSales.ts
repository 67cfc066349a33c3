import { sentence } from '../../../shared/sentences/sentence.ts';
import { defineCheck } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import { type CheckOutcome, rounded, txEvidence } from './checkResult.ts';
import { liquidityOf } from './marketChecks.ts';

/**
 * Share of the tokens now in the markets that came from insiders: it corresponds to the same share of the money taken
 * out (`x · y = k`). The price falls to a third; a creator who pooled half of the supply and sells the rest reaches
 * at most one half.
 */
const TAKEN_SHARE_MIN = 0.4;
/** The part of that which must have been taken by sales: withdrawals alone are covered by another check. */
const SOLD_SHARE_MIN = 0.1;

/**
 * Whether insiders sold so many tokens that they had received, or bought before others could, that two fifths of the
 * money or more are gone, together with withdrawals.
 */
const insidersSold = (input: CheckInput): CheckOutcome => {
  const { insiderSales, withdrawnShare } = input;
  const check = { severity: 'warning' } as const;
  const liquidity = liquidityOf(input);
  if (!liquidity || !insiderSales)
    return { ...check, status: 'not_applicable', reason: sentence('salesUnread') };
  const { txHashes } = insiderSales;
  // Relative to the holdings before liquidity was withdrawn: small sales are a large share of a small rest.
  const share = insiderSales.share * (1 - withdrawnShare);
  const { left, isSmall } = liquidity;
  const value = rounded(share);
  const isMost = share >= SOLD_SHARE_MIN && share + withdrawnShare >= TAKEN_SHARE_MIN;
  if (!isMost || left > 1 - TAKEN_SHARE_MIN || isSmall)
    return { ...check, status: 'pass', value, reason: sentence('fewSoldByInsiders') };
  const evidence = txHashes.map((txHash) => txEvidence(txHash, sentence('soldByInsider')));
  const reason = sentence('soldByInsiders', { share, left });
  return { ...check, status: 'fail', value, reason, evidence };
};

export const insiderSalesCheck = defineCheck({
  id: 'insider_sales',
  question: { topic: 'holders', whenPassed: 'no' },
  // The buyers' money is gone as after a withdrawal of liquidity. No recording shows who sold.
  failed: { logOdds: 2.5, kind: 'accusation' },
  failsIf:
    'within a week, those behind the token (each given half a percent of what the markets hold now, or more) sold two fifths of that or more, a withdrawal of liquidity counted with them from a tenth on, of what they were given or bought before others could, and three fifths of the highest reserve or less are left. Given is what came from the creator or as tokens were made, even if no log says so, to a wallet or to the token’s own contract, through others too that give to ten at the most; of purchases count those of the creator and of wallets that depend on it, up to the block in which somebody else first bought',
  severity: 'warning',
  run: insidersSold,
});
