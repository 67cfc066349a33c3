import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { GraphKind } from '../facts/graphFact.ts';
import type { MovementSum } from './walletFacts.ts';

/** Kinds of edges between addresses, as `wallet_edges` names them. */
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
  readonly lastBlock: number;
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
/** Kinds of which the source is a wallet and the target a token. */
const WITH_TOKEN: ReadonlySet<WalletEdgeKind> = new Set<WalletEdgeKind>([
  'created',
  'bought',
  'sold',
  'added_liquidity',
  'removed_liquidity',
]);
/** Native units that weigh half: a thousandth of it weighs next to nothing, a thousandfold all. */
const UNITS_SCALE = 1_000;
const UNITS_FULL = 1_000_000;
/** What an edge weighs of which no value is known. */
const UNVALUED_WEIGHT = 0.25;
const RING_WEIGHT = 0.9;

/** 0 to 1 by value on a logarithmic scale: 0.001 native units weigh 0.05, one weighs 0.5, a thousand 1. */
const weightOf = (kind: WalletEdgeKind, value: number): number => {
  if (kind === 'created') return 1;
  if (value <= 0) return UNVALUED_WEIGHT;
  return Math.min(1, Math.log1p(value * UNITS_SCALE) / Math.log1p(UNITS_FULL));
};

const merged = (a: WalletEdge, b: WalletEdge): WalletEdge => ({
  ...a,
  weight: Math.max(a.weight, b.weight),
  valueUsd: a.valueUsd + b.valueUsd,
  count: a.count + b.count,
  firstS: Math.min(a.firstS, b.firstS),
  lastS: Math.max(a.lastS, b.lastS),
  txHash: a.firstS <= b.firstS ? a.txHash : b.txHash,
  lastBlock: Math.max(a.lastBlock, b.lastBlock),
});

/** Names an edge of a node, as the key of its row does. */
export const walletEdgeKey = ({ direction, kind, other }: WalletEdge): string =>
  `${direction} ${kind} ${other}`;

/** What the edges of a wallet are made of. */
export interface EdgeContext {
  readonly nativePriceUsd: number;
  /** Who first sent native currency to a wallet. */
  readonly firstFunder: (wallet: Hex) => Hex | undefined;
  /** The other wallets of its ring it is shown with: the master with all, others with the master. */
  readonly ringmates: readonly { readonly wallet: Hex; readonly isMaster: boolean }[];
  /** Unix seconds and height at which it joined. */
  readonly joined: { readonly atS: number; readonly block: number } | undefined;
}

/** The edges of a wallet, from what moved between it and others and from its ring. */
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
      otherIsToken: direction === 'out' && WITH_TOKEN.has(kind),
      weight: weightOf(kind, value),
      valueUsd: value * context.nativePriceUsd,
      count: sum.count,
      firstS: sum.firstS,
      lastS: sum.lastS,
      txHash: sum.firstTx,
      lastBlock: sum.lastBlock,
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
      firstS: context.joined?.atS ?? 0,
      lastS: context.joined?.atS ?? 0,
      txHash: ZERO_HASH,
      lastBlock: context.joined?.block ?? 0,
    });
  }
  return [...edges.values()];
};

/** The same edge as its other end sees it. */
export const seenFromOther = (
  edge: WalletEdge,
): WalletEdge & { readonly nodeIsToken: boolean } => ({
  ...edge,
  node: edge.other,
  other: edge.node,
  direction: edge.direction === 'out' ? 'in' : 'out',
  otherIsToken: false,
  nodeIsToken: edge.otherIsToken,
});
