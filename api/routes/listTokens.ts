import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import type { Tokens } from '../ports.ts';
import { isoTime } from '../present/isoTime.ts';
import { renderPage } from '../present/renderPage.ts';
import { tokenListEntryA } from '../present/styleA.ts';
import { sortValue } from '../queries/listVerdicts.ts';
import { envelopeA } from '../schema/envelope.ts';
import {
  count,
  nothing,
  OFFSET_MAX,
  offsetField,
  prediction,
  queryInteger,
  queryIntegerOr,
} from '../schema/fields.ts';
import { tokenListEntrySchema } from '../schema/token.ts';
import { z } from '../schema/zod.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { EXAMPLE_TIME, exampleListEntry } from './examples.ts';
import { offsetSteps, pageHeaders } from './pageLinks.ts';
import { CURSOR_RULE, cursorField } from './pagingB.ts';

const querySchema = z
  .object({
    limit: queryIntegerOr(50, 1, 100),
    offset: offsetField,
    prediction: prediction.optional(),
    min_confidence: queryInteger(0, 100),
    sort: z.enum(['created_at', 'confidence', 'risk_score']).default('created_at'),
    order: z.enum(['asc', 'desc']).default('desc'),
    cursor: cursorField,
  })
  .strict();

const dataSchema = z.object({
  tokens: z.array(tokenListEntrySchema),
  total: count,
  limit: count,
  offset: count,
  next_cursor: z.string().nullable().optional(),
});

type Query = z.output<typeof querySchema>;

const entriesText = renderPage(tokenListEntrySchema, tokenListEntryA);

const page = async (tokens: Tokens, query: Query, url: string, nowMs: number) => {
  const { limit, sort, order, prediction: only, min_confidence: minConfidence } = query;
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, sort, order);
  const offset = after ? 0 : query.offset;
  const filter = { prediction: only, minConfidence };
  const [verdicts, total] = await Promise.all([
    // One more than asked for tells whether there is a next page.
    tokens.list({ ...filter, sort, order, limit: limit + 1, offset, after }),
    tokens.count(filter),
  ]);
  const last = verdicts[limit - 1];
  const nextCursor =
    last && verdicts.length > limit
      ? encodeCursor(sort, order, { value: sortValue(last, sort), token: last.token })
      : null;
  const steps = after
    ? { next: nextCursor === null ? undefined : { cursor: nextCursor } }
    : offsetSteps({ total, limit, offset, offsetMax: OFFSET_MAX });
  const { cursor: _cursor, offset: _offset, ...rest } = query;
  const place = JSON.stringify({ total, limit, offset, next_cursor: nextCursor }).slice(1);
  return {
    json: `{"success":true,"data":{"tokens":${entriesText(verdicts, limit)},${place},"timestamp":"${isoTime(nowMs)}"}`,
    headers: pageHeaders({ url, query: rest, total, ...steps }),
  };
};

/** GET /tokens */
export const listTokens = ({ tokens, baseUrl }: { tokens: Tokens; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/tokens',
    id: 'getTokens',
    tag: 'Tokens',
    style: 'A',
    summary: 'List analysed tokens',
    description: `Equal sort values are ordered by address, so pages are stable. Values outside their range are refused, not clamped. ${CURSOR_RULE}`,
    lowestTier: 'free',
    params: nothing,
    query: querySchema,
    response: envelopeA(dataSchema),
    successes: { 200: 'A page of tokens' },
    errors: [400, 401, 429, 500, 503],
    example: {
      success: true,
      data: { tokens: [exampleListEntry], total: 1, limit: 50, offset: 0, next_cursor: null },
      timestamp: EXAMPLE_TIME,
    },
    handle: ({ query, nowMs }) => page(tokens, query, `${baseUrl}/tokens`, nowMs),
  });
