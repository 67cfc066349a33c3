import type { Hex } from '../../../shared/chain/block.ts';
import type { Sentence } from '../../../shared/sentences/sentence.ts';
import { type Answer, resultsOf } from '../simulation/readOutcomes.ts';
import type { SimulationPlan } from '../simulation/simulateParams.ts';
import { type Ask, simulate } from '../simulation/simulatingNode.ts';
import { type Hindrance, type ProbeStage, planHinderedSale, SALE_CALLS } from './probePlan.ts';
import { failureOf, type ProbedSale, saleOf } from './readProbe.ts';

/** Something that keeps a sale from working which works without it, and why. */
export type HinderedSale = Hindrance & { readonly reason: Sentence };

/** Parts of what was bought that are sold: a token may want all of it to be, or take some of it away by then. */
const PARTS = [1n, 8n] as const;

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
 * minute ago, or that code is put where the token looks for a contract and there is none yet.
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
    ...unborn.map((address) => ({ kind: 'code', address }) as const),
  ];
  const tried = hindrances.map((hindrance) => ({
    hindrance,
    plans: PARTS.map((part) => {
      const amount = stage.amount / part;
      return { amount, plan: planHinderedSale(stage, hindrance, part) };
    }),
  }));
  const answers = await simulate(
    ask,
    tried.flatMap(({ plans }) => plans.map(({ plan }) => plan.params)),
  );
  for (const [i, { hindrance, plans }] of tried.entries()) {
    const sales = plans.map(({ plan, amount }, j) =>
      readHinderedSale(plan, answers[i * PARTS.length + j], amount),
    );
    const reasons = sales.map(failureOf);
    const [reason] = reasons;
    if (reason && reasons.every((one) => one !== null)) return { ...hindrance, reason };
  }
  return undefined;
};
