const RISK_LEVELS_FROM = [
  [75, 'CRITICAL'],
  [50, 'HIGH'],
  [25, 'MEDIUM'],
] as const;

/** The level of a risk score: LOW below 25, MEDIUM below 50, HIGH below 75, CRITICAL from there. */
export const riskLevel = (riskScore: number): 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL' =>
  RISK_LEVELS_FROM.find(([from]) => riskScore >= from)?.[1] ?? 'LOW';
