import { notFound } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { offsetHeaders } from '../server/paging.ts';
import { successA } from '../server/present.ts';
import {
  address,
  count,
  envelopeA,
  fraction,
  offsetField,
  percent,
  prediction,
  queryIntegerOr,
  z,
} from '../server/schema.ts';
import { CLUSTER_SORTS, type Cluster, type ClusterDetail, type Clusters } from './queries.ts';

const statisticsFields = {
  size: count,
  tokens_created: count,
  scam_rate: fraction,
  total_stolen: z.number().openapi({ description: 'USD' }),
  victims: count,
};

/** A ring in a list. */
export const clusterEntrySchema = z
  .object({ id: z.string(), name: z.string(), risk_score: percent, ...statisticsFields })
  .openapi('ClusterListEntry');
export type ClusterEntry = z.infer<typeof clusterEntrySchema>;

/** A ring with its wallets, tokens and evidence. */
export const clusterDetailSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    wallets: z.array(
      z.object({ address, role: z.enum(['master', 'puppet']), risk_score: percent }),
    ),
    tokens: z.array(z.object({ address, name: z.string(), prediction, confidence: percent })),
    statistics: z.object(statisticsFields),
    evidence: z
      .array(
        z.object({
          rule: z.string(),
          wallets: z.array(address),
          tx_hash: z.string().nullable(),
          confidence: fraction,
        }),
      )
      .optional()
      .openapi({ description: 'why these wallets were joined' }),
  })
  .openapi('ClusterDetail');
export type ClusterBody = z.infer<typeof clusterDetailSchema>;

const ID_LENGTH_MAX = 64;
const SIZE_MIN_DEFAULT = 3;
const SIZE_MIN_MAX = 100_000;

const statistics = (cluster: Cluster) => ({
  size: cluster.size,
  tokens_created: cluster.tokensCreated,
  scam_rate: cluster.tokensCreated === 0 ? 0 : cluster.scams / cluster.tokensCreated,
  total_stolen: cluster.stolenUsd,
  victims: cluster.victims,
});

const clusterEntry = (cluster: Cluster): ClusterEntry => ({
  id: cluster.id,
  name: cluster.name,
  risk_score: Math.round(cluster.riskScore),
  ...statistics(cluster),
});

const clusterBody = (cluster: ClusterDetail): ClusterBody => ({
  id: cluster.id,
  name: cluster.name,
  wallets: cluster.wallets.map(({ address, role, riskScore }) => ({
    address,
    role,
    risk_score: Math.round(riskScore),
  })),
  tokens: cluster.tokens.map((token) => ({
    ...token,
    confidence: Math.round(token.confidence * 100),
  })),
  statistics: statistics(cluster),
  evidence: cluster.evidence.map(({ rule, wallets, txHash, confidence }) => ({
    rule,
    wallets: [...wallets],
    tx_hash: txHash,
    confidence,
  })),
});

/** GET /clusters */
export const listClusters = (ports: { clusters: Clusters; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/clusters',
    id: 'getClusters',
    tag: 'Clusters',
    summary: 'List clusters',
    description: 'Rings of related wallets. Equal sort values: larger ones first, then by id.',
    query: z
      .object({
        limit: queryIntegerOr(50, 1, 100),
        offset: offsetField,
        min_size: queryIntegerOr(SIZE_MIN_DEFAULT, 1, SIZE_MIN_MAX),
        sort: z.enum(CLUSTER_SORTS).default('risk_score'),
        order: z.enum(['asc', 'desc']).default('desc'),
      })
      .strict(),
    response: envelopeA(
      z.object({
        clusters: z.array(clusterEntrySchema),
        total: count,
        limit: count,
        offset: count,
      }),
    ),
    successes: { 200: 'A page of clusters' },
    handle: async ({ query, nowMs }) => {
      const { limit, offset, min_size: sizeMin, sort, order } = query;
      const page = { size: { min: sizeMin }, sort, order, limit, offset };
      const { clusters, total } = await ports.clusters.list(page);
      return {
        body: successA({ clusters: clusters.map(clusterEntry), total, limit, offset }, nowMs),
        headers: offsetHeaders({
          url: `${ports.baseUrl}/clusters`,
          query: { min_size: sizeMin, sort, order },
          total,
          limit,
          offset,
        }),
      };
    },
  });

/** GET /clusters/{id} */
export const getCluster = ({ clusters }: { clusters: Clusters }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/clusters/{id}',
    id: 'getCluster',
    tag: 'Clusters',
    summary: 'Cluster detail',
    description:
      'Ids survive re-clustering: the id of a merged cluster answers 404 and names the surviving one.',
    params: z.object({ id: z.string().min(1).max(ID_LENGTH_MAX) }).strict(),
    response: envelopeA(clusterDetailSchema),
    successes: { 200: 'The cluster' },
    errors: [404],
    handle: async ({ params, nowMs }) => {
      const found = await clusters.find(params.id);
      if (!found) throw notFound('no such cluster');
      if (found.kind === 'merged') throw notFound(`merged into ${found.into}`);
      const { cluster } = found;
      return {
        body: successA(clusterBody(cluster), nowMs),
        version: `${cluster.id}-${cluster.version}`,
      };
    },
  });
