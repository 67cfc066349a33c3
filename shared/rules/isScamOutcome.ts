/**
 * An SQL condition: whether a token's outcome proves it a scam (pipeline/scorer/outcome/OUTCOMES.md).
 * @param outcome a column like `outcome` of `token_outcomes`
 */
export const isScamOutcome = (outcome: string): string => `${outcome} IN ('rug', 'unsellable')`;
