import type { Hex } from '../../shared/chain/block.ts';
import { edgeKey } from './expandGraph.ts';
import type { EdgeFilter, EdgeType, GraphEdge } from './graph.ts';

/** Holders shown of one token. */
export const HOLDERS_MAX = 50;

/** Who tells an edge, the one to be believed first: what is kept, what is exact, what facts say, the pool's own. */
const SOURCES = ['edge', 'token', 'holders', 'fact', 'pool'] as const;

/** An edge as one of its ends sees it. */
export interface NeighbourEdge {
  readonly source: 'edge' | 'token' | 'fact' | 'pool';
  readonly direction: 'out' | 'in';
  readonly type: EdgeType;
  readonly other: Hex;
  readonly nodeIsToken: boolean;
  readonly otherIsToken: boolean;
  readonly weight: number;
  readonly valueUsd: number | undefined;
  readonly txCount: number | undefined;
  readonly firstAtS: number | undefined;
  readonly lastAtS: number | undefined;
  readonly txHash: Hex | undefined;
}

/** What is stored around one address. */
export interface NeighbourRow {
  readonly node: Hex;
  readonly isHub: boolean;
  readonly edges: readonly NeighbourEdge[];
  /** Whether it has more edges. */
  readonly isCut: boolean;
  /** Of a token: address and share of what is held, the largest first; one more than shown where there are more. */
  readonly holders: readonly (readonly [Hex, number])[];
}

/** A share of a whole on a logarithmic scale: 1 is 1, a tenth about 0.67, a thousandth 0.1. */
const SHARE_SCALE = 1_000;
const shareWeight = (share: number): number =>
  Math.min(1, Math.log1p(Math.max(0, share) * SHARE_SCALE) / Math.log1p(SHARE_SCALE));

type Told = readonly [(typeof SOURCES)[number], GraphEdge];

const edgeOf = (node: Hex, edge: NeighbourEdge): Told => {
  const { source, direction, other, nodeIsToken, otherIsToken, ...rest } = edge;
  const [from, to] = direction === 'out' ? [node, other] : [other, node];
  const tokens = [...(nodeIsToken ? [node] : []), ...(otherIsToken ? [other] : [])];
  return [source, { ...rest, source: from, target: to, tokens }];
};

const holdings = ({ node, holders }: NeighbourRow, filter: EdgeFilter): Told[] => {
  const { types, direction, minWeight = 0 } = filter;
  if (direction === 'out' || (types && !types.includes('holds'))) return [];
  return holders.slice(0, HOLDERS_MAX).flatMap(([holder, share]): Told[] => {
    const weight = shareWeight(share);
    const edge = { source: holder, target: node, type: 'holds', weight, tokens: [node] } as const;
    return weight < minWeight ? [] : [['holders', edge]];
  });
};

/** Each edge once, as the source says that is to be believed first. */
export const mergeNeighbours = (rows: readonly NeighbourRow[], filter: EdgeFilter): GraphEdge[] => {
  const told = rows.flatMap((row) => [
    ...row.edges.map((edge) => edgeOf(row.node, edge)),
    ...holdings(row, filter),
  ]);
  const edges = new Map<string, GraphEdge>();
  const ranked = told.toSorted(([a], [b]) => SOURCES.indexOf(a) - SOURCES.indexOf(b));
  for (const [, edge] of ranked) {
    // A movement of facts is the same money as the funding that is kept of it.
    const isFunding =
      edge.type === 'transferred' && edges.has(edgeKey({ ...edge, type: 'funded' }));
    if (!isFunding && !edges.has(edgeKey(edge))) edges.set(edgeKey(edge), edge);
  }
  return [...edges.values()];
};
