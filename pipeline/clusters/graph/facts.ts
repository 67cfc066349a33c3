import type { BlockRef, Hex } from '../../../shared/chain/block.ts';

/**
 * What moved between two addresses, as far as the detector cares.
 *
 * - `native`: native currency, purpose unknown. A wallet's first material one is its funding.
 * - `funding`: native currency that the source of the data itself calls funding.
 * - `proceeds`: native currency that the source calls the proceeds of a scam, or the native output of a
 *   sale that went to another wallet than the seller's.
 * - `lpRemoved`: liquidity taken out by `from` (the sender of the transaction) and received by `to`.
 *   Where both are the same wallet nothing is linked, and the edge may be left out.
 * - `token`: tokens moved between wallets. `token` names them where known.
 * - `bought`: `from` (a wallet) bought a token; `to` is the token's contract.
 * - `sold`: `from` (a wallet) sold a token; `to` is the token's contract.
 */
export const EDGE_KINDS = [
  'native',
  'funding',
  'proceeds',
  'lpRemoved',
  'token',
  'bought',
  'sold',
] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];

/** One movement between two addresses. An edge from an address to itself says nothing and is skipped. */
export interface ValueEdge {
  readonly kind: EdgeKind;
  readonly from: Hex;
  readonly to: Hex;
  /**
   * How much moved: whole native units (ether, not wei) for native kinds. 0 means unknown and counts as
   * material; known values below `dustValue` of the detector are dust and skipped.
   */
  readonly value: number;
  /** The token moved, where the kind is `token`. */
  readonly token?: Hex | undefined;
  readonly tx: Hex | null;
}

/** A token's creation. The creator is the wallet that sent the transaction, not a factory. */
export interface Deployment {
  readonly token: Hex;
  readonly creator: Hex;
  readonly tx: Hex | null;
  /** Names the runtime bytecode (any stable digest), undefined where it is unknown. */
  readonly codeHash?: Hex | undefined;
}

/** All facts of one block for the detector. The order inside a block does not matter. */
export interface BlockFacts {
  readonly block: BlockRef;
  readonly edges: readonly ValueEdge[];
  readonly deployments: readonly Deployment[];
}
