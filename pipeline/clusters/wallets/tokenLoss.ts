import type { Hex } from '../../../shared/chain/block.ts';

/** What the holders of a token lost when its liquidity left: see WALLETS.md for the formula. */
export interface TokenLoss {
  readonly token: Hex;
  readonly stolenUsd: number;
  /** Wallets outside the ring that lost something. */
  readonly victims: number;
  /** The event that emptied the pool; null where the pool still holds its liquidity. */
  readonly drain: { readonly number: number; readonly txHash: Hex; readonly atS: number } | null;
}

/** What a wallet paid for a token and got back for it in pools, whole native units. */
export interface Trader {
  readonly wallet: Hex;
  readonly paid: number;
  readonly received: number;
}

/** What is known of a token's market. */
export interface TokenMarket {
  readonly token: Hex;
  readonly traders: readonly Trader[];
  /** Native units the pools held at the most. */
  readonly peak: number;
  /** The event after which the pools held no more than a twentieth of that; null where they still do. */
  readonly drain: TokenLoss['drain'];
}

/**
 * What the holders of a token lost: over every wallet outside the ring, what it paid for the token beyond
 * what it got back, no more in all than the pools ever held. Nothing is lost while the liquidity is there.
 */
export const tokenLoss = (
  market: TokenMarket,
  isOfRing: (wallet: Hex) => boolean,
  nativePriceUsd: number,
): TokenLoss => {
  const { token, drain, peak } = market;
  if (!drain) return { token, stolenUsd: 0, victims: 0, drain };
  const losses = market.traders
    .filter(({ wallet }) => !isOfRing(wallet))
    .map(({ paid, received }) => paid - received)
    .filter((loss) => loss > 0);
  const lost = losses.reduce((sum, loss) => sum + loss, 0);
  const cents = Math.round(100 * Math.min(lost, peak) * nativePriceUsd);
  return { token, stolenUsd: cents / 100, victims: losses.length, drain };
};
