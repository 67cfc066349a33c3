import { isoTime } from '../../shared/rules/isoTime.ts';
import { notFound } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import {
  answerPageB,
  CURSOR_RULE,
  cursorField,
  cursorPageOf,
  decodePlace,
  encodePlace,
  offsetHeaders,
  pageHeaders,
} from '../server/paging.ts';
import { renderOnce, renderPage, successB } from '../server/present.ts';
import {
  addressInput,
  count,
  envelopeA,
  envelopeB,
  listEnvelopeB,
  offsetField,
  prediction,
  queryInteger,
  queryIntegerOr,
  z,
} from '../server/schema.ts';
import { SHARED_MS_MAX } from '../server/sharedReads.ts';
import { type History, readTokenPage, type Tokens } from './createTokens.ts';
import {
  tokenDetailA,
  tokenListEntryA,
  tokenLocks,
  verdictHistoryEntry,
  verdictVersion,
} from './present.ts';
import {
  tokenDetailSchema,
  tokenListEntrySchema,
  tokenLocksSchema,
  verdictHistoryEntrySchema,
} from './schema.ts';
import { HISTORY_COUNT_MAX } from './verdictHistory.ts';

/** A verdict older than this is served with a header that states its age. */
const VERDICT_OLD_S = 24 * 3_600;

const detailText = renderOnce(tokenDetailSchema, tokenDetailA);

/** GET /tokens/{address} */
export const getToken = ({ tokens }: { tokens: Tokens }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/tokens/{address}',
    id: 'getToken',
    tag: 'Tokens',
    summary: 'Token detail',
    description: `Never starts an analysis. An answer may be ${SHARED_MS_MAX / 1000} s older than what is stored. X-Verdict-Age (seconds) is sent with a verdict older than 24 hours.`,
    params: z.object({ address: addressInput }).strict(),
    response: envelopeA(tokenDetailSchema),
    successes: { 200: 'The token' },
    errors: [404],
    handle: async ({ params, nowMs }) => {
      const verdict = await tokens.findRecent(params.address);
      if (!verdict) throw notFound('not analysed yet: POST /tokens/analyze');
      const ageS = Math.floor((nowMs - verdict.analyzedAtMs) / 1000);
      return {
        json: `{"success":true,"data":${detailText(verdict)},"timestamp":"${isoTime(nowMs)}"}`,
        version: `${verdictVersion(verdict)}.${verdict.clusterId ?? ''}`,
        ...(ageS > VERDICT_OLD_S ? { headers: { 'X-Verdict-Age': String(ageS) } } : {}),
      };
    },
  });

/** GET /api/tokens/{address}/locks */
export const getTokenLocks = ({ tokens }: { tokens: Tokens }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/tokens/{address}/locks',
    id: 'getTokenLocks',
    tag: 'Tokens',
    summary: 'Locks of liquidity and supply',
    description:
      'Locks of a token and its liquidity, real or claimed, as of its verdict, in the order in which they were created. A lock is believed only if it was shown that it cannot be opened before its end.',
    params: z.object({ address: addressInput }).strict(),
    response: envelopeB(tokenLocksSchema),
    successes: { 200: 'The locks of the token; none if nothing is locked' },
    errors: [404],
    handle: async ({ params }) => {
      const verdict = await tokens.findRecent(params.address);
      if (!verdict) throw notFound('not analysed yet: POST /api/predict/{address}');
      return { body: successB(tokenLocks(verdict)) };
    },
  });

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
  const { limit, sort, order, cursor, prediction: only, min_confidence: minConfidence } = query;
  const offset = cursor === undefined ? query.offset : 0;
  const filter = { prediction: only, minConfidence };
  const { verdicts, total, nextCursor } = await readTokenPage(tokens, {
    filter,
    sort,
    order,
    limit,
    offset,
    cursor,
  });
  const { cursor: _cursor, offset: _offset, ...rest } = query;
  const list = { url, query: rest, total };
  const place = JSON.stringify({ total, limit, offset, next_cursor: nextCursor }).slice(1);
  return {
    json: `{"success":true,"data":{"tokens":${entriesText(verdicts, limit)},${place},"timestamp":"${isoTime(nowMs)}"}`,
    headers:
      cursor === undefined
        ? offsetHeaders({ ...list, limit, offset })
        : pageHeaders({ ...list, next: nextCursor === null ? undefined : { cursor: nextCursor } }),
  };
};

/** GET /tokens */
export const listTokens = ({ tokens, baseUrl }: { tokens: Tokens; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/tokens',
    id: 'getTokens',
    tag: 'Tokens',
    summary: 'List analysed tokens',
    description: `Equal sort values are ordered by address, so pages are stable. Values outside their range are refused, not clamped. ${CURSOR_RULE}`,
    query: querySchema,
    response: envelopeA(dataSchema),
    successes: { 200: 'A page of tokens' },
    handle: ({ query, nowMs }) => page(tokens, query, `${baseUrl}/tokens`, nowMs),
  });

const LIST = 'history';
/**
 * Hash of the block, then the horizon in seconds: a block may have a verdict of its own and others at horizons.
 */
const ROW = /^([0-9a-f]{64}):(\d{1,6})$/;

const read = (
  history: History,
  token: `0x${string}`,
  query: { limit: number; cursor?: string | undefined },
  url: string,
) =>
  answerPageB({
    page: cursorPageOf(query),
    filters: {},
    url,
    load: async ({ limit, cursor }) => {
      const place = decodePlace(LIST, cursor, ROW);
      const [, blockHash = '', horizonS] = ROW.exec(place?.id ?? '') ?? [];
      const before = place && { blockNumber: place.value, blockHash, horizonS: Number(horizonS) };
      const [entries, total] = await Promise.all([
        history.list(token, { limit, before }),
        history.count(token),
      ]);
      if (total === 0) throw notFound('not analysed yet: POST /api/predict/{address}');
      return { entries, total };
    },
    cursorOf: ({ blockNumber, blockHash, horizonS }) =>
      encodePlace(LIST, { value: blockNumber, id: `${blockHash.slice(2)}:${horizonS}` }),
    present: verdictHistoryEntry,
  });

/** GET /api/tokens/{address}/history */
export const getTokenHistory = (ports: { history: History; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/tokens/{address}/history',
    id: 'getTokenHistory',
    tag: 'Tokens',
    summary: 'Verdict history',
    description: `Verdicts of a token, newest first, each with what changed since the one before. Pages by cursor. \`total\` counts up to ${HISTORY_COUNT_MAX}. ${CURSOR_RULE}`,
    params: z.object({ address: addressInput }).strict(),
    query: z.object({ limit: queryIntegerOr(50, 1, 500), cursor: cursorField }).strict(),
    response: listEnvelopeB(verdictHistoryEntrySchema),
    successes: { 200: 'A page of the history' },
    errors: [404],
    handle: ({ params, query }) =>
      read(
        ports.history,
        params.address,
        query,
        `${ports.baseUrl}/api/tokens/${params.address}/history`,
      ),
  });
