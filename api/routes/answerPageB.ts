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

/** What a page of a list of style B is read from. */
interface PageSource<Entry> {
  readonly query: PagingQuery;
  /** Parameters besides paging, which links repeat. */
  readonly filters: QueryValues;
  /** Of the list, without a query. */
  readonly url: string;
  readonly load: (part: ListPart) => Promise<{ entries: readonly Entry[]; total: number }>;
  /** The place after an entry. */
  readonly cursorOf: (entry: Entry) => string;
}

/**
 * Reads a page of a list of style B: what `load` gave, of which `limit` entries are shown, `pagination` and headers.
 * @throws ApiError 400 for a place that cannot be, and whatever `load` throws.
 */
export const readPageB = async <Entry>(args: PageSource<Entry>) => {
  const page = pageOf(args.query);
  const { limit, offset, cursor } = page;
  // One more than asked for tells whether there is a next page.
  const { entries, total } = await args.load({ limit: limit + 1, offset, cursor });
  const last = entries[limit - 1];
  const { pagination, headers } = pageAnswer({
    page,
    total,
    nextCursor: last && entries.length > limit ? args.cursorOf(last) : null,
    url: args.url,
    query: args.filters,
  });
  return { entries, limit, pagination, headers };
};

/** The same as an answer: entries, `pagination` and headers. */
export const answerPageB = async <Entry, Body>(
  args: PageSource<Entry> & { readonly present: (entry: Entry) => Body },
) => {
  const { entries, limit, pagination, headers } = await readPageB(args);
  const shown = entries.slice(0, limit);
  return { body: { ...successB(shown.map(args.present)), pagination }, headers };
};
