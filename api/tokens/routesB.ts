import { RISK_LEVELS } from '../../shared/rules/riskLevel.ts';
import { notFound } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { PAGING_RULES, pageAnswer, pageOf, pagingFieldsB } from '../server/paging.ts';
import { renderOnce, renderPage } from '../server/present.ts';
import {
  addressInput,
  envelopeB,
  isoOf,
  listEnvelopeB,
  ordered,
  queryFraction,
  queryTime,
  z,
} from '../server/schema.ts';
import { readTokenPage, type Tokens } from './createTokens.ts';
import { tokenB, tokenListEntryB, verdictVersion } from './present.ts';
import { tokenBSchema, tokenListEntryBSchema } from './schema.ts';
import type { VerdictFilter } from './verdictPage.ts';
import { VERDICT_SORTS } from './verdictPage.ts';

const querySchema = z
  .object({
    ...pagingFieldsB,
    is_rug: z.enum(['true', 'false']).optional(),
    risk_level: z.enum(RISK_LEVELS).optional(),
    confidence_min: queryFraction,
    confidence_max: queryFraction,
    created_after: queryTime,
    created_before: queryTime,
    sort_by: z.enum(VERDICT_SORTS).default('created_at'),
    sort_order: z.enum(['asc', 'desc']).default('desc'),
  })
  .strict()
  .superRefine(ordered('confidence_min', 'confidence_max'))
  .superRefine(ordered('created_after', 'created_before'));
type Query = z.output<typeof querySchema>;

/** Rounding error of fractions times 100. */
const ROUNDING = 1e-9;

/** Confidences are compared in whole percents, as they are shown. */
export const confidenceFilter = (
  min: number | undefined,
  max: number | undefined,
): Pick<VerdictFilter, 'minConfidence' | 'maxConfidence'> => ({
  minConfidence: min === undefined ? undefined : Math.ceil(min * 100 - ROUNDING),
  maxConfidence: max === undefined ? undefined : Math.floor(max * 100 + ROUNDING),
});

/** Tokens are created on whole seconds; both ends belong to the range. */
export const createdFilter = (
  afterMs: number | undefined,
  beforeMs: number | undefined,
): Pick<VerdictFilter, 'createdFromS' | 'createdToS'> => ({
  createdFromS: afterMs === undefined ? undefined : Math.ceil(afterMs / 1000),
  createdToS: beforeMs === undefined ? undefined : Math.floor(beforeMs / 1000),
});

const filterOf = (query: Query): VerdictFilter => ({
  prediction: query.is_rug && (query.is_rug === 'true' ? 'SCAM' : 'LEGIT'),
  riskLevels: query.risk_level && [query.risk_level],
  ...confidenceFilter(query.confidence_min, query.confidence_max),
  ...createdFilter(query.created_after, query.created_before),
});

const entriesText = renderPage(tokenListEntryBSchema, tokenListEntryB);

const list = async (tokens: Tokens, query: Query, url: string) => {
  const { page: _page, limit: _limit, offset: _offset, cursor: _cursor, ...filters } = query;
  const { sort_by: sort, sort_order: order } = query;
  const page = pageOf(query);
  const filter = filterOf(query);
  const { verdicts, total, nextCursor } = await readTokenPage(tokens, {
    filter,
    sort,
    order,
    ...page,
  });
  const { pagination, headers } = pageAnswer({
    page,
    total,
    nextCursor,
    url,
    query: {
      ...filters,
      created_after: isoOf(filters.created_after),
      created_before: isoOf(filters.created_before),
    },
  });
  const data = entriesText(verdicts, page.limit);
  return {
    json: `{"data":${data},"success":true,"pagination":${JSON.stringify(pagination)}}`,
    headers,
  };
};

/** GET /api/tokens */
export const listTokensB = ({ tokens, baseUrl }: { tokens: Tokens; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/tokens',
    id: 'listTokens',
    tag: 'Tokens',
    summary: 'List tokens',
    description: `Page mode with \`page\`, or with a \`limit\` above 100 and no \`offset\`: default 100, max 1000. Otherwise offset mode: default 20, max 100. ${PAGING_RULES} Confidences are compared as shown, with two decimals; \`confidence_min\` must be at most \`confidence_max\`. \`created_after\` and \`created_before\` belong to the range; the first must be at most the second. Equal sort values are ordered by address.`,
    query: querySchema,
    response: listEnvelopeB(tokenListEntryBSchema),
    successes: { 200: 'A page of tokens' },
    handle: ({ query }) => list(tokens, query, `${baseUrl}/api/tokens`),
  });

const tokenText = renderOnce(tokenBSchema, tokenB);

/** GET /api/tokens/{address} */
export const getTokenB = ({ tokens }: { tokens: Tokens }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/tokens/{address}',
    id: 'getTokenVerdict',
    tag: 'Tokens',
    summary: 'Token',
    description:
      'The same verdict as `GET /tokens/{address}`. risk_level: LOW < 25 <= MEDIUM < 50 <= HIGH < 75 <= CRITICAL. Never starts an analysis.',
    params: z.object({ address: addressInput }).strict(),
    response: envelopeB(tokenBSchema),
    successes: { 200: 'The token' },
    errors: [404],
    handle: async ({ params }) => {
      const verdict = await tokens.findRecent(params.address);
      if (!verdict) throw notFound('not analysed yet: POST /api/predict/{address}');
      const json = `{"data":${tokenText(verdict)},"success":true}`;
      return { json, version: verdictVersion(verdict) };
    },
  });
