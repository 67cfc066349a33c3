import type { BlockRef, Hex } from '../../../shared/chain/block.ts';

/** What the holders of a token lost when its liquidity left: see WALLETS.md for the formula. */
export interface TokenLoss {
  readonly token: Hex;
  readonly stolenUsd: number;
  /** Wallets outside the ring that lost something. */
  readonly victims: number;
  /** The event that emptied the pool; null where the pool still holds its liquidity. */
  readonly drain: (BlockRef & { readonly txHash: Hex; readonly atS: number }) | null;
}
