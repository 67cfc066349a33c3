import { sentence } from '../../../shared/sentences/sentence.ts';
import type { HoldersExperience } from '../features/holdersExperience.ts';
import { defineCheck } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import { type CheckOutcome, txEvidence } from './checkResult.ts';

/** Buyers in a row of whom none sold, from which that is no chance: where one trade in four is a sale, one token in a thousand has so many. */
const BUYERS_WITHOUT_SALE_MIN = 24;
/** Blocks that these purchases are spread over: a launch brings many in one block, and nobody has sold by then. */
const BLOCKS_WITHOUT_SALE_MIN = 10;
/** Holders who bought and sold, from which sales are free. */
const SELLERS_MIN = 5;
/** Of those who bought, the share that must have sold. */
const SELLERS_SHARE_MIN = 0.1;

/** Whether so many bought without a sale that sales cannot work for those who hold. */
const isTrapped = ({ buyersSinceSale, blocksSinceSale }: HoldersExperience): boolean =>
  buyersSinceSale >= BUYERS_WITHOUT_SALE_MIN && blocksSinceSale >= BLOCKS_WITHOUT_SALE_MIN;

/** Whether holders were seen to sell, and lately: what they could do outranks what a simulation says. */
export const haveHoldersSold = (experience: HoldersExperience | undefined): boolean =>
  experience !== undefined &&
  !isTrapped(experience) &&
  experience.sellers >= SELLERS_MIN &&
  experience.sellers >= SELLERS_SHARE_MIN * experience.buyers;

/** Whether those who bought could sell, by what happened in the pools. */
const holderSales = ({ experience }: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  if (!experience) return { ...check, status: 'not_applicable', reason: sentence('noTradesSeen') };
  const { buyers, sellers, buyersSinceSale, purchases, sales } = experience;
  if (isTrapped(experience)) {
    const reason = sentence(sellers === 0 ? 'nobodySold' : 'nobodySellsNow', {
      buyers: buyersSinceSale,
    });
    const evidence = purchases.map((txHash) => txEvidence(txHash, sentence('boughtHere')));
    return { ...check, status: 'fail', value: sellers, reason, evidence };
  }
  const evidence = sales.map((txHash) => txEvidence(txHash, sentence('soldHere')));
  const status = haveHoldersSold(experience) ? 'pass' : 'unknown';
  const reason = sentence(status === 'pass' ? 'holdersSold' : 'fewSold', { buyers, sellers });
  return { ...check, status, value: sellers, reason, evidence };
};

export const holderSalesCheck = defineCheck({
  id: 'holder_sales',
  question: { topic: 'selling', whenPassed: 'yes' },
  // One honest token in a thousand: more than any other circumstance outweighs.
  failed: { logOdds: 4, kind: 'accusation' },
  passed: -0.5,
  documentation: {
    failsIf:
      'two dozen wallets in a row bought, in ten blocks or more, and none that had bought sold since, the creator and those it paid left out. It passes once five holders who bought have sold, and a tenth of all buyers',
    severity: 'warning',
  },
  run: holderSales,
});
