import type { VerdictSummary } from '../queries/verdict.ts';
import type { TokenB, TokenListEntryB } from '../schema/tokenB.ts';
import { isoTime } from './isoTime.ts';
import { riskLevel } from './styleB.ts';

/** The confidence of style B: that of style A, which is a whole percent, as a fraction. */
export const confidenceB = (confidence: number): number => Math.round(confidence * 100) / 100;

/** A risk score with two decimals: levels are told by this number, so that both always agree. */
export const riskScoreB = (riskScore: number): number => Math.round(riskScore * 100) / 100;

/** A verdict as style B tells it. */
export const tokenB = (verdict: VerdictSummary): TokenB => {
  const riskScore = riskScoreB(verdict.riskScore);
  return {
    address: verdict.token,
    name: verdict.name,
    symbol: verdict.symbol,
    is_rug: verdict.prediction === 'SCAM',
    confidence: confidenceB(verdict.confidence),
    risk_score: riskScore,
    risk_level: riskLevel(riskScore),
  };
};

/** A verdict as a list of style B shows it. */
export const tokenListEntryB = (verdict: VerdictSummary): TokenListEntryB => ({
  ...tokenB(verdict),
  created_at: isoTime(verdict.createdAtS * 1000),
});
