/** Weight of the prior, in tokens, against a wallet's own record. */
export const PRIOR_TOKENS = 2;
const PRIOR_SCAM_RATE = 0.5;
const RISK_MAX = 100;
/** Scams from which a creator is a known scammer, if they are at least half of its tokens. */
const KNOWN_SCAMS_MIN = 2;
const KNOWN_SCAM_RATE_MIN = 0.5;
/** Tokens from which a creator is a serial deployer. */
const SERIAL_TOKENS_MIN = 5;

/** Tokens that a wallet or a ring created, by current verdicts. */
export interface CreatorRecord {
  readonly tokens: number;
  /** Tokens that have a verdict. */
  readonly scored: number;
  readonly scams: number;
}

/**
 * 0 to 100: 100 × (scams + 2 × 0.5) / (scored + 2), the mean of a Beta distribution with a prior of
 * one half worth two tokens; 50 without tokens. The feature `creator_risk_score` is the same
 * formula over the results of the creator's earlier pools when the token was created.
 */
export const creatorRisk = ({ scored, scams }: Omit<CreatorRecord, 'tokens'>): number =>
  (RISK_MAX * (scams + PRIOR_TOKENS * PRIOR_SCAM_RATE)) / (scored + PRIOR_TOKENS);

/** Two scams or more, and at least half of the created tokens. */
export const isKnownScammer = ({ tokens, scams }: Omit<CreatorRecord, 'scored'>): boolean =>
  scams >= KNOWN_SCAMS_MIN && scams >= KNOWN_SCAM_RATE_MIN * tokens;

/** Labels of a reputation that follow from the created tokens. */
export const creatorLabels = (record: Omit<CreatorRecord, 'scored'>): string[] => [
  ...(record.tokens >= SERIAL_TOKENS_MIN ? ['serial_deployer'] : []),
  ...(isKnownScammer(record) ? ['known_scammer'] : []),
];

/** The factor `scam_rate` of a reputation, in words. */
export const scamRateText = ({ tokens, scored, scams }: CreatorRecord): string =>
  scored === 0
    ? `None of ${tokens} tokens created has a verdict.`
    : `${scams} of ${scored} judged tokens created ${scams === 1 ? 'is a scam' : 'are scams'}.`;
