import type { Hex } from '../../shared/chain/block.ts';
import { byWeight, FRONTIER_MAX, isFollowed, otherEnd } from './expandGraph.ts';
import type { EdgeFilter, GraphEdge, GraphPath, GraphSource, PathOptions } from './graph.ts';

/** Addresses that a search may visit. */
const VISITED_MAX = 20_000;
/** Partial paths examined while complete paths are assembled. */
const PARTIAL_PATHS_MAX = 1_000;

/** One of the two searches, from the start or from the end. */
interface Wave {
  /** Distance from its start for each address reached. */
  readonly depths: Map<Hex, number>;
  /** Edges to an address from one step nearer to the start. */
  readonly arrivals: Map<Hex, GraphEdge[]>;
  readonly filter: EdgeFilter;
  frontier: Hex[];
  depth: number;
}

const startWave = (start: Hex, filter: EdgeFilter): Wave => ({
  depths: new Map([[start, 0]]),
  arrivals: new Map(),
  filter,
  frontier: [start],
  depth: 0,
});

/** Takes a search one step further. Returns whether something was left out. */
const advance = async (
  source: GraphSource,
  wave: Wave,
  isClosed: (address: Hex, hubs: ReadonlySet<Hex>) => boolean,
): Promise<boolean> => {
  const walked = wave.frontier.slice(0, FRONTIER_MAX);
  const near = await source.neighbours(walked);
  const open = new Set(walked.filter((address) => !isClosed(address, near.hubs)));
  const reached: Hex[] = [];
  wave.depth += 1;
  for (const edge of near.edges.toSorted(byWeight)) {
    for (const end of [edge.source, edge.target]) {
      if (!open.has(end) || !isFollowed(edge, end, wave.filter)) continue;
      const next = otherEnd(edge, end);
      const known = wave.depths.get(next);
      if (known !== undefined && known < wave.depth) continue;
      if (known === undefined) {
        wave.depths.set(next, wave.depth);
        reached.push(next);
      }
      wave.arrivals.set(next, [...(wave.arrivals.get(next) ?? []), edge]);
    }
  }
  const isCut = walked.length < wave.frontier.length || near.isCut;
  wave.frontier = reached;
  return isCut;
};

/** Paths from a search's start to an address, as edges in walking order. */
const pathsTo = (wave: Wave, address: Hex, countMax: number): GraphEdge[][] => {
  let partial: { at: Hex; edges: GraphEdge[] }[] = [{ at: address, edges: [] }];
  for (let depth = wave.depths.get(address) ?? 0; depth > 0; depth -= 1) {
    partial = partial
      .flatMap(({ at, edges }) =>
        (wave.arrivals.get(at) ?? []).map((edge) => ({
          at: otherEnd(edge, at),
          edges: [edge, ...edges],
        })),
      )
      .slice(0, countMax);
  }
  return partial.map(({ edges }) => edges);
};

const nodesAlong = (start: Hex, edges: readonly GraphEdge[]): Hex[] => {
  const nodes = [start];
  for (const edge of edges) nodes.push(otherEnd(edge, nodes.at(-1) ?? start));
  return nodes;
};

/** Cost of a path: the sum of 1 - weight. */
export const pathCost = ({ edges }: GraphPath): number =>
  edges.reduce((sum, { weight }) => sum + 1 - weight, 0);

const lengthThrough = ([ahead, behind]: readonly [Wave, Wave], meeting: Hex): number =>
  (ahead.depths.get(meeting) ?? 0) + (behind.depths.get(meeting) ?? 0);

const joinWaves = (
  from: Hex,
  waves: readonly [Wave, Wave],
  meetings: readonly Hex[],
  pathsMax: number,
): GraphPath[] => {
  const shortest = Math.min(...meetings.map((meeting) => lengthThrough(waves, meeting)));
  const paths = new Map<string, GraphPath>();
  for (const meeting of meetings) {
    if (lengthThrough(waves, meeting) > shortest) continue;
    for (const first of pathsTo(waves[0], meeting, PARTIAL_PATHS_MAX)) {
      for (const last of pathsTo(waves[1], meeting, pathsMax)) {
        const edges = [...first, ...last.toReversed()];
        const nodes = nodesAlong(from, edges);
        const key = nodes.join(' ');
        if (!paths.has(key) && paths.size < PARTIAL_PATHS_MAX) paths.set(key, { nodes, edges });
      }
    }
  }
  return [...paths.values()].toSorted((a, b) => pathCost(a) - pathCost(b)).slice(0, pathsMax);
};

/**
 * The shortest paths between two addresses, cheapest first: a bidirectional search that always advances the smaller
 * side until both meet. Nodes in between are not hubs unless requested.
 */
export const findPaths = async (
  source: GraphSource,
  from: Hex,
  to: Hex,
  options: PathOptions & {
    /** Whether the time is over or the client has disconnected. */
    readonly isOver: () => boolean;
  },
): Promise<{ paths: GraphPath[]; nodesVisited: number; isTruncated: boolean }> => {
  const { depthMax, pathsMax, direction, types, throughHubs, isOver } = options;
  const filter = (towards: 'in' | 'out'): EdgeFilter => ({
    direction: direction === 'any' ? 'both' : towards,
    types,
  });
  const waves: [Wave, Wave] = [startWave(from, filter('out')), startWave(to, filter('in'))];
  const [ahead, behind] = waves;
  const isClosed = (address: Hex, hubs: ReadonlySet<Hex>): boolean =>
    !throughHubs && address !== from && address !== to && hubs.has(address);
  const visited = (): number => ahead.depths.size + behind.depths.size;
  const rejected = new Set<Hex>();
  /** Where the searches meet: in a hub only if that is allowed. */
  const meetingPoints = async (): Promise<Hex[]> => {
    const common = [...ahead.frontier, ...behind.frontier].filter(
      (address) =>
        ahead.depths.has(address) && behind.depths.has(address) && !rejected.has(address),
    );
    const met = [...new Set(common)].slice(0, FRONTIER_MAX);
    if (throughHubs || met.length === 0) return met;
    const inner = met.filter((address) => address !== from && address !== to);
    if (inner.length === 0) return met;
    const { hubs } = await source.neighbours(inner);
    for (const address of met) if (isClosed(address, hubs)) rejected.add(address);
    return met.filter((address) => !rejected.has(address));
  };
  let isTruncated = false;
  let meetings: Hex[] = [];
  while (meetings.length === 0 && ahead.depth + behind.depth < depthMax) {
    const open = waves.filter(({ frontier }) => frontier.length > 0);
    const wave = open.toSorted((a, b) => a.frontier.length - b.frontier.length)[0];
    if (!wave) break;
    if (isOver() || visited() > VISITED_MAX) {
      isTruncated = true;
      break;
    }
    if (await advance(source, wave, isClosed)) isTruncated = true;
    meetings = await meetingPoints();
  }
  const paths = meetings.length > 0 ? joinWaves(from, waves, meetings, pathsMax) : [];
  return { paths, nodesVisited: visited(), isTruncated };
};
