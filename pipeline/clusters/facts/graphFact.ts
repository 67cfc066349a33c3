import { type BlockRef, type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';

/**
 * Kinds of graph facts, as `graph_facts` names them: `native` currency, its purpose unknown; `token`: one that moved between wallets;
 * `proceeds`: what a sale paid to another wallet than the seller's; `lpRemoved`: who took liquidity out, `lpPaid`: to whom its worth went.
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

/** Kinds whose target is a token and no wallet. */
export const TO_TOKEN: ReadonlySet<GraphKind> = new Set<GraphKind>([
  'bought',
  'sold',
  'lpAdded',
  'lpRemoved',
  'created',
]);

/** One movement between two addresses, as the rings, the wallets and the graph are made of. */
export interface GraphFact {
  readonly kind: GraphKind;
  readonly from: Hex;
  /** The token's contract, but of `native`, `token`, `proceeds` and `lpPaid`, which reach a wallet. */
  readonly to: Hex;
  /** The token that moved, or whose liquidity did; zero of native currency. */
  readonly token: Hex;
  /** Whole native units; 0 where it is not known. */
  readonly value: number;
  /** Index of the transaction of a native movement, of the log of others. */
  readonly place: number;
  readonly txHash: Hex;
  /** Of `created` the hash of the code; zero where it is not known. */
  readonly codeHash: Hex;
}

/** The graph facts of one block. */
export interface BlockGraph extends BlockRef {
  /** Unix seconds. */
  readonly timestampS: number;
  readonly facts: readonly GraphFact[];
}

/** A token's creation, as the index of tokens has it. */
export interface TokenCreation {
  readonly token: Hex;
  readonly creator: Hex;
  readonly block: BlockRef;
  /** Unix seconds. */
  readonly atS: number;
  readonly txHash: Hex;
  readonly codeHash: Hex;
}

/** The fact that a wallet made a token. */
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

/** A fact of the kinds that have no code. */
export const movement = (fact: Omit<GraphFact, 'codeHash'>): GraphFact => ({
  ...fact,
  codeHash: ZERO_HASH,
});

/** No token. */
export const NO_TOKEN: Hex = ZERO_ADDRESS;
