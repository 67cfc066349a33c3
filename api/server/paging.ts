import { parseJson } from '../../shared/platform/parseJson.ts';
import { invalidFields } from './apiError.ts';
import { successB } from './present.ts';
import { OFFSET_MAX, type Pagination, queryInteger, z } from './schema.ts';

/** Values of query parameters; absent ones are left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

const link = (url: string, query: QueryValues, relation: string): string => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.set(name, String(value));
  }
  return `<${url}?${params.toString()}>; rel="${relation}"`;
};

/** `Link` and `X-Total-Count` of a list. `next` and `prev` are absent at its ends. */
export const pageHeaders = (args: {
  url: string;
  query: QueryValues;
  total: number;
  next?: QueryValues | undefined;
  prev?: QueryValues | undefined;
}): Record<string, string> => {
  const links = [
    ...(args.next ? [link(args.url, { ...args.query, ...args.next }, 'next')] : []),
    ...(args.prev ? [link(args.url, { ...args.query, ...args.prev }, 'prev')] : []),
  ];
  return {
    'X-Total-Count': String(args.total),
    ...(links.length > 0 ? { Link: links.join(', ') } : {}),
  };
};

/** The same for a list of style A that is paged by offset, as far as there are entries. */
export const offsetHeaders = (args: {
  url: string;
  query: QueryValues;
  total: number;
  limit: number;
  offset: number;
  offsetMax?: number;
}): Record<string, string> => {
  const { url, query, total, limit, offset, offsetMax = OFFSET_MAX } = args;
  const nextOffset = offset + limit;
  const hasNext = nextOffset < total && nextOffset <= offsetMax;
  return pageHeaders({
    url,
    query,
    total,
    next: hasNext ? { offset: nextOffset, limit } : undefined,
    prev: offset > 0 ? { offset: Math.max(0, offset - limit), limit } : undefined,
  });
};

const OFFSET_LIMIT_DEFAULT = 20;
const OFFSET_LIMIT_MAX = 100;
const PAGE_LIMIT_DEFAULT = 100;
const PAGE_LIMIT_MAX = 1_000;
const CURSOR_LENGTH_MAX = 512;
const NO_CURSOR =
  'is not a cursor of this list, sort and order: send the next_cursor of a page of the same, or none to begin anew';

/** An opaque position in a list, in the base64url alphabet. */
export const cursorText = z
  .string()
  .min(1)
  .max(CURSOR_LENGTH_MAX)
  .regex(/^[A-Za-z0-9_-]*$/, NO_CURSOR);

/** A position in the form of a query parameter. */
export const cursorField = cursorText.optional().openapi({
  description:
    'opaque: the next_cursor of the previous page, of the same list, sort and order; takes precedence over offset',
});

/** Notes on cursors that a schema cannot express: part of the description of each list with cursors. */
export const CURSOR_RULE =
  'A `cursor` must be the `next_cursor` of an earlier page of the same list, sort and order.';

/** Notes on the paging parameters of style B that a schema cannot express. */
export const PAGING_RULES = `\`page\` excludes \`offset\` and \`cursor\`; with \`offset\` a \`limit\` is at most 100. No \`page\` may begin beyond entry 10,000: go on with \`cursor\`. ${CURSOR_RULE}`;

/** The paging parameters of style B, which combines two documented forms. */
export const pagingFieldsB = {
  page: queryInteger(1, OFFSET_MAX + 1).openapi({
    description: 'excludes offset and cursor; (page - 1) * limit is at most 10,000',
  }),
  limit: queryInteger(1, PAGE_LIMIT_MAX).openapi({
    description: 'offset mode: default 20, max 100; page mode: default 100, max 1000',
  }),
  offset: queryInteger(0, OFFSET_MAX).openapi({
    description: 'default 0; refused together with page; the limit is then at most 100',
  }),
  cursor: cursorField,
};

/** Which part of a list is requested. */
interface PageB {
  readonly limit: number;
  /** 0 if a cursor gives the position. */
  readonly offset: number;
  /** The requested page; null in offset mode. */
  readonly page: number | null;
  readonly cursor: string | undefined;
}

interface PagingQuery {
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
}

const refuse = (path: string, message: string, part: 'query' | 'body' = 'query'): never => {
  throw invalidFields([{ in: part, path, message }]);
};

/**
 * Page mode if `page` is given, or if `limit` exceeds 100 without `offset`; else offset mode.
 * @throws ApiError 400 for both at once, and for a position beyond the largest offset.
 */
export const pageOf = (query: PagingQuery): PageB => {
  const { page, limit, offset, cursor } = query;
  if (page !== undefined && offset !== undefined) refuse('offset', 'cannot be given with page');
  if (page !== undefined && cursor !== undefined) refuse('cursor', 'cannot be given with page');
  const isPageMode =
    page !== undefined || (limit !== undefined && limit > OFFSET_LIMIT_MAX && offset === undefined);
  if (!isPageMode) {
    const shown = limit ?? OFFSET_LIMIT_DEFAULT;
    if (shown > OFFSET_LIMIT_MAX) refuse('limit', `must be <= ${OFFSET_LIMIT_MAX} with offset`);
    return { limit: shown, offset: cursor === undefined ? (offset ?? 0) : 0, page: null, cursor };
  }
  const shown = limit ?? PAGE_LIMIT_DEFAULT;
  if (cursor !== undefined) return { limit: shown, offset: 0, page: null, cursor };
  const place = ((page ?? 1) - 1) * shown;
  if (place > OFFSET_MAX) refuse('page', `reaches beyond entry ${OFFSET_MAX}; use cursor`);
  return { limit: shown, offset: place, page: page ?? 1, cursor };
};

/** `pagination` of a page, and the headers with the same content. */
export const pageAnswer = (args: {
  page: PageB;
  total: number;
  /** The position after this page; null at the end of the list. */
  nextCursor: string | null;
  url: string;
  /** Filters, which links repeat. */
  query: QueryValues;
}): { pagination: Pagination; headers: Record<string, string> } => {
  const { page, total, nextCursor, url, query } = args;
  const hasMore = nextCursor !== null;
  const step = (direction: 1 | -1): QueryValues => ({
    limit: page.limit,
    ...(page.page === null
      ? { offset: Math.max(0, page.offset + direction * page.limit) }
      : { page: page.page + direction }),
  });
  const isReachable = page.offset + page.limit <= OFFSET_MAX;
  const byCursor = { limit: page.limit, cursor: nextCursor ?? undefined };
  const next = page.cursor !== undefined || !isReachable ? byCursor : step(1);
  return {
    pagination: {
      total,
      limit: page.limit,
      offset: page.offset,
      page: page.page,
      has_more: hasMore,
      next_cursor: nextCursor,
    },
    headers: pageHeaders({
      url,
      query,
      total,
      ...(hasMore ? { next } : {}),
      ...(page.offset > 0 ? { prev: step(-1) } : {}),
    }),
  };
};

/** The part of a list that a page needs. */
interface ListPart {
  readonly limit: number;
  readonly offset: number;
  /** As the client sent it; the part begins after its position. */
  readonly cursor: string | undefined;
}

/** The page of a list that is paged by cursor only. */
export const cursorPageOf = (query: {
  readonly limit: number;
  readonly cursor?: string | undefined;
}): PageB => ({ limit: query.limit, offset: 0, page: null, cursor: query.cursor ?? '' });

/** The source of a page of a style B list. */
interface PageSource<Entry> {
  readonly page: PageB;
  /** Parameters other than paging, which links repeat. */
  readonly filters: QueryValues;
  /** Path of the list, without a query. */
  readonly url: string;
  readonly load: (part: ListPart) => Promise<{ entries: readonly Entry[]; total: number }>;
  /** The position after an entry. */
  readonly cursorOf: (entry: Entry) => string;
}

/**
 * Reads a page of a style B list: entries, `pagination` and headers.
 * @param args.present renders an entry; `next` is the following one, which may be the first of the next page.
 * @throws whatever `load` throws.
 */
export const answerPageB = async <Entry, Body>(
  args: PageSource<Entry> & {
    readonly present: (entry: Entry, next: Entry | undefined) => Body;
  },
) => {
  const { page } = args;
  const { limit, offset } = page;
  // One more than requested shows whether there is a next page.
  const part = { limit: limit + 1, offset, cursor: page.cursor || undefined };
  const { entries, total } = await args.load(part);
  const last = entries[limit - 1];
  const { pagination, headers } = pageAnswer({
    page,
    total,
    nextCursor: last && entries.length > limit ? args.cursorOf(last) : null,
    url: args.url,
    query: args.filters,
  });
  const shown = entries.slice(0, limit).map((entry, at) => args.present(entry, entries[at + 1]));
  return { body: { ...successB(shown), pagination }, headers };
};

/** The position after an entry, opaque to clients. */
export const encodeCursor = (place: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url');

/**
 * The position that a cursor encodes.
 * @param schema of the positions of the list
 * @param part of the request that contained the cursor
 * @throws ApiError 400 for a text that is not a cursor of this list.
 */
export const decodeCursor = <Place>(
  cursor: string,
  schema: z.ZodType<Place, z.ZodTypeDef, unknown>,
  part: 'query' | 'body' = 'query',
): Place => {
  const place = schema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  return place.success ? place.data : refuse('cursor', NO_CURSOR, part);
};

/** The position of an entry: the number by which the list is sorted, then the id, which breaks ties. */
interface Place {
  /** A whole number. */
  readonly value: number;
  readonly id: string;
}

/** The position after an entry of the list with this name, opaque to clients. */
export const encodePlace = (list: string, { value, id }: Place): string =>
  encodeCursor([list, value, id]);

/**
 * The position that a cursor encodes; undefined without a cursor.
 * @throws ApiError 400 for a text that is not a cursor of this list.
 */
export const decodePlace = (
  list: string,
  cursor: string | undefined,
  idPattern: RegExp,
): Place | undefined => {
  if (cursor === undefined) return undefined;
  const value = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
  const schema = z.tuple([z.literal(list), value, z.string().regex(idPattern)]);
  const place = decodeCursor(cursor, schema);
  return { value: place[1], id: place[2] };
};
