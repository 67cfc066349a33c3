/** Probabilities are clipped at this distance from 0 and 1: log-odds stay finite. */
const PROBABILITY_MIN = 1e-4;

/** The log-odds of a probability, kept within ±9.2. */
export const logOdds = (probability: number): number => {
  const p = Math.min(1 - PROBABILITY_MIN, Math.max(PROBABILITY_MIN, probability));
  return Math.log(p / (1 - p));
};
