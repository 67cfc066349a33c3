import { invalidRequest, notFound } from '../apiError.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import type { History } from '../ports.ts';
import { successB } from '../present/styleB.ts';
import { verdictHistoryEntry } from '../present/verdictHistoryEntry.ts';
import { HISTORY_COUNT_MAX } from '../queries/verdictHistory.ts';
import { listEnvelopeB } from '../schema/envelope.ts';
import { addressInput, queryIntegerOr } from '../schema/fields.ts';
import { verdictHistoryEntrySchema } from '../schema/tokenB.ts';
import { z } from '../schema/zod.ts';
import { EXAMPLE_TIME } from './examples.ts';
import { CURSOR_RULE, cursorField, pageAnswer } from './pagingB.ts';
import { decodePlace, encodePlace } from './placeCursor.ts';

const LIST = 'history';
/** Hash of the block, then the horizon in seconds: a block may have a verdict of its own and some of horizons. */
const ROW = /^([0-9a-f]{64}):(\d{1,6})$/;

const read = async (
  history: History,
  token: `0x${string}`,
  query: { limit: number; cursor?: string | undefined },
  url: string,
) => {
  const { limit, cursor } = query;
  const place = decodePlace(LIST, cursor, ROW);
  if (place && !Number.isSafeInteger(place.value)) {
    const message = 'is not a cursor of this list';
    throw invalidRequest(`cursor: ${message}`, {
      details: [{ in: 'query', path: 'cursor', message }],
    });
  }
  const [, blockHash = '', horizonS] = ROW.exec(place?.id ?? '') ?? [];
  const before = place && { blockNumber: place.value, blockHash, horizonS: Number(horizonS) };
  const [verdicts, total] = await Promise.all([
    // One more than asked for is what the last one is compared with.
    history.list(token, { limit: limit + 1, before }),
    history.count(token),
  ]);
  if (total === 0) throw notFound('not analysed yet: POST /api/predict/{address}');
  const shown = verdicts.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor =
    last && verdicts.length > limit
      ? encodePlace(LIST, {
          value: last.blockNumber,
          id: `${last.blockHash.slice(2)}:${last.horizonS}`,
        })
      : null;
  const page = { limit, offset: 0, page: null, cursor: cursor ?? '' };
  const answer = pageAnswer({ page, total, nextCursor, url, query: {} });
  const entries = shown.map((verdict, index) => verdictHistoryEntry(verdict, verdicts[index + 1]));
  return {
    body: { ...successB(entries), pagination: answer.pagination },
    headers: answer.headers,
  };
};

/** GET /api/tokens/{address}/history */
export const getTokenHistory = (ports: { history: History; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/tokens/{address}/history',
    id: 'getTokenHistory',
    tag: 'Tokens',
    style: 'B',
    summary: 'Verdict history',
    description: `Verdicts of a token, newest first, each with what changed since the one before. Pages by cursor. \`total\` counts up to ${HISTORY_COUNT_MAX}. ${CURSOR_RULE}`,
    lowestTier: 'free',
    params: z.object({ address: addressInput }).strict(),
    query: z.object({ limit: queryIntegerOr(50, 1, 500), cursor: cursorField }).strict(),
    response: listEnvelopeB(verdictHistoryEntrySchema),
    successes: { 200: 'A page of the history' },
    errors: [400, 401, 404, 429, 500, 503],
    example: {
      data: [
        {
          at: EXAMPLE_TIME,
          block_number: 24_811_234,
          prediction: 'SCAM',
          is_rug: true,
          confidence: 0.94,
          risk_score: 94.12,
          model: 'gbdt-onnx-1.0',
          changed: [{ feature: 'sell_tax', from: 0.05, to: 1, contribution_delta: 1.7 }],
        },
      ],
      success: true,
      pagination: {
        total: 1,
        limit: 50,
        offset: 0,
        page: null,
        has_more: false,
        next_cursor: null,
      },
    },
    handle: ({ params, query }) =>
      read(
        ports.history,
        params.address,
        query,
        `${ports.baseUrl}/api/tokens/${params.address}/history`,
      ),
  });
