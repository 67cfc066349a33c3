import type { VerdictDoc } from '../../shared/messages/verdictDoc.ts';
import type { Verdict } from '../queries/verdict.ts';
import type { VerdictHistoryEntry } from '../schema/tokenB.ts';
import { isoTime } from './isoTime.ts';
import { confidenceB, riskScoreB } from './tokenB.ts';

/** The heaviest changes are the reason; the many light ones are noise. */
const CHANGES_MAX = 10;
/** Log-odds that count as a change. */
const DELTA_MIN = 0.005;
const DIGITS = 4;

const rounded = (value: number): number => Number(value.toFixed(DIGITS));

/** What moved the verdict since the one before, heaviest first. */
const changesBetween = (before: VerdictDoc, after: VerdictDoc): VerdictHistoryEntry['changed'] => {
  const names = new Set([...Object.keys(before.shap_values), ...Object.keys(after.shap_values)]);
  return [...names]
    .map((feature) => ({
      feature,
      from: before.features[feature] ?? null,
      to: after.features[feature] ?? null,
      contribution_delta: rounded(
        (after.shap_values[feature] ?? 0) - (before.shap_values[feature] ?? 0),
      ),
    }))
    .filter(({ contribution_delta: delta }) => Math.abs(delta) >= DELTA_MIN)
    .toSorted((a, b) => Math.abs(b.contribution_delta) - Math.abs(a.contribution_delta))
    .slice(0, CHANGES_MAX);
};

/** A verdict of the past with what changed since the one before it, if there is one. */
export const verdictHistoryEntry = (
  verdict: Omit<Verdict, 'clusterId'>,
  before: Omit<Verdict, 'clusterId'> | undefined,
): VerdictHistoryEntry => ({
  at: isoTime(verdict.analyzedAtMs),
  block_number: verdict.blockNumber,
  prediction: verdict.prediction,
  is_rug: verdict.prediction === 'SCAM',
  confidence: confidenceB(verdict.confidence),
  risk_score: riskScoreB(verdict.riskScore),
  model: verdict.model,
  changed: before ? changesBetween(before.doc, verdict.doc) : [],
});
