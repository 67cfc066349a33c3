import type { ReportDoc } from './report.ts';

/** From this risk on an address that is no scam is worth watching. */
const WATCH_RISK_MIN = 25;

/** What to do about a token or wallet. */
export const adviceOf = (verdict: {
  readonly is_rug: boolean;
  readonly risk_score: number;
}): ReportDoc['verdict']['recommendation'] => {
  if (verdict.is_rug) return 'AVOID';
  return verdict.risk_score >= WATCH_RISK_MIN ? 'MONITOR' : 'NO_ACTION';
};
