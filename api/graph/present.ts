import type { Hex } from '../../shared/chain/block.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import { confidenceB } from '../tokens/present.ts';
import type { WalletB } from '../wallets/schema.ts';
import { pathCost } from './findPaths.ts';
import type { Graph, GraphEdge, NodeFacts, NodeKind, PathSearch } from './graph.ts';
import type { GraphBody, GraphEdgeBody, GraphNodeBody, GraphPathBody, Network } from './schema.ts';

const nodeId = (kind: NodeKind, address: Hex): string => `${kind}_${address}`;

const isoOf = (atS: number | undefined): string | undefined =>
  atS === undefined ? undefined : isoTime(atS * 1000);

/** Weights are shown with six digits; more would be noise. */
const rounded = (weight: number): number => Math.round(weight * 1e6) / 1e6;

const edgeBody = (edge: GraphEdge, idOf: (address: Hex) => string): GraphEdgeBody => ({
  source: idOf(edge.source),
  target: idOf(edge.target),
  type: edge.type,
  weight: rounded(edge.weight),
  value_usd: edge.valueUsd,
  tx_count: edge.txCount,
  first_at: isoOf(edge.firstAtS),
  last_at: isoOf(edge.lastAtS),
  tx_hash: edge.txHash,
});

const ids = (nodes: readonly NodeFacts[]): ((address: Hex) => string) => {
  const known = new Map(nodes.map(({ address, kind }) => [address, nodeId(kind, address)]));
  return (address) => known.get(address) ?? nodeId('wallet', address);
};

/** The fields of a node that both styles show. */
const nodeBody = (node: NodeFacts, center?: Hex) => ({
  id: nodeId(node.kind, node.address),
  type: node.kind,
  label: node.label,
  prediction: node.verdict?.prediction,
  risk_score: node.riskScore === undefined ? undefined : Math.round(node.riskScore),
  cluster_id: node.clusterId,
  is_center: node.address === center ? true : undefined,
});

const nodeB = (node: NodeFacts, center?: Hex): GraphNodeBody => ({
  ...nodeBody(node, center),
  confidence: node.verdict && confidenceB(node.verdict.confidence),
  is_rug: node.verdict && node.verdict.prediction === 'SCAM',
});

/** A part of the graph in style A. */
export const networkA = ({ center, nodes, edges, isTruncated }: Graph): Network => {
  const idOf = ids(nodes);
  return {
    nodes: nodes.map((node) => ({
      ...nodeBody(node, center),
      confidence: node.verdict && Math.round(confidenceB(node.verdict.confidence) * 100),
    })),
    edges: edges.map((edge) => edgeBody(edge, idOf)),
    truncated: isTruncated,
  };
};

/** A part of the graph in style B. */
export const graphB = (
  { center, kind, nodes, edges, isTruncated }: Graph,
  request: { depth: number; nodesMax: number; edgesMax: number },
): GraphBody => {
  const idOf = ids(nodes);
  return {
    center: nodeId(kind, center),
    kind,
    depth: request.depth,
    nodes: nodes.map((node) => nodeB(node, center)),
    edges: edges.map((edge) => edgeBody(edge, idOf)),
    truncated: isTruncated,
    limits: { max_nodes: request.nodesMax, max_edges: request.edgesMax },
  };
};

/** Paths between two addresses in style B. */
export const graphPathB = (
  search: PathSearch,
  request: { from: Hex; to: Hex; depthMax: number },
): GraphPathBody => {
  const idOf = ids(search.nodes);
  return {
    found: search.paths.length > 0,
    from: idOf(request.from),
    to: idOf(request.to),
    paths: search.paths.map((path) => ({
      length: path.edges.length,
      cost: rounded(pathCost(path)),
      nodes: path.nodes.map(idOf),
      edges: path.edges.map((edge) => edgeBody(edge, idOf)),
    })),
    nodes: search.nodes.map((node) => nodeB(node)),
    searched: {
      max_depth: request.depthMax,
      nodes_visited: search.nodesVisited,
      truncated: search.isTruncated,
    },
  };
};

/** Risk of an unknown wallet. */
const RISK_UNKNOWN = 50;

/** Wallets linked with a wallet, heaviest first. */
export const connectionsOf = (
  { center, nodes, edges }: Graph,
  connectionsMax: number,
): WalletB['connections'] => {
  const facts = new Map(nodes.map((node) => [node.address, node]));
  return edges
    .map((edge) => ({ edge, other: edge.source === center ? edge.target : edge.source }))
    .filter(({ other }) => other !== center && facts.get(other)?.kind === 'wallet')
    .slice(0, connectionsMax)
    .map(({ edge, other }) => ({
      address: other,
      relation: edge.type,
      direction: edge.source === center ? ('out' as const) : ('in' as const),
      weight: rounded(edge.weight),
      risk_score: Math.round(facts.get(other)?.riskScore ?? RISK_UNKNOWN),
      tx_count: edge.txCount ?? 1,
      first_at: isoTime((edge.firstAtS ?? edge.lastAtS ?? 0) * 1000),
      last_at: isoTime((edge.lastAtS ?? 0) * 1000),
    }));
};
