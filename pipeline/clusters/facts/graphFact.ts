import { type BlockRef, type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';

/**
 * Kinds of graph facts, as in `graph_facts`: `native` currency with unknown purpose; `token`: moved between wallets;
 * `proceeds`: what a sale paid to a wallet other than the seller; `lpRemoved`: who withdrew liquidity, `lpPaid`: who
 * received its value.
 */
export const GRAPH_KINDS = [
  'native',
  'bought',
  'sold',
  'token',
  'lpAdded',
  'lpRemoved',
  'proceeds',
  'created',
  'lpPaid',
] as const;
export type GraphKind = (typeof GRAPH_KINDS)[number];

/** Kinds whose target is a token instead of a wallet. */
export const TO_TOKEN: ReadonlySet<GraphKind> = new Set<GraphKind>([
  'bought',
  'sold',
  'lpAdded',
  'lpRemoved',
  'created',
]);

/** One movement between two addresses; rings, wallets and the graph are computed from these. */
export interface GraphFact {
  readonly kind: GraphKind;
  readonly from: Hex;
  /** The token's contract; for `native`, `token`, `proceeds` and `lpPaid` the receiving wallet. */
  readonly to: Hex;
  /** The token that moved, or whose liquidity did; zero for native currency. */
  readonly token: Hex;
  /** Whole native units; 0 if unknown. */
  readonly value: number;
  /** Index of the transaction for a native movement, of the log for others. */
  readonly place: number;
  readonly txHash: Hex;
  /** For `created` the hash of the code; zero if unknown. */
  readonly codeHash: Hex;
}

/** The graph facts of one block. */
export interface BlockGraph extends BlockRef {
  /** Unix seconds. */
  readonly timestampS: number;
  readonly facts: readonly GraphFact[];
}

/** A token's creation from the token index. */
export interface TokenCreation {
  readonly token: Hex;
  readonly creator: Hex;
  readonly block: BlockRef;
  /** Unix seconds. */
  readonly atS: number;
  readonly txHash: Hex;
  readonly codeHash: Hex;
}

/** The fact that a wallet created a token. */
export const createdFact = ({
  token,
  creator,
  txHash,
  codeHash,
}: Pick<TokenCreation, 'token' | 'creator' | 'txHash' | 'codeHash'>): GraphFact => ({
  kind: 'created',
  from: creator,
  to: token,
  token,
  value: 0,
  place: 0,
  txHash,
  codeHash,
});

/** A fact of the kinds without code. */
export const movement = (fact: Omit<GraphFact, 'codeHash'>): GraphFact => ({
  ...fact,
  codeHash: ZERO_HASH,
});

/** No token. */
export const NO_TOKEN: Hex = ZERO_ADDRESS;
