import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import { edgeWeight } from '../../../shared/rules/edgeWeight.ts';
import { type GraphKind, TO_TOKEN } from '../facts/graphFact.ts';
import type { MovementSum } from './walletFacts.ts';

/** Kinds of edges between addresses, as in the view `wallet_edges`. */
export type WalletEdgeKind =
  | 'created'
  | 'funded'
  | 'transferred'
  | 'bought'
  | 'sold'
  | 'added_liquidity'
  | 'removed_liquidity'
  | 'same_cluster';

/** An edge as one of its ends sees it. */
export interface WalletEdge {
  readonly node: Hex;
  readonly direction: 'out' | 'in';
  readonly kind: WalletEdgeKind;
  readonly other: Hex;
  readonly otherIsToken: boolean;
  readonly weight: number;
  readonly valueUsd: number;
  readonly count: number;
  /** Unix seconds. */
  readonly firstS: number;
  readonly lastS: number;
  readonly txHash: Hex;
}

const EDGE_KIND: Readonly<Record<GraphKind, WalletEdgeKind>> = {
  native: 'transferred',
  token: 'transferred',
  proceeds: 'transferred',
  lpPaid: 'transferred',
  bought: 'bought',
  sold: 'sold',
  lpAdded: 'added_liquidity',
  lpRemoved: 'removed_liquidity',
  created: 'created',
};
const RING_WEIGHT = 0.9;
const CREATED_WEIGHT = 1;

const merged = (a: WalletEdge, b: WalletEdge): WalletEdge => ({
  ...a,
  weight: Math.max(a.weight, b.weight),
  valueUsd: a.valueUsd + b.valueUsd,
  count: a.count + b.count,
  firstS: Math.min(a.firstS, b.firstS),
  lastS: Math.max(a.lastS, b.lastS),
  txHash: a.firstS <= b.firstS ? a.txHash : b.txHash,
});

/** Key of a node's edge, the same as of its row. */
export const walletEdgeKey = ({
  direction,
  kind,
  other,
}: Pick<WalletEdge, 'direction' | 'other'> & { readonly kind: string }): string =>
  `${direction} ${kind} ${other}`;

/** Inputs of a wallet's edges. */
export interface EdgeContext {
  readonly nativePriceUsd: number;
  /** The wallet that first sent native currency to this one. */
  readonly firstFunder: (wallet: Hex) => Hex | undefined;
  /** The ring's other wallets to link it with: the master with all, others with the master. */
  readonly ringmates: readonly { readonly wallet: Hex; readonly isMaster: boolean }[];
  /** Unix seconds when it joined. */
  readonly joinedAtS: number | undefined;
}

/** The edges of a wallet, from its movements and its ring. */
export const walletEdges = (
  wallet: Hex,
  movements: readonly MovementSum[],
  context: EdgeContext,
): WalletEdge[] => {
  const edges = new Map<string, WalletEdge>();
  const put = (edge: WalletEdge): void => {
    const key = walletEdgeKey(edge);
    const known = edges.get(key);
    edges.set(key, known ? merged(known, edge) : edge);
  };
  for (const sum of movements) {
    const { direction, other, value } = sum;
    if (other === wallet) continue;
    const [source, target] = direction === 'out' ? [wallet, other] : [other, wallet];
    const isFunding = sum.kind === 'native' && context.firstFunder(target) === source;
    const kind = isFunding ? 'funded' : EDGE_KIND[sum.kind];
    put({
      node: wallet,
      direction,
      kind,
      other,
      otherIsToken: direction === 'out' && TO_TOKEN.has(sum.kind),
      weight: kind === 'created' ? CREATED_WEIGHT : edgeWeight(value),
      valueUsd: value * context.nativePriceUsd,
      count: sum.count,
      firstS: sum.firstS,
      lastS: sum.lastS,
      txHash: sum.firstTx,
    });
  }
  for (const mate of context.ringmates) {
    put({
      node: wallet,
      // From the master outwards.
      direction: mate.isMaster ? 'in' : 'out',
      kind: 'same_cluster',
      other: mate.wallet,
      otherIsToken: false,
      weight: RING_WEIGHT,
      valueUsd: 0,
      count: 1,
      firstS: context.joinedAtS ?? 0,
      lastS: context.joinedAtS ?? 0,
      txHash: ZERO_HASH,
    });
  }
  return [...edges.values()];
};
