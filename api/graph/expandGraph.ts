import type { Hex } from '../../shared/chain/block.ts';
import { EDGES_MAX, type EdgeFilter, type GraphEdge, type GraphSource } from './graph.ts';

/** Addresses whose edges one step reads: the heaviest ones; the others remain leaves. */
export const FRONTIER_MAX = 32;

/** The other end of an edge. */
export const otherEnd = (edge: GraphEdge, end: Hex): Hex =>
  edge.source === end ? edge.target : edge.source;

/** Key of an edge: the same relation from two sources is one edge. */
export const edgeKey = ({
  source,
  target,
  type,
}: Pick<GraphEdge, 'source' | 'target' | 'type'>): string => `${source} ${target} ${type}`;

/** Whether a search may follow an edge from one of its ends. */
export const isFollowed = (edge: GraphEdge, from: Hex, filter: EdgeFilter): boolean => {
  const { direction, types, minWeight = 0 } = filter;
  if (edge.source === edge.target || edge.weight < minWeight) return false;
  if (types && !types.includes(edge.type)) return false;
  return direction === 'both' || (direction === 'out' ? edge.source : edge.target) === from;
};

const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** Heaviest first; ties in a fixed order. */
export const byWeight = (a: GraphEdge, b: GraphEdge): number =>
  b.weight - a.weight ||
  byText(a.source, b.source) ||
  byText(a.target, b.target) ||
  byText(a.type, b.type);

/** The result of an expansion in progress. */
export interface Expansion {
  readonly addresses: readonly Hex[];
  readonly edges: readonly GraphEdge[];
  readonly tokens: ReadonlySet<Hex>;
  readonly isTruncated: boolean;
}

/**
 * Walks outwards from one address, heaviest edges first, until the depth or a limit is reached. Hubs are shown but
 * not walked through, unless the start address is one.
 */
export const expandGraph = async (
  source: GraphSource,
  center: Hex,
  options: EdgeFilter & { depth: number; nodesMax: number },
): Promise<Expansion> => {
  const { depth, nodesMax } = options;
  const found = new Set<Hex>([center]);
  const edges = new Map<string, GraphEdge>();
  const tokens = new Set<Hex>();
  let isTruncated = false;
  let frontier: Hex[] = [center];
  for (let step = 0; step < depth && frontier.length > 0; step += 1) {
    const walked = frontier.slice(0, FRONTIER_MAX);
    if (walked.length < frontier.length) isTruncated = true;
    const near = await source.neighbours(walked);
    const open = new Set(walked.filter((address) => address === center || !near.hubs.has(address)));
    const isNearTo = (edge: GraphEdge, end: Hex): boolean =>
      open.has(end) && isFollowed(edge, end, options);
    const isNear = (edge: GraphEdge): boolean =>
      isNearTo(edge, edge.source) || isNearTo(edge, edge.target);
    if (near.isCut) isTruncated = true;
    const reached: Hex[] = [];
    for (const edge of near.edges.filter(isNear).toSorted(byWeight)) {
      const fresh = [edge.source, edge.target].filter((end) => !found.has(end));
      const key = edgeKey(edge);
      const isKnown = edges.has(key);
      if (!isKnown && (edges.size >= EDGES_MAX || found.size + fresh.length > nodesMax)) {
        isTruncated = true;
        continue;
      }
      if (!isKnown) edges.set(key, edge);
      for (const token of edge.tokens) tokens.add(token);
      for (const end of fresh) {
        found.add(end);
        reached.push(end);
      }
    }
    frontier = reached;
  }
  return { addresses: [...found], edges: [...edges.values()], tokens, isTruncated };
};
