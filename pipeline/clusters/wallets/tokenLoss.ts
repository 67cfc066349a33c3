import type { Hex } from '../../../shared/chain/block.ts';

/** What the holders of a token lost when its liquidity left: see WALLETS.md for the formula. */
export interface TokenLoss {
  readonly token: Hex;
  readonly stolenUsd: number;
  /** Wallets outside the ring that lost something. */
  readonly victims: number;
  /** The event that emptied the pool; null if the pool still has liquidity. */
  readonly drain: { readonly number: number; readonly txHash: Hex; readonly atS: number } | null;
}

/** What a wallet paid to pools for a token and received back, whole native units. */
export interface Trader {
  readonly wallet: Hex;
  readonly paid: number;
  readonly received: number;
}

/** Data on a token's market. */
export interface TokenMarket {
  readonly token: Hex;
  readonly traders: readonly Trader[];
  /** The highest holdings of the pools, in native units. */
  readonly peak: number;
  /** The event after which the pools held at most a twentieth of that; null if they still hold more. */
  readonly drain: TokenLoss['drain'];
}

/**
 * What the holders of a token lost: the sum over wallets outside the ring of what each paid for the token minus what
 * it received back, at most what the pools ever held. Zero while the liquidity is there.
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
