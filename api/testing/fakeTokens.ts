import { foldText } from '../../shared/rules/foldText.ts';
import type { Traits } from '../search/traits.ts';
import type { Tokens } from '../tokens/createTokens.ts';
import { sortValue, type VerdictPage } from '../tokens/listVerdicts.ts';
import type { Verdict } from '../tokens/verdict.ts';
import { matchesFilter } from './matchesFilter.ts';

type Place = readonly [value: number | string, token: string];

const compareValues = (a: number | string, b: number | string): number =>
  a < b ? -1 : a > b ? 1 : 0;
const comparePlaces = (a: Place, b: Place): number =>
  compareValues(a[0], b[0]) || compareValues(a[1], b[1]);

const hasTraits = (verdict: Verdict, { checks = {}, features = {}, text, creator }: Traits) => {
  const { all = [], any = [], none = [] } = checks;
  const failed = verdict.doc.checks.filter(({ status }) => status === 'fail').map(({ id }) => id);
  const isWithin = Object.entries(features).every(([name, { min, max }]) => {
    const value = verdict.doc.features[name];
    return value !== undefined && value >= (min ?? value) && value <= (max ?? value);
  });
  return (
    isWithin &&
    (creator ?? verdict.doc.creator.address) === verdict.doc.creator.address &&
    all.every((id) => failed.includes(id)) &&
    (any.length === 0 || any.some((id) => failed.includes(id))) &&
    !none.some((id) => failed.includes(id)) &&
    [verdict.name, verdict.symbol].some((name) => foldText(name).includes(text ?? ''))
  );
};

const listOf = (verdicts: readonly Verdict[], page: VerdictPage): Verdict[] => {
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
};

/** Verdicts in memory, filtered, sorted and cut as the database does it. */
export const createFakeTokens = (verdicts: readonly Verdict[]): Tokens => ({
  find: async (token) => verdicts.find((verdict) => verdict.token === token),
  findRecent: async (token) => verdicts.find((verdict) => verdict.token === token),
  findMany: async (tokens) => verdicts.filter(({ token }) => tokens.includes(token)),
  count: async (filter) => verdicts.filter((verdict) => matchesFilter(verdict, filter)).length,
  list: async (page) => listOf(verdicts, page),
  examine: async (page, traits) => {
    const having = verdicts.filter((verdict) => hasTraits(verdict, traits));
    const found = listOf(having, { ...page, limit: page.limit + 1 });
    const shown = found.slice(0, page.limit);
    const last = shown.at(-1);
    const isMore = last !== undefined && found.length > page.limit;
    return {
      found: shown,
      next: isMore ? { value: sortValue(last, page.sort), token: last.token } : undefined,
      total: having.filter((verdict) => matchesFilter(verdict, page)).length,
    };
  },
});
