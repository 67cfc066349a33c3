import type { Hex } from '../../shared/chain/block.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import { invalidFields, notFound } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { renderOnce, successB } from '../server/present.ts';
import {
  addressInput,
  envelopeA,
  envelopeB,
  queryBoolean,
  queryFraction,
  queryIntegerOr,
  z,
} from '../server/schema.ts';
import {
  EDGE_TYPES,
  EDGES_MAX,
  type EdgeType,
  type Graphs,
  NODES_MAX,
  type NodeKind,
} from './graph.ts';
import { graphB, graphPathB, networkA } from './present.ts';
import { edgeType, graphPathSchema, graphSchema, networkSchema } from './schema.ts';

const DEPTH_DEFAULT = 2;
const DEPTH_MAX = 3;
const NODES_DEFAULT = 200;

const paramsSchema = z.object({ address: addressInput }).strict();

/** A comma-separated list of edge types. */
const typesField = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(edgeType).min(1).max(EDGE_TYPES.length))
  .optional()
  .openapi({
    type: 'string',
    pattern: `^(${EDGE_TYPES.join('|')})(,(${EDGE_TYPES.join('|')})){0,${EDGE_TYPES.length - 1}}$`,
    description: `comma list of ${EDGE_TYPES.join(', ')}`,
    example: EDGE_TYPES.slice(0, 2).join(','),
  });

const graphQuery = z
  .object({
    depth: queryIntegerOr(DEPTH_DEFAULT, 1, DEPTH_MAX),
    limit: queryIntegerOr(NODES_DEFAULT, 1, NODES_MAX).openapi({ description: 'max nodes' }),
    direction: z.enum(['in', 'out', 'both']).default('both'),
    types: typesField,
    min_weight: queryFraction,
  })
  .strict();

const DESCRIPTION = `At most ${NODES_MAX} nodes and ${EDGES_MAX} edges, heaviest first; \`truncated\` is true when something was left out. Hubs (more than 1,000 counterparties) are leaves: nothing is reached through them.`;

/** Parameters of every graph around an address. */
const AROUND_READ = {
  method: 'get',
  isHeavy: true,
  sharesQueries: true,
  lowestTier: 'free',
  params: paramsSchema,
  errors: [400, 401, 404, 429, 500, 503],
} as const;

const networkText = renderOnce(networkSchema, networkA);

/** GET /tokens/{address}/network */
export const getTokenNetwork = ({ graphs }: { graphs: Graphs }): Endpoint =>
  defineEndpoint({
    ...AROUND_READ,
    path: '/tokens/{address}/network',
    id: 'getTokenNetwork',
    tag: 'Tokens',
    summary: 'Token network',
    description: DESCRIPTION,
    query: z.object({ depth: queryIntegerOr(DEPTH_DEFAULT, 1, DEPTH_MAX) }).strict(),
    response: envelopeA(networkSchema),
    successes: { 200: 'The network' },
    handle: async ({ params: { address }, query, nowMs }) => {
      const graph = await graphs.around(address, {
        only: 'token',
        depth: query.depth,
        nodesMax: NODES_MAX,
        direction: 'both',
      });
      if (!graph) throw notFound('no such token in the index');
      return {
        json: `{"success":true,"data":${networkText(graph)},"timestamp":"${isoTime(nowMs)}"}`,
      };
    },
  });

const graphAround = (
  operation: { path: string; id: string; summary: string; description?: string },
  graphs: Graphs,
  only?: NodeKind,
): Endpoint =>
  defineEndpoint({
    ...AROUND_READ,
    description: DESCRIPTION,
    ...operation,
    tag: 'Graph',
    query: graphQuery,
    response: envelopeB(graphSchema),
    successes: { 200: 'The graph' },
    handle: async ({ params: { address }, query }) => {
      const { depth, limit: nodesMax, direction, types, min_weight: minWeight } = query;
      const graph = await graphs.around(address, {
        only,
        depth,
        nodesMax,
        direction,
        types,
        minWeight,
      });
      if (!graph) throw notFound(`no such ${only ?? 'address'} in the index`);
      return { body: successB(graphB(graph, { depth, nodesMax, edgesMax: EDGES_MAX })) };
    },
  });

/** GET /api/graph/token/{address} */
export const getTokenGraph = ({ graphs }: { graphs: Graphs }): Endpoint =>
  graphAround(
    {
      path: '/api/graph/token/{address}',
      id: 'getTokenGraph',
      summary: 'Graph around a token',
    },
    graphs,
    'token',
  );

/** GET /api/graph/wallet/{address} */
export const getWalletGraph = ({ graphs }: { graphs: Graphs }): Endpoint =>
  graphAround(
    {
      path: '/api/graph/wallet/{address}',
      id: 'getWalletGraph',
      summary: 'Graph around a wallet',
    },
    graphs,
    'wallet',
  );

/** GET /api/graph/{address} */
export const getGraph = ({ graphs }: { graphs: Graphs }): Endpoint =>
  graphAround(
    {
      path: '/api/graph/{address}',
      id: 'getGraph',
      summary: 'Graph around any address',
      description: `\`kind\` is token when the address is an indexed ERC-20, else wallet. ${DESCRIPTION}`,
    },
    graphs,
  );

const pathQuery = z
  .object({
    from: addressInput,
    to: addressInput,
    max_depth: queryIntegerOr(4, 1, 6),
    limit: queryIntegerOr(3, 1, 10).openapi({ description: 'paths' }),
    direction: z.enum(['out', 'any']).default('any'),
    types: typesField,
    through_hubs: queryBoolean.openapi({
      description: 'allow exchanges and routers as middle nodes',
    }),
  })
  .strict();

const searchPaths = async (
  graphs: Graphs,
  query: z.output<typeof pathQuery>,
  signal: AbortSignal,
) => {
  const { from, to, max_depth: depthMax } = query;
  if (from === to) {
    throw invalidFields([{ in: 'query', path: 'to', message: 'must differ from `from`' }]);
  }
  const search = await graphs.paths(from as Hex, to as Hex, {
    depthMax,
    pathsMax: query.limit,
    direction: query.direction,
    types: query.types as EdgeType[] | undefined,
    throughHubs: query.through_hubs,
    signal,
  });
  return successB(graphPathB(search, { from, to, depthMax }));
};

/** GET /api/graph/path */
export const getGraphPath = ({ graphs }: { graphs: Graphs }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/graph/path',
    id: 'getGraphPath',
    tag: 'Graph',
    summary: 'Path between two addresses',
    description:
      '`from` and `to` must differ. The shortest paths, cheapest first; the cost of a path is the sum of 1 - weight. Without a path `found` is false; an unknown address cannot be reached. The search runs from both ends for at most 2 seconds; `truncated` is true if that was not enough.',
    isHeavy: true,
    sharesQueries: true,
    lowestTier: 'starter',
    params: z.object({}).strict(),
    query: pathQuery,
    response: envelopeB(graphPathSchema),
    successes: { 200: 'What was found' },
    errors: [400, 401, 403, 429, 500, 503],
    handle: async ({ query, signal }) => ({ body: await searchPaths(graphs, query, signal()) }),
  });
