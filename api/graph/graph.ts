import type { Hex } from '../../shared/chain/block.ts';

export const EDGE_TYPES = [
  'created',
  'funded',
  'transferred',
  'holds',
  'bought',
  'sold',
  'added_liquidity',
  'removed_liquidity',
  'same_cluster',
] as const;
export type EdgeType = (typeof EDGE_TYPES)[number];
export type NodeKind = 'token' | 'wallet';

/** One relation between two addresses. */
export interface GraphEdge {
  readonly source: Hex;
  readonly target: Hex;
  readonly type: EdgeType;
  /** 0 to 1. */
  readonly weight: number;
  readonly valueUsd?: number | undefined;
  readonly txCount?: number | undefined;
  readonly firstAtS?: number | undefined;
  readonly lastAtS?: number | undefined;
  readonly txHash?: Hex | undefined;
  /** Those of the two ends that are tokens. */
  readonly tokens: readonly Hex[];
}

/** The edges of some addresses. */
export interface Neighbourhood {
  readonly edges: readonly GraphEdge[];
  /** Addresses with too many counterparties to be walked through. */
  readonly hubs: ReadonlySet<Hex>;
  /** Pools among the addresses and their counterparties. */
  readonly pools: ReadonlySet<Hex>;
  /** Whether some edges were left out. */
  readonly isCut: boolean;
}

/** Reads for graph searches. */
export interface GraphSource {
  /** Edges of addresses; of a hub only if it is the only address. */
  neighbours(addresses: readonly Hex[]): Promise<Neighbourhood>;
}

/** Data shown with a node. */
export interface NodeFacts {
  readonly address: Hex;
  readonly kind: NodeKind;
  readonly label: string;
  readonly verdict?: { prediction: 'SCAM' | 'LEGIT'; confidence: number } | undefined;
  /** 0 to 100, wallets. */
  readonly riskScore?: number | undefined;
  readonly clusterId?: string | null | undefined;
}

/** Which edges a search follows. */
export interface EdgeFilter {
  readonly direction: 'in' | 'out' | 'both';
  readonly types?: readonly EdgeType[] | undefined;
  readonly minWeight?: number | undefined;
}

/** A part of the graph around one address. */
export interface Graph {
  readonly center: Hex;
  readonly kind: NodeKind;
  readonly nodes: readonly NodeFacts[];
  readonly edges: readonly GraphEdge[];
  readonly isTruncated: boolean;
}

/** A path from one address to another. */
export interface GraphPath {
  readonly nodes: readonly Hex[];
  readonly edges: readonly GraphEdge[];
}

/** What a search for paths found, and how far it got. */
export interface PathSearch {
  readonly paths: readonly GraphPath[];
  readonly nodes: readonly NodeFacts[];
  readonly nodesVisited: number;
  readonly isTruncated: boolean;
}

/** Which part of the graph is requested. */
export interface AroundOptions extends EdgeFilter {
  readonly depth: number;
  readonly nodesMax: number;
  /** Required kind of the centre; any kind if unset. */
  readonly only?: NodeKind | undefined;
}

/** Which paths are requested. */
export interface PathOptions {
  readonly depthMax: number;
  readonly pathsMax: number;
  readonly direction: 'out' | 'any';
  readonly types?: readonly EdgeType[] | undefined;
  readonly throughHubs: boolean;
}

/** Relations between the addresses of one chain. */
export interface Graphs {
  /**
   * Undefined for an address that is neither an indexed token nor a known wallet, or not of the requested kind.
   */
  around(center: Hex, options: AroundOptions): Promise<Graph | undefined>;
  paths(
    from: Hex,
    to: Hex,
    options: PathOptions & { readonly signal: AbortSignal },
  ): Promise<PathSearch>;
}

/** Edges per answer. */
export const EDGES_MAX = 2_000;
/** Nodes per answer. */
export const NODES_MAX = 500;
