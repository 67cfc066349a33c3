import { foldText } from '../../shared/rules/foldText.ts';
import { INSIDE_LENGTH_MIN, lettersOf, type Traits } from '../search/search.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';
import { sortValue, type VerdictPage, type VerdictPosition } from '../tokens/verdictPage.ts';
import type { ListIndex } from './createListIndex.ts';
import type { IndexFilter } from './listPage.ts';
import { countTokens, listTokens } from './tokenReads.ts';

/** A part of a search result. */
export interface Examined {
  readonly found: VerdictSummary[];
  /** Where the next part begins; undefined at the end. */
  readonly next: VerdictPosition | undefined;
  /** The total; undefined if only a part was examined. */
  readonly total: number | undefined;
}

/** Tokens examined in sort order for a text that is too short for trigrams. */
const SHORT_TEXT_ROWS_MAX = 1_000;

const positionOf = (
  verdict: VerdictSummary | undefined,
  { sort }: VerdictPage,
): VerdictPosition | undefined =>
  verdict && { value: sortValue(verdict, sort), token: verdict.token };

/**
 * Tokens, in sort order, whose names contain a short text: examines a bounded number of rows and says where to
 * continue.
 */
const lookAlong = async (
  index: ListIndex,
  page: VerdictPage & IndexFilter,
  text: string,
): Promise<Examined> => {
  const looked = await listTokens(index, { ...page, limit: SHORT_TEXT_ROWS_MAX, offset: 0 });
  const kept = looked.filter(({ name, symbol }) =>
    [name, symbol].some((term) => foldText(term).includes(text)),
  );
  const end = page.offset + page.limit;
  const found = kept.slice(page.offset, end);
  const isWhole = looked.length < SHORT_TEXT_ROWS_MAX;
  const last = kept.length > end ? found.at(-1) : isWhole ? undefined : looked.at(-1);
  const total = isWhole && !page.after ? kept.length : undefined;
  return { found, next: positionOf(last, page), total };
};

/** Tokens of a list that match additional properties. */
export const examineTokens = async (
  index: ListIndex,
  asked: VerdictPage,
  { text, ...others }: Traits,
): Promise<Examined> => {
  if (others.features) await index.know(Object.keys(others.features));
  const page = asked.after ? { ...asked, offset: 0 } : asked;
  if (text !== undefined && lettersOf(text) < INSIDE_LENGTH_MIN) {
    return lookAlong(index, { ...page, traits: others }, text);
  }
  const having = { ...page, traits: { ...others, text } };
  const [entries, total] = await Promise.all([
    listTokens(index, { ...having, limit: page.limit + 1 }),
    countTokens(index, having),
  ]);
  const found = entries.slice(0, page.limit);
  const next = entries.length > page.limit ? positionOf(found.at(-1), page) : undefined;
  return { found, next, total };
};
