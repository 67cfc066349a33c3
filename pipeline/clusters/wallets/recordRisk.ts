/** Tokens one would have to see before a wallet's own record outweighs the prior. */
export const PRIOR_TOKENS = 2;
const PRIOR_SCAM_RATE = 0.5;

/** What a wallet or a ring made, by the verdicts in force. */
export interface ScamRecord {
  /** Tokens that have a verdict. */
  readonly judged: number;
  readonly scams: number;
}

/**
 * 0 to 100: 100 × (scams + 2 × 0.5) / (judged + 2), the mean of a Beta distribution with a prior of
 * one half worth two tokens; 50 where nothing was made. The feature `creator_risk_score` is the same
 * formula over what the creator's earlier pools had come to before the token was born.
 */
export const recordRisk = ({ judged, scams }: ScamRecord): number =>
  (100 * (scams + PRIOR_TOKENS * PRIOR_SCAM_RATE)) / (judged + PRIOR_TOKENS);
