import type { Verdict, VerdictSummary } from '../queries/verdict.ts';
import type { TokenDetail, TokenListEntry } from '../schema/token.ts';
import { isoTime } from './isoTime.ts';

/** The success envelope of style A. `nowMs` are Unix milliseconds. */
export const successA = <D>(
  data: D,
  nowMs: number,
): { success: true; data: D; timestamp: string } => ({
  success: true,
  data,
  timestamp: isoTime(nowMs),
});

/** A verdict as a list entry: fractions become whole percents. */
export const tokenListEntryA = (verdict: VerdictSummary): TokenListEntry => ({
  address: verdict.token,
  name: verdict.name,
  symbol: verdict.symbol,
  prediction: verdict.prediction,
  confidence: Math.round(verdict.confidence * 100),
  risk_score: Math.round(verdict.riskScore),
  model: verdict.model,
  created_at: isoTime(verdict.createdAtS * 1000),
  analyzed_at: isoTime(verdict.analyzedAtMs),
});

/** A verdict with its features, attributions, checks and provenance. */
export const tokenDetailA = (verdict: Verdict): TokenDetail => {
  const { features, shap_values, base_value, creator, checks, provenance } = verdict.doc;
  return {
    ...tokenListEntryA(verdict),
    features,
    shap_values,
    creator,
    base_value,
    checks,
    provenance,
    cluster_id: verdict.clusterId,
  };
};
