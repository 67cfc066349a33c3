import { foldText } from '../../shared/rules/foldText.ts';
import { riskLevel } from '../../shared/rules/riskLevel.ts';
import type { Observation } from '../health/assessHealth.ts';
import type { RoleState } from '../health/pipelineState.ts';
import {
  CLOSENESS_MAX,
  INSIDE_LENGTH_MIN,
  lettersOf,
  type NameQuestion,
  type RankedHit,
  RELEVANCE,
  RELEVANCE_DIGITS,
  type Traits,
} from '../search/search.ts';
import type { Tokens } from '../tokens/createTokens.ts';
import { confidenceB, riskScoreB } from '../tokens/present.ts';
import type { Verdict, VerdictSummary } from '../tokens/verdict.ts';
import type { VerdictFilter } from '../tokens/verdictPage.ts';
import { sortValue, type VerdictPage } from '../tokens/verdictPage.ts';

const isWithin = (value: number, min: number | undefined, max: number | undefined): boolean =>
  value >= (min ?? value) && value <= (max ?? value);

/** Whether a list with this filter includes the verdict, judged by the numbers as shown. */
const matchesFilter = (verdict: VerdictSummary, filter: VerdictFilter): boolean => {
  const risk = riskScoreB(verdict.riskScore);
  const percent = Math.round(confidenceB(verdict.confidence) * 100);
  return (
    (filter.prediction ?? verdict.prediction) === verdict.prediction &&
    isWithin(percent, filter.minConfidence, filter.maxConfidence) &&
    isWithin(risk, filter.minRisk, filter.maxRisk) &&
    isWithin(verdict.createdAtS, filter.createdFromS, filter.createdToS) &&
    (filter.riskLevels?.includes(riskLevel(risk)) ?? true)
  );
};

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

/** Verdicts in memory, filtered, sorted and paged as in the database. */
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

/** How well a name or symbol matches a text; undefined if it does not. */
const relevanceOf = (term: string, folded: string, field: 'symbol' | 'name') => {
  const [length, whole] = [lettersOf(folded), lettersOf(term)];
  if (term === folded) return RELEVANCE.exact[field];
  const isInside = term.includes(folded) && length >= INSIDE_LENGTH_MIN;
  const place = term.startsWith(folded) ? 'prefix' : isInside ? 'inside' : undefined;
  if (!place) return undefined;
  const closeness = (CLOSENESS_MAX * length) / whole;
  return Number((RELEVANCE[place][field] + closeness).toFixed(RELEVANCE_DIGITS));
};

const rankedHit = (verdict: Verdict, { folded, digits, traded }: NameQuestion): RankedHit[] => {
  const { token } = verdict;
  const isAt = digits !== undefined && token.startsWith(`0x${digits}`);
  const relevances = (['symbol', 'name'] as const).map((field) => ({
    match: field,
    relevance:
      folded === undefined ? undefined : relevanceOf(foldText(verdict[field]), folded, field),
  }));
  const hits = [
    ...(isAt ? [{ match: 'address' as const, relevance: digits.length === 40 ? 1 : 0.89 }] : []),
    ...relevances,
  ].flatMap(({ match, relevance }) =>
    relevance === undefined ? [] : [{ verdict, match, relevance }],
  );
  const best = hits.toSorted((a, b) => b.relevance - a.relevance)[0];
  if (best) return [best];
  return traded.includes(token) ? [{ verdict, match: 'pool', relevance: 1 }] : [];
};

/** Tokens in memory, searched as in the index. */
export const searchVerdicts = (verdicts: readonly Verdict[], question: NameQuestion) => {
  const hits = verdicts
    .flatMap((verdict) => rankedHit(verdict, question))
    .toSorted(
      (a, b) =>
        Number(a.match === 'pool') - Number(b.match === 'pool') ||
        b.relevance - a.relevance ||
        compareValues(a.verdict.token, b.verdict.token),
    );
  const { limit, offset } = question;
  return { total: hits.length, hits: hits.slice(offset, offset + limit) };
};

const SECOND_MS = 1_000;

/** Observations while everything works, on a chain with a block every 12 seconds. */
export const healthyObservation = (nowMs: number): Observation => {
  const role: RoleState = { beatAtMs: nowMs - SECOND_MS, waiting: undefined };
  const headTimeS = Math.floor(nowMs / 1_000) - 5;
  return {
    chainId: 1,
    blockTimeS: 12,
    heartbeatMs: 5 * SECOND_MS,
    checks: { redis: 'up', clickhouse: 'up', index: 'up', nats: 'up' },
    pipeline: {
      roles: { watcher: role, scorer: role, alerts: role, clusters: role, push: role },
      chain: { head: 100, headTimeS, answeredAtMs: nowMs - SECOND_MS, next: 101 },
    },
    indexLagS: 0.4,
    scored: { block: 99, timestampS: headTimeS - 12, head: 99 },
  };
};
