import type { Tokens } from '../ports.ts';
import { riskLevel } from '../present/styleB.ts';
import { confidenceB, riskScoreB } from '../present/tokenB.ts';
import { sortValue } from '../queries/listVerdicts.ts';
import type { VerdictFilter } from '../queries/tokenFilter.ts';
import type { Verdict } from '../queries/verdict.ts';

type Place = readonly [value: number | string, token: string];

const compareValues = (a: number | string, b: number | string): number =>
  a < b ? -1 : a > b ? 1 : 0;
const comparePlaces = (a: Place, b: Place): number =>
  compareValues(a[0], b[0]) || compareValues(a[1], b[1]);

const isWithin = (value: number, min: number | undefined, max: number | undefined): boolean =>
  value >= (min ?? value) && value <= (max ?? value);

const matches = (verdict: Verdict, filter: VerdictFilter): boolean => {
  const risk = riskScoreB(verdict.riskScore);
  return (
    (filter.prediction ?? verdict.prediction) === verdict.prediction &&
    isWithin(
      Math.round(confidenceB(verdict.confidence) * 100),
      filter.minConfidence,
      filter.maxConfidence,
    ) &&
    isWithin(risk, filter.minRisk, filter.maxRisk) &&
    isWithin(verdict.createdAtS, filter.createdFromS, filter.createdToS) &&
    (filter.riskLevels?.includes(riskLevel(risk)) ?? true)
  );
};

/** Verdicts in memory, filtered, sorted and cut as the database does it. */
export const createFakeTokens = (verdicts: readonly Verdict[]): Tokens => ({
  find: async (token) => verdicts.find((verdict) => verdict.token === token),
  findMany: async (tokens) => verdicts.filter(({ token }) => tokens.includes(token)),
  count: async (filter) => verdicts.filter((verdict) => matches(verdict, filter)).length,
  list: async (page) => {
    const { after, offset, limit, sort } = page;
    const sign = page.order === 'asc' ? 1 : -1;
    const place = (verdict: Verdict): Place => [sortValue(verdict, sort), verdict.token];
    const sorted = verdicts
      .filter((verdict) => matches(verdict, page))
      .toSorted((a, b) => sign * comparePlaces(place(a), place(b)));
    const rest = after
      ? sorted.filter((entry) => sign * comparePlaces(place(entry), [after.value, after.token]) > 0)
      : sorted.slice(offset);
    return rest.slice(0, limit);
  },
});
