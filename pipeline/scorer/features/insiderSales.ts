import type { Hex } from '../../../shared/chain/block.ts';
import type { HolderTrades } from './holderSalesStore.ts';
import type { StoredTransfers } from './transferStore.ts';

/** Wallets that count: an airdrop has hundreds of recipients, of whom twenty do not sink the price. */
const WALLETS_MAX = 20;
/** Transactions that are kept as evidence. */
const EVIDENCE_MAX = 5;

/** What wallets behind a token sold of what they never paid for. */
export interface InsiderSales {
  /** By the wallets that sold most, less what they bought, as a share of the tokens that all markets hold now, 0 to 1. */
  readonly share: number;
  /** The last sales of those who sold most. */
  readonly txHashes: readonly Hex[];
}

/**
 * Wallets that a creator gave tokens to itself, or a creation made them for. Not those who got them by way of others: presales and claims go
 * through contracts.
 */
export const givenTokens = (
  transfers: StoredTransfers['transfers'],
  givers: ReadonlySet<Hex>,
): ReadonlySet<Hex> => new Set(transfers.flatMap(([, from, to]) => (givers.has(from) ? [to] : [])));

/**
 * @param inMarkets tokens that all markets hold now, raw units
 * @param sinceS sales from then on count, Unix seconds; purchases always do
 */
export const insiderSales = (
  { trades, insiders }: Pick<HolderTrades, 'trades' | 'insiders'>,
  given: ReadonlySet<Hex>,
  inMarkets: number,
  sinceS: number,
): InsiderSales => {
  const sellers = new Map<Hex, { sold: bigint; txHash: Hex }>();
  for (const { trader, isSale, amount, timestampS, txHash } of trades) {
    if (!insiders.has(trader) && !given.has(trader)) continue;
    if (isSale && timestampS < sinceS) continue;
    const before = sellers.get(trader) ?? { sold: 0n, txHash };
    const sold = before.sold + (isSale ? amount : -amount);
    sellers.set(trader, { sold, txHash: isSale ? txHash : before.txHash });
  }
  const largest = [...sellers.values()]
    .filter(({ sold }) => sold > 0n)
    .toSorted((one, other) => (one.sold > other.sold ? -1 : 1))
    .slice(0, WALLETS_MAX);
  const sold = largest.reduce((sum, one) => sum + one.sold, 0n);
  return {
    share: Math.min(1, Number(sold) / Math.max(1, inMarkets)),
    txHashes: largest.slice(0, EVIDENCE_MAX).map(({ txHash }) => txHash),
  };
};
