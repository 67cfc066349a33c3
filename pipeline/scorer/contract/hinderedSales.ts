import type { Hex } from '../../../shared/chain/block.ts';
import type { Sentence } from '../../../shared/sentences/sentence.ts';
import { type Answer, resultsOf } from '../simulation/readOutcomes.ts';
import type { SimulationPlan } from '../simulation/simulateParams.ts';
import { type Ask, simulate } from '../simulation/simulatingNode.ts';
import { type Hindrance, type ProbeStage, planHinderedSale, SALE_CALLS } from './probePlan.ts';
import { failureOf, type ProbedSale, saleOf } from './readProbe.ts';

/** Something that keeps a sale from working which works without it, and why. */
export type HinderedSale = Hindrance & { readonly reason: Sentence };

/** Part of what was bought that is sold where all of it is refused: some of it may be gone by then, or more than may be sold at once. */
const PART = 8n;

/** Reads the answer to `planHinderedSale`; undefined where what should hinder did not come about. */
const readHinderedSale = (
  plan: SimulationPlan,
  answer: Answer | undefined,
  amount: bigint,
): ProbedSale | undefined => {
  const calls = resultsOf(plan, answer) ?? [];
  const before = calls.slice(0, -SALE_CALLS);
  return before.length > 0 && before.every(({ ok }) => ok)
    ? saleOf(calls.slice(-SALE_CALLS), amount)
    : undefined;
};

/**
 * The first thing that keeps a sale from working which works a day and four weeks later: that the price has fallen, that somebody else has bought a
 * minute ago, that many others have bought, or that code is put where the token looks for a contract and there is none yet.
 * @param unborn addresses that the token names, where nobody ever was
 */
export const findHinderedSale = async (
  ask: Ask,
  stage: ProbeStage,
  unborn: readonly Hex[],
): Promise<HinderedSale | undefined> => {
  const hindrances: Hindrance[] = [
    { kind: 'fall' },
    { kind: 'purchase' },
    { kind: 'crowd' },
    ...unborn.map((address) => ({ kind: 'code', address }) as const),
  ];
  const trySales = async (
    tried: readonly Hindrance[],
    part: bigint,
  ): Promise<(Sentence | null)[]> => {
    const plans = tried.map((hindrance) => planHinderedSale(stage, hindrance, part));
    const answers = await simulate(
      ask,
      plans.map(({ params }) => params),
    );
    return plans.map((plan, i) =>
      failureOf(readHinderedSale(plan, answers[i], stage.amount / part)),
    );
  };
  const reasons = await trySales(hindrances, 1n);
  for (const [i, hindrance] of hindrances.entries()) {
    const reason = reasons[i];
    if (!reason) continue;
    const [ofPart] = await trySales([hindrance], PART);
    if (ofPart) return { ...hindrance, reason };
  }
  return undefined;
};
