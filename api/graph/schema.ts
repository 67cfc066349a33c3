import { count, fraction, isoDateTime, percent, prediction, z } from '../server/schema.ts';
import { EDGE_TYPES } from './graph.ts';

export const edgeType = z.enum(EDGE_TYPES);

const graphNodeFields = {
  id: z.string().openapi({ description: 'kind + underscore + address' }),
  type: z.enum(['token', 'wallet']),
  label: z.string(),
  prediction: prediction.optional().openapi({ description: 'token nodes' }),
  risk_score: percent.optional().openapi({ description: 'wallet nodes' }),
  cluster_id: z.string().nullable().optional(),
  is_center: z.boolean().optional(),
};

const graphEdgeSchema = z
  .object({
    source: z.string(),
    target: z.string(),
    type: edgeType,
    weight: fraction.openapi({ description: '0-1, log-scaled value share' }),
    value_usd: z.number().optional(),
    tx_count: count.optional(),
    first_at: isoDateTime.optional(),
    last_at: isoDateTime.optional(),
    tx_hash: z.string().optional(),
  })
  .openapi('GraphEdge');
export type GraphEdgeBody = z.infer<typeof graphEdgeSchema>;

/** The neighbourhood of a token, in style A. */
export const networkSchema = z
  .object({
    nodes: z.array(
      z
        .object({
          ...graphNodeFields,
          confidence: percent.optional().openapi({ description: 'token nodes; 0-100' }),
        })
        .openapi('GraphNodeA'),
    ),
    edges: z.array(graphEdgeSchema),
    truncated: z.boolean().optional(),
  })
  .openapi('Network');
export type Network = z.infer<typeof networkSchema>;

const graphNodeSchema = z
  .object({
    ...graphNodeFields,
    confidence: fraction.optional().openapi({ description: 'token nodes; 0-1' }),
    is_rug: z.boolean().optional().openapi({ description: 'token nodes' }),
  })
  .openapi('GraphNode');
export type GraphNodeBody = z.infer<typeof graphNodeSchema>;

/** The neighbourhood of an address, in style B. */
export const graphSchema = z
  .object({
    center: z.string(),
    kind: z.enum(['token', 'wallet']),
    depth: z.number().int().min(1),
    nodes: z.array(graphNodeSchema),
    edges: z.array(graphEdgeSchema),
    truncated: z.boolean(),
    limits: z.object({ max_nodes: count, max_edges: count }),
  })
  .openapi('GraphB');
export type GraphBody = z.infer<typeof graphSchema>;

/** Paths from one address to another, in style B. */
export const graphPathSchema = z
  .object({
    found: z.boolean(),
    from: z.string(),
    to: z.string(),
    paths: z.array(
      z.object({
        length: count,
        cost: z.number().openapi({ description: 'sum of 1 - weight over the edges' }),
        nodes: z.array(z.string()),
        edges: z.array(graphEdgeSchema),
      }),
    ),
    nodes: z.array(graphNodeSchema),
    searched: z.object({ max_depth: count, nodes_visited: count, truncated: z.boolean() }),
  })
  .openapi('GraphPathB');
export type GraphPathBody = z.infer<typeof graphPathSchema>;
