import { sentence } from '../../../shared/sentences/sentence.ts';
import type { FailedSale } from '../features/holderSalesStore.ts';
import { EVIDENCE_MAX, type HoldersExperience } from '../features/holdersExperience.ts';
import { defineCheck } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import { type CheckOutcome, type Evidence, simulationEvidence, txEvidence } from './checkResult.ts';
import { canAllSell, isOnlyEarly, isSentByOthers, refusedBesideSales } from './refusedHolders.ts';

/**
 * Consecutive buyers without a sale from which chance is unlikely. Of 6,640 recorded pools, 410 had this many
 * purchases without a sale, and in 288 of these somebody sold later. It therefore accuses only if nothing shows that
 * holders can sell.
 */
const BUYERS_WITHOUT_SALE_MIN = 24;
/**
 * Blocks over which these purchases must be spread: a launch brings many in one block, before anybody could sell.
 */
const BLOCKS_WITHOUT_SALE_MIN = 10;
/**
 * Holders who bought and sold, from which sales count as free; fewer suffice if all simulated holders can sell too.
 */
const SELLERS_MIN = 5;
const SELLERS_MIN_BESIDE_TRIALS = 3;
/** Share of buyers that must have sold. */
const SELLERS_SHARE_MIN = 0.1;

/**
 * Consecutive holders whose sale failed, and who have not sold since, from which chance is ruled out. A single failed
 * sale proves nothing: the price moves, and a wallet tries again. Even if one holder in five gives up after a
 * failure, eight in a row have a probability of three in a million.
 */
const FAILED_SELLERS_MIN = 8;
/** Blocks over which these sales must be spread: when a price falls, many fail in one block. */
const FAILED_BLOCKS_MIN = 5;
/** The share of sellers among those who tried since the first of them must be below this. */
const FAILED_SOLD_SHARE_MAX = 0.1;

/**
 * Robbed buyers, and their share of those examined, from which only the token can be the cause: a few may have signed
 * what others' transactions execute.
 */
const ROBBED_MIN = 5;
const ROBBED_SHARE_MIN = 0.25;

/** Consecutive holders whose sales failed, and the number of others who sold since the first of them. */
interface FailedRun {
  readonly sales: readonly FailedSale[];
  readonly sold: number;
}

const isRefusal = ({ sales, sold }: FailedRun): boolean =>
  sales.length >= FAILED_SELLERS_MIN &&
  new Set(sales.map(({ blockNumber }) => blockNumber)).size >= FAILED_BLOCKS_MIN &&
  sold < SELLERS_MIN &&
  sold < FAILED_SOLD_SHARE_MAX * (sold + sales.length);

/**
 * The longest run of refused sales up to now. To accuse an honest token in this way, an attacker has to buy it with
 * eight wallets, hold it, and keep everybody else from selling. A wallet counts once, by its first failure, so
 * sending more changes nothing; and five holders who sell later refute any number of failures. Wallets that received
 * the tokens without buying do not count, nor failures elsewhere than at a contract that trades in the pool.
 */
const refusedRun = ({ failed, soldAt }: HoldersExperience): FailedRun | undefined =>
  failed
    .map(({ blockNumber }, first): FailedRun => {
      const sold = soldAt.filter((block) => block >= blockNumber).length;
      return { sales: failed.slice(first), sold };
    })
    .find(isRefusal);

const failedEvidence = (sales: readonly FailedSale[]): Evidence[] =>
  sales.slice(-EVIDENCE_MAX).map(({ txHash }) => txEvidence(txHash, sentence('saleFailedHere')));

type Taken = NonNullable<NonNullable<CheckInput['trials']>['taken']>;

/** Inputs for judging the experience of holders. */
type Judged = Pick<CheckInput, 'experience' | 'trials' | 'simulation' | 'contract' | 'saleCount'>;

/**
 * Whether so many bought without a sale that sales cannot work for holders; not if all simulated holders can sell, or
 * will be able to, and nobody failed.
 */
const isTrapped = (
  { buyersSinceSale, blocksSinceSale, failed }: HoldersExperience,
  input: Judged,
): boolean =>
  buyersSinceSale >= BUYERS_WITHOUT_SALE_MIN &&
  blocksSinceSale >= BLOCKS_WITHOUT_SALE_MIN &&
  (failed.length > 0 || !(canAllSell(input.trials) || isOnlyEarly(input)));

/** What happened to the tokens of robbed buyers. */
const takenEvidence = ({ robbed }: Taken): Evidence[] =>
  robbed
    .slice(-EVIDENCE_MAX)
    .map(({ bought, takenBy }) =>
      takenBy
        ? txEvidence(takenBy, sentence('takenHere'))
        : txEvidence(bought, sentence('boughtAndGone')),
    );

/** Whether holders were recently seen to sell, which outranks a simulation. */
export const haveHoldersSold = (input: Judged): boolean => {
  const { experience } = input;
  return (
    experience !== undefined &&
    !input.trials?.taken &&
    !refusedBesideSales(input) &&
    !isTrapped(experience, input) &&
    !refusedRun(experience) &&
    experience.sellers >= (canAllSell(input.trials) ? SELLERS_MIN_BESIDE_TRIALS : SELLERS_MIN) &&
    experience.sellers >= SELLERS_SHARE_MIN * experience.buyers
  );
};

/** Whether buyers could sell, judged by what happened in the pools. */
const holderSales = (input: CheckInput): CheckOutcome => {
  const { experience } = input;
  const check = { severity: 'warning' } as const;
  if (!experience) return { ...check, status: 'not_applicable', reason: sentence('noTradesSeen') };
  const { buyers, sellers, buyersSinceSale, purchases, sales, failed } = experience;
  const taken = input.trials?.taken;
  if (taken) {
    const reason = sentence('takenFromHolders', { taken: taken.robbed.length, looked: taken.of });
    const evidence = takenEvidence(taken);
    if (taken.robbed.length >= Math.max(ROBBED_MIN, ROBBED_SHARE_MIN * taken.of)) {
      return { ...check, status: 'fail', value: sellers, reason, evidence };
    }
    return { severity: 'critical', status: 'unknown', value: sellers, reason, evidence };
  }
  const refused = refusedRun(experience);
  if (refused) {
    const count = { failed: refused.sales.length, sold: refused.sold };
    const evidence = failedEvidence(refused.sales);
    return {
      ...check,
      status: 'fail',
      value: refused.sold,
      reason: sentence('salesFail', count),
      evidence,
    };
  }
  if (isTrapped(experience, input)) {
    const reason = sentence(sellers === 0 ? 'nobodySold' : 'nobodySellsNow', {
      buyers: buyersSinceSale,
    });
    const evidence = purchases.map((txHash) => txEvidence(txHash, sentence('boughtHere')));
    return { ...check, status: 'fail', value: sellers, reason, evidence };
  }
  const sold = sales.map((txHash) => txEvidence(txHash, sentence('soldHere')));
  const trials = refusedBesideSales(input);
  if (trials) {
    const { refused, tried, sold: able, repeated, blockNumber, shownBy } = trials;
    const count = { sellers, buyers, refused: refused.length, tried };
    const isLie = repeated !== undefined && isSentByOthers(repeated);
    const reason = sentence(isLie ? 'soldByOthers' : 'onlySomeSold', count);
    const note = sentence('soldAsHolders', { tried, sold: able.length });
    const shown = [
      simulationEvidence(blockNumber, note, shownBy.paid),
      ...(repeated?.shownBy
        ? [simulationEvidence(blockNumber, sentence('soldAgain'), repeated.shownBy)]
        : []),
    ];
    return { ...check, status: 'fail', value: sellers, reason, evidence: [...sold, ...shown] };
  }
  const evidence = [...sold, ...failedEvidence(failed)];
  const status = haveHoldersSold(input) ? 'pass' : 'unknown';
  const reason = sentence(status === 'pass' ? 'holdersSold' : 'fewSold', { buyers, sellers });
  return { ...check, status, value: sellers, reason, evidence };
};

export const holderSalesCheck = defineCheck({
  id: 'holder_sales',
  role: 'holders',
  question: { topic: 'selling', whenPassed: 'yes', inFavour: 2 },
  // No circumstance may outweigh it: holders could not sell or were robbed, or nobody sold and nothing shows that
  // they can.
  failed: { logOdds: 4, kind: 'accusation' },
  passed: -0.5,
  failsIf:
    'One of four findings about independent wallets. (1) At least 24 wallets in a row bought, across at least 10 blocks, and nobody who had bought sold afterwards; this does not count if all simulated holders can sell, or can in four weeks, and no sale has failed. (2) The sales of at least eight wallets failed, across at least five blocks: none of them has sold since, and fewer than five other wallets and fewer than 10 % of all who tried have. (3) At least five simulated holders who never sold are refused, although they have held for longer than others did before selling, and these are two thirds of the simulated holders. Then earlier sales must work when they are simulated again, or must not have been sent by the sellers named in the token’s logs. Half of them are enough if a new buyer is refused with the same message, a quarter if a simulation shows that one person can stop sales. If nearly all holders are refused, no other condition is needed; if a new buyer is refused with the same reason and an earlier sale still works when repeated, sales by others do not count either, and three refused holders are enough if nobody who never sold can sell. (4) At least five of the examined buyers who never sold, and at least 25 % of them, have no tokens left, although in the last 10,000 blocks they sent none away and approved only the router. Three of them and 10 % leave the check unknown, and the token is not called clear. The check passes once five holders have sold, or three if all simulated holders can sell, and at least 10 % of all buyers',
  severity: 'critical, warning',
  run: holderSales,
});
