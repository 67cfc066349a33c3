/** Levels of risk, lowest first; SQL stores their index. */
export const RISK_LEVELS = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** Risk scores from 0 to 100 at which the levels begin. */
const LEVELS_FROM = [0, 25, 50, 75] as const;
/** The same in hundredths, as in the column `risk`. */
export const RISK_LEVELS_FROM = LEVELS_FROM.map((from) => from * 100);

/** The level of a risk score: LOW below 25, MEDIUM below 50, HIGH below 75, CRITICAL from there. */
export const riskLevel = (riskScore: number): RiskLevel =>
  RISK_LEVELS[LEVELS_FROM.findLastIndex((from) => riskScore >= from)] ?? 'LOW';
