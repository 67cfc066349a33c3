import type { Hex } from '../../../shared/chain/block.ts';
import type { Sentence } from '../../../shared/sentences/sentence.ts';
import { type Answer, resultsOf } from '../simulation/readOutcomes.ts';
import type { SimulationPlan } from '../simulation/simulateParams.ts';
import { type Ask, simulate } from '../simulation/simulatingNode.ts';
import { type Hindrance, type ProbeStage, planHinderedSale, SALE_CALLS } from './probePlan.ts';
import { failureOf, type ProbedSale, saleOf } from './readProbe.ts';

/** Something that prevents an otherwise working sale, and why. */
export type HinderedSale = Hindrance & { readonly reason: Sentence };

/** What a token may react to. */
export interface Suspects {
  /** Unused addresses that the token names. */
  readonly unborn: readonly Hex[];
  /** Whether the token, or a contract it asks, may count trades or holders. */
  readonly mayCount: boolean;
}

/** Fraction of the bought tokens that is sold where a full sale fails: some may be gone by then, or sales may be limited. */
const PART = 8n;

/** Reads the answer to `planHinderedSale`; undefined if the hindrance did not take effect. */
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
 * The first thing that prevents a sale which works a day and four weeks later: a fallen price, a purchase by somebody
 * else a minute ago, the purchases of many others, or code at an address where the token looks for a contract that does
 * not exist yet.
 */
export const findHinderedSale = async (
  ask: Ask,
  stage: ProbeStage,
  { unborn, mayCount }: Suspects,
): Promise<HinderedSale | undefined> => {
  const hindrances: Hindrance[] = [
    { kind: 'fall' },
    { kind: 'purchase' },
    // 150 purchases are most of what a node computes for a token.
    ...(mayCount ? [{ kind: 'crowd' } as const] : []),
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
