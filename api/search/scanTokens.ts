import type { Tokens } from '../ports.ts';
import { sortValue, type VerdictPage, type VerdictPosition } from '../queries/listVerdicts.ts';
import type { VerdictFilter } from '../queries/tokenFilter.ts';
import type { Verdict, VerdictSummary } from '../queries/verdict.ts';
import type { AdvancedBody, AdvancedFilters } from './advancedQuery.ts';
import { foldText } from './foldText.ts';

/** Tokens one search looks at beside their sort values, and how many at a time. */
const EXAMINED_MAX = 4_000;
const CHUNK = 500;

/** What only the document of a verdict can tell. */
export interface DocCondition {
  readonly features?: AdvancedFilters['features'];
  readonly checks?: AdvancedFilters['checks'];
  /** Folded part of name or symbol. */
  readonly text?: string | undefined;
}

/** Whether a verdict satisfies all that the order of tokens does not know. */
export const satisfies = (verdict: Verdict, condition: DocCondition): boolean => {
  const { features = {}, checks = {}, text } = condition;
  const hasText =
    text === undefined ||
    foldText(verdict.name).includes(text) ||
    foldText(verdict.symbol).includes(text);
  if (!hasText) return false;
  const isWithin = Object.entries(features).every(([name, { min, max }]) => {
    const value = verdict.doc.features[name];
    return value !== undefined && value >= (min ?? value) && value <= (max ?? value);
  });
  if (!isWithin) return false;
  const failed = new Set(
    verdict.doc.checks.filter(({ status }) => status === 'fail').map(({ id }) => id),
  );
  const { all = [], any, none = [] } = checks;
  return (
    all.every((id) => failed.has(id)) &&
    (any === undefined || any.length === 0 || any.some((id) => failed.has(id))) &&
    !none.some((id) => failed.has(id))
  );
};

/** Part of what matches, and where to go on. */
export interface Scan {
  readonly found: VerdictSummary[];
  /** Where the next part begins; undefined at the end of the list. */
  readonly next: VerdictPosition | undefined;
}

/**
 * Looks at the tokens of a list one after the other until `wanted` satisfy the condition, the list
 * ends, or enough were looked at: then the caller goes on from `next`.
 */
export const scanTokens = async (
  tokens: Pick<Tokens, 'list' | 'findDocs'>,
  page: VerdictFilter & Pick<VerdictPage, 'sort' | 'order' | 'after'>,
  condition: DocCondition,
  wanted: number,
): Promise<Scan> => {
  const found: VerdictSummary[] = [];
  let { after } = page;
  for (let examined = 0; examined < EXAMINED_MAX; examined += CHUNK) {
    const chunk = await tokens.list({ ...page, after, offset: 0, limit: CHUNK });
    const docs = await tokens.findDocs(chunk.map(({ token }) => token));
    const byToken = new Map(docs.map((verdict) => [verdict.token, verdict]));
    for (const entry of chunk) {
      const verdict = byToken.get(entry.token);
      if (verdict && satisfies(verdict, condition)) found.push(verdict);
      after = { value: sortValue(entry, page.sort), token: entry.token };
      if (found.length === wanted) return { found, next: after };
    }
    if (chunk.length < CHUNK) return { found, next: undefined };
  }
  return { found, next: after };
};

/** The condition of a search beyond what the order of tokens knows; undefined where there is none. */
export const docConditionOf = ({ query, filters }: AdvancedBody): DocCondition | undefined => {
  const { features, checks } = filters;
  if (query === undefined && features === undefined && checks === undefined) return undefined;
  return { features, checks, text: query === undefined ? undefined : foldText(query.trim()) };
};
