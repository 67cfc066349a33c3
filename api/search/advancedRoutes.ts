import type { Clock } from '../../shared/platform/clock.ts';
import { foldText } from '../../shared/rules/foldText.ts';
import type { ClusterSort, Clusters } from '../clusters/queries.ts';
import { invalidFields } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { successB } from '../server/present.ts';
import { count, envelopeB, OFFSET_MAX, z } from '../server/schema.ts';
import {
  decodePosition,
  encodePosition,
  readTokenPage,
  type Tokens,
} from '../tokens/createTokens.ts';
import { confidenceFilter, createdFilter } from '../tokens/routesB.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';
import type { VerdictFilter, VerdictSort } from '../tokens/verdictPage.ts';
import { ADVANCED_SORTS, type AdvancedBody, advancedBodySchema } from './advancedQuery.ts';
import { clusterHit, tokenHit, walletHit } from './present.ts';
import { type SearchHit, searchHitSchema } from './schema.ts';
import { hasTraits, type Search, type Traits, type WalletPage } from './search.ts';

const FILTERED = { relevance: 1, match: 'filters' } as const;

interface Ports {
  readonly search: Search;
  readonly tokens: Tokens;
  readonly clusters: Clusters;
  readonly clock: Clock;
}

interface Found {
  readonly results: SearchHit[];
  readonly total: number;
  readonly isTotalExact: boolean;
  readonly nextCursor: string | null;
}

const tokenFilterOf = ({ filters }: AdvancedBody): VerdictFilter => ({
  prediction: filters.is_rug === undefined ? undefined : filters.is_rug ? 'SCAM' : 'LEGIT',
  riskLevels: filters.risk_level,
  minRisk: filters.risk_score?.min,
  maxRisk: filters.risk_score?.max,
  ...confidenceFilter(filters.confidence?.min, filters.confidence?.max),
  ...createdFilter(filters.created?.after, filters.created?.before),
});

const tokenSort = ({ sort_by: sort }: AdvancedBody): VerdictSort =>
  ADVANCED_SORTS.token.find((name) => name === sort) ?? 'created_at';

const tokenHits = (verdicts: readonly VerdictSummary[]): SearchHit[] =>
  verdicts.map((verdict) => tokenHit(verdict, FILTERED));

const offsetOf = ({ page, limit }: AdvancedBody): number => {
  const offset = (page - 1) * limit;
  if (offset <= OFFSET_MAX) return offset;
  const message = `reaches beyond entry ${OFFSET_MAX}; use cursor`;
  throw invalidFields([{ in: 'body', path: 'page', message }]);
};

/** Filters that the token order supports: any page, with an exact total. */
const listTokens = async ({ tokens }: Ports, body: AdvancedBody): Promise<Found> => {
  const { cursor, limit, sort_order: order } = body;
  const offset = cursor === undefined ? offsetOf(body) : 0;
  const page = { filter: tokenFilterOf(body), sort: tokenSort(body), order, limit, offset, cursor };
  const { verdicts, total, nextCursor } = await readTokenPage(tokens, page, 'body');
  return { results: tokenHits(verdicts.slice(0, limit)), total, isTotalExact: true, nextCursor };
};

const traitsOf = ({ query, filters }: AdvancedBody): Traits => ({
  checks: filters.checks,
  features: filters.features,
  text: query === undefined ? undefined : foldText(query),
  creator: filters.creator,
});

/**
 * Filters beyond those of lists: all matches, but for a text of one or two letters only a bounded part of the list.
 */
const examine = async ({ tokens }: Ports, body: AdvancedBody): Promise<Found> => {
  const { cursor, limit, sort_order: order } = body;
  const sort = tokenSort(body);
  const after = cursor === undefined ? undefined : decodePosition(cursor, { sort, order }, 'body');
  const offset = after ? 0 : offsetOf(body);
  const page = { ...tokenFilterOf(body), sort, order, after, offset, limit };
  const { found, next, total } = await tokens.examine(page, traitsOf(body));
  return {
    results: tokenHits(found),
    total: total ?? offset + found.length,
    isTotalExact: total !== undefined,
    nextCursor: next === undefined ? null : encodePosition(page, next),
  };
};

const findTokens = (ports: Ports, body: AdvancedBody): Promise<Found> =>
  hasTraits(traitsOf(body)) ? examine(ports, body) : listTokens(ports, body);

const findWallets = async ({ search }: Ports, body: AdvancedBody): Promise<Found> => {
  const { filters } = body;
  refuseCursor(body);
  const sort: WalletPage['sort'] =
    ADVANCED_SORTS.wallet.find((name) => name === body.sort_by) ?? 'created_at';
  const { wallets, total } = await search.wallets({
    riskScore: filters.risk_score,
    roles: filters.role,
    clusterId: filters.cluster_id,
    tokensCreated: filters.tokens_created,
    scamRate: filters.scam_rate,
    stolenUsd: filters.total_stolen,
    isKnownScammer: filters.is_known_scammer,
    sort,
    order: body.sort_order,
    limit: body.limit,
    offset: offsetOf(body),
  });
  const results = wallets.map((wallet) => walletHit(wallet, FILTERED));
  return { results, total, isTotalExact: true, nextCursor: null };
};

const findClusters = async ({ clusters }: Ports, body: AdvancedBody): Promise<Found> => {
  const { filters, query } = body;
  refuseCursor(body);
  const sort: ClusterSort =
    ADVANCED_SORTS.cluster.find((name) => name === body.sort_by) ?? 'risk_score';
  const { clusters: found, total } = await clusters.list({
    id: filters.cluster_id,
    text: query === undefined ? undefined : foldText(query),
    size: filters.size,
    riskScore: filters.risk_score,
    tokensCreated: filters.tokens_created,
    scamRate: filters.scam_rate,
    stolenUsd: filters.total_stolen,
    sort,
    order: body.sort_order,
    limit: body.limit,
    offset: offsetOf(body),
  });
  const results = found.map((cluster) => clusterHit(cluster, FILTERED));
  return { results, total, isTotalExact: true, nextCursor: null };
};

const refuseCursor = ({ cursor, entity }: AdvancedBody): void => {
  if (cursor === undefined) return;
  const message = `a search for a ${entity} goes by page`;
  throw invalidFields([{ in: 'body', path: 'cursor', message }]);
};

const FINDERS = { token: findTokens, wallet: findWallets, cluster: findClusters } as const;

/** POST /api/search/advanced */
export const searchAdvanced = (ports: Ports): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/api/search/advanced',
    id: 'searchAdvanced',
    tag: 'Search',
    summary: 'Search with filters',
    description:
      'A filter, feature name or sort that does not fit the entity is refused by name. `min` must be at most `max`, and `after` at most `before`; no `page` may begin beyond entry 10,000: continue with `cursor`, which must be the `next_cursor` of an earlier page of the same search. A search by a text of one or two letters examines 1,000 tokens a request: a page may then hold fewer than `limit` entries although `next_cursor` leads to more, and `total` counts what was found so far (`total_is_exact` false).',
    lowestTier: 'pro',
    body: advancedBodySchema,
    response: envelopeB(
      z.object({
        results: z.array(searchHitSchema),
        total: count,
        total_is_exact: z.boolean().openapi({ description: 'added field' }),
        page: z.number().int().min(1),
        limit: count,
        next_cursor: z.string().nullable(),
        took_ms: count,
      }),
    ),
    successes: { 200: 'A page of what was found' },
    handle: async ({ body }) => {
      const startMs = ports.clock.now();
      const found = await FINDERS[body.entity](ports, body);
      return {
        body: successB({
          results: found.results,
          total: found.total,
          total_is_exact: found.isTotalExact,
          page: body.page,
          limit: body.limit,
          next_cursor: found.nextCursor,
          took_ms: Math.max(0, Math.round(ports.clock.now() - startMs)),
        }),
      };
    },
  });
