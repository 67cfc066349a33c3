import { successB } from '../present/styleB.ts';
import type { QueryValues } from './pageLinks.ts';
import { type PagingQuery, pageAnswer, pageOf } from './pagingB.ts';

/** The part of a list that a page needs. */
export interface ListPart {
  readonly limit: number;
  readonly offset: number;
  /** As the client sent it; the part begins after the place it stands for. */
  readonly cursor: string | undefined;
}

/**
 * A page of a list of style B: entries, `pagination` and headers.
 * @throws ApiError 400 for a place that cannot be, and whatever `load` throws.
 */
export const answerPageB = async <Entry, Body>(args: {
  query: PagingQuery;
  /** Parameters besides paging, which links repeat. */
  filters: QueryValues;
  /** Of the list, without a query. */
  url: string;
  load: (part: ListPart) => Promise<{ entries: readonly Entry[]; total: number }>;
  /** The place after an entry. */
  cursorOf: (entry: Entry) => string;
  present: (entry: Entry) => Body;
}) => {
  const page = pageOf(args.query);
  const { limit, offset, cursor } = page;
  // One more than asked for tells whether there is a next page.
  const { entries, total } = await args.load({ limit: limit + 1, offset, cursor });
  const shown = entries.slice(0, limit);
  const last = shown.at(-1);
  const { pagination, headers } = pageAnswer({
    page,
    total,
    nextCursor: last && entries.length > limit ? args.cursorOf(last) : null,
    url: args.url,
    query: args.filters,
  });
  return { body: { ...successB(shown.map(args.present)), pagination }, headers };
};
