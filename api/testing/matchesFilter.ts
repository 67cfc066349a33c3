import { riskLevel } from '../../shared/rules/riskLevel.ts';
import { confidenceB, riskScoreB } from '../tokens/present.ts';
import type { VerdictFilter } from '../tokens/tokenFilter.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';

const isWithin = (value: number, min: number | undefined, max: number | undefined): boolean =>
  value >= (min ?? value) && value <= (max ?? value);

/** Whether a list with this filter holds the verdict: by the numbers as they are shown. */
export const matchesFilter = (verdict: VerdictSummary, filter: VerdictFilter): boolean => {
  const risk = riskScoreB(verdict.riskScore);
  const percent = Math.round(confidenceB(verdict.confidence) * 100);
  return (
    (filter.prediction ?? verdict.prediction) === verdict.prediction &&
    isWithin(percent, filter.minConfidence, filter.maxConfidence) &&
    isWithin(risk, filter.minRisk, filter.maxRisk) &&
    isWithin(verdict.createdAtS, filter.createdFromS, filter.createdToS) &&
    (filter.riskLevels?.includes(riskLevel(risk)) ?? true)
  );
};
