import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { CheckInput } from './checkInput.ts';

/** Model probability from which the pattern counts as that of a scam. */
const PROBABILITY_MIN = 0.5;

/**
 * Whether the main pool trades like pools that were drained within a week. Being young is not held
 * against it: most young pools are drained, so it must look worse than others of its age.
 */
export const marketPattern = ({ pool, modelProbability, priorProbability }: CheckInput): Check => {
  const check = { id: 'market_pattern', severity: 'warning' } as const;
  if (!pool) {
    return {
      ...check,
      status: 'unknown',
      reason: 'The token has no pool, so the model saw no trade.',
    };
  }
  const value = Math.round(modelProbability * 10_000) / 10_000;
  const { pool_address, last_block } = pool.stored;
  const evidence = [
    {
      kind: 'address' as const,
      ref: pool_address,
      note: `Sync logs up to block ${last_block}; the contributions in shap_values follow from them`,
    },
  ];
  const like = modelProbability >= PROBABILITY_MIN && modelProbability > priorProbability;
  const reason = `Of pools that traded like this one, ${(100 * modelProbability).toFixed(0)} % were drained within a week.`;
  return { ...check, status: like ? 'fail' : 'pass', value, reason, evidence };
};
