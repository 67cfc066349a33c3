import type { Tokens } from '../ports.ts';
import { sortValue } from '../queries/listVerdicts.ts';
import type { Verdict } from '../queries/verdict.ts';
import { matchesFilter } from '../search/matchesFilter.ts';

type Place = readonly [value: number | string, token: string];

const compareValues = (a: number | string, b: number | string): number =>
  a < b ? -1 : a > b ? 1 : 0;
const comparePlaces = (a: Place, b: Place): number =>
  compareValues(a[0], b[0]) || compareValues(a[1], b[1]);

/** Verdicts in memory, filtered, sorted and cut as the database does it. */
export const createFakeTokens = (verdicts: readonly Verdict[]): Tokens => ({
  find: async (token) => verdicts.find((verdict) => verdict.token === token),
  findRecent: async (token) => verdicts.find((verdict) => verdict.token === token),
  findMany: async (tokens) => verdicts.filter(({ token }) => tokens.includes(token)),
  findDocs: async (tokens) => verdicts.filter(({ token }) => tokens.includes(token)),
  count: async (filter) => verdicts.filter((verdict) => matchesFilter(verdict, filter)).length,
  list: async (page) => {
    const { after, offset, limit, sort } = page;
    const sign = page.order === 'asc' ? 1 : -1;
    const place = (verdict: Verdict): Place => [sortValue(verdict, sort), verdict.token];
    const sorted = verdicts
      .filter((verdict) => matchesFilter(verdict, page))
      .toSorted((a, b) => sign * comparePlaces(place(a), place(b)));
    const rest = after
      ? sorted.filter((entry) => sign * comparePlaces(place(entry), [after.value, after.token]) > 0)
      : sorted.slice(offset);
    return rest.slice(0, limit);
  },
});
