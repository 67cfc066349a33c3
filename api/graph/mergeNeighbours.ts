import type { Hex } from '../../shared/chain/block.ts';
import { edgeWeight } from '../../shared/rules/edgeWeight.ts';
import { edgeKey } from './expandGraph.ts';
import type { EdgeType, GraphEdge } from './graph.ts';

/** Number of counterparties that makes an address a hub. */
const HUB_COUNTERPARTIES_MAX = 1_000;
/** Holders shown per token. */
const HOLDERS_MAX = 50;

/** Sources of an edge, the most reliable first: stored wallet edges, creations, holders, movements, pools. */
const RANK = { edge: 0, token: 1, holders: 2, movement: 3, pool: 4 } as const;

/** An edge as one of its ends sees it. */
export interface NeighbourEdge {
  readonly source: 'edge' | 'token' | 'movement' | 'pool';
  readonly direction: 'out' | 'in';
  readonly type: EdgeType;
  readonly other: Hex;
  readonly nodeIsToken: boolean;
  readonly otherIsToken: boolean;
  /** 0 to 1; computed from `units` for movements. */
  readonly weight: number;
  /** Whole native units, for movements. */
  readonly units: number;
  readonly valueUsd: number | undefined;
  readonly txCount: number | undefined;
  readonly firstAtS: number | undefined;
  readonly lastAtS: number | undefined;
  readonly txHash: Hex | undefined;
}

/** Everything stored around one address. */
export interface NeighbourRow {
  readonly node: Hex;
  readonly edges: readonly NeighbourEdge[];
  /** For a token: address and share of its holders, largest first; one more than shown if there are more. */
  readonly holders: readonly (readonly [Hex, number])[];
  /** Whether it is a hub whatever its number of counterparties, such as an exchange. */
  readonly isListedHub: boolean;
}

/** A share on a logarithmic scale: 1 is 1, a tenth about 0.67, a thousandth 0.1. */
const SHARE_SCALE = 1_000;
const shareWeight = (share: number): number =>
  Math.min(1, Math.log1p(Math.max(0, share) * SHARE_SCALE) / Math.log1p(SHARE_SCALE));

interface RankedEdge {
  readonly rank: number;
  readonly edge: GraphEdge;
}

const sumOf = (a: NeighbourEdge, b: NeighbourEdge): NeighbourEdge => {
  const [first, last] = (a.firstAtS ?? 0) <= (b.firstAtS ?? 0) ? [a, b] : [b, a];
  return {
    ...first,
    units: a.units + b.units,
    txCount: (a.txCount ?? 0) + (b.txCount ?? 0),
    lastAtS: Math.max(first.lastAtS ?? 0, last.lastAtS ?? 0),
  };
};

/** Movements of one type between a node and another address form one edge. */
const addUp = (edges: readonly NeighbourEdge[]): NeighbourEdge[] => {
  const sums = new Map<string, NeighbourEdge>();
  for (const edge of edges) {
    const key = `${edge.source} ${edge.direction} ${edge.type} ${edge.other}`;
    const known = sums.get(key);
    sums.set(key, known ? sumOf(known, edge) : edge);
  }
  return [...sums.values()];
};

const NO_TOKENS: readonly Hex[] = [];

/** Field by field: spreading thousands of edges into each other costs several times as much. */
const edgeOf = (node: Hex, edge: NeighbourEdge): RankedEdge => {
  const { other, otherIsToken } = edge;
  const isOut = edge.direction === 'out';
  const ofOther = otherIsToken ? [other] : NO_TOKENS;
  return {
    rank: RANK[edge.source],
    edge: {
      source: isOut ? node : other,
      target: isOut ? other : node,
      type: edge.type,
      weight: edge.source === 'movement' ? edgeWeight(edge.units) : edge.weight,
      valueUsd: edge.valueUsd,
      txCount: edge.txCount,
      firstAtS: edge.firstAtS,
      lastAtS: edge.lastAtS,
      txHash: edge.txHash,
      tokens: edge.nodeIsToken ? [node, ...ofOther] : ofOther,
    },
  };
};

const holdingsOf = ({ node, holders }: NeighbourRow): RankedEdge[] =>
  holders.slice(0, HOLDERS_MAX).map(([holder, share]): RankedEdge => {
    const weight = shareWeight(share);
    const edge = { source: holder, target: node, type: 'holds', weight, tokens: [node] } as const;
    return { rank: RANK.holders, edge };
  });

/** Each edge once, from its most reliable source. */
export const mergeNeighbours = (rows: readonly NeighbourRow[]): GraphEdge[] => {
  const reported = rows.flatMap((row) => [
    ...addUp(row.edges).map((edge) => edgeOf(row.node, edge)),
    ...holdingsOf(row),
  ]);
  const edges = new Map<string, GraphEdge>();
  const ranked = reported.toSorted((a, b) => a.rank - b.rank || b.edge.weight - a.edge.weight);
  for (const { edge } of ranked) {
    const key = edgeKey(edge);
    // A movement and a stored funding edge can be the same money.
    const { source, target, type } = edge;
    const isFunding =
      type === 'transferred' && edges.has(edgeKey({ source, target, type: 'funded' }));
    if (!isFunding && !edges.has(key)) edges.set(key, edge);
  }
  return [...edges.values()];
};

/** Whether a node has too many counterparties to be walked through. */
export const isHub = ({ edges }: NeighbourRow): boolean =>
  edges.length > HUB_COUNTERPARTIES_MAX &&
  new Set(edges.map(({ other }) => other)).size > HUB_COUNTERPARTIES_MAX;

/** Whether a token has more holders than are shown. */
export const hasMoreHolders = ({ holders }: NeighbourRow): boolean => holders.length > HOLDERS_MAX;

/** Pools among an address and its counterparties: an edge of a pool leads from the pool to a token. */
export const poolsOf = ({ node, edges }: NeighbourRow): Hex[] =>
  edges
    .filter(({ source }) => source === 'pool')
    .map(({ direction, other }) => (direction === 'out' ? node : other));
