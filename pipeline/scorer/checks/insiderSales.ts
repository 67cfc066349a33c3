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
    'within a week, insiders sold at least 40 % of what the markets hold now, and at most 60 % of the highest reserve is left. Insiders are wallets that were each given at least 0.5 % of what the markets hold, and what counts are tokens that they were given or bought before anybody else could. A withdrawal of liquidity of at least 10 % is added. Given tokens came from the creator or from a mint, even if no log shows it, to a wallet or to the token contract, directly or through wallets that pass tokens on to at most ten others. Purchases count if the creator, or a wallet that depends on it, made them up to the block in which somebody else first bought',
  severity: 'warning',
  run: insidersSold,
});
