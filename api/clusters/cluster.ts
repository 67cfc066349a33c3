import type { Hex } from '../../shared/chain/block.ts';

export const CLUSTER_SORTS = ['risk_score', 'size', 'total_stolen'] as const;
export type ClusterSort = (typeof CLUSTER_SORTS)[number];

/** A ring of wallets. */
export interface Cluster {
  readonly id: string;
  readonly name: string;
  /** Wallets. */
  readonly size: number;
  /** 0 to 100. */
  readonly riskScore: number;
  readonly tokensCreated: number;
  readonly scams: number;
  readonly stolenUsd: number;
  readonly victims: number;
  readonly version: number;
}

/** A ring with its wallets, tokens and why they were joined. */
export interface ClusterDetail extends Cluster {
  readonly wallets: readonly { address: Hex; role: 'master' | 'puppet'; riskScore: number }[];
  readonly tokens: readonly {
    address: Hex;
    name: string;
    prediction: 'SCAM' | 'LEGIT';
    confidence: number;
  }[];
  readonly evidence: readonly {
    rule: string;
    wallets: readonly Hex[];
    txHash: Hex | null;
    confidence: number;
  }[];
}

/** One page of rings. */
export interface ClusterPage {
  readonly sizeMin: number;
  readonly sort: ClusterSort;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
}

/** Rings of one chain. */
export interface Clusters {
  list(page: ClusterPage): Promise<{ clusters: Cluster[]; total: number }>;
  /** The ring, the id of the one it was merged into, or nothing. */
  find(
    id: string,
  ): Promise<
    { kind: 'found'; cluster: ClusterDetail } | { kind: 'merged'; into: string } | undefined
  >;
}
