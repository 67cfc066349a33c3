import type { Hex } from '../../../shared/chain/block.ts';
import { EVIDENCE_MAX } from './holdersExperience.ts';
import type { HolderTrade } from './readTrades.ts';
import type { StoredTransfers } from './transferStore.ts';

/** Wallets that count: an airdrop has hundreds of recipients, of whom twenty do not sink the price. */
const WALLETS_MAX = 20;

/** What wallets sold of a token that they had been given. */
export interface InsiderSales {
  /** By the wallets that sold most, less what they bought, as a share of the tokens that all markets hold now, 0 to 1. */
  readonly share: number;
  /** The last sales of those who sold most. */
  readonly txHashes: readonly Hex[];
}

/**
 * What a creator gave to wallets itself, or a creation made for them, raw units. Not what came to them by way of others: presales and claims
 * go through contracts.
 */
export const givenTokens = (
  transfers: StoredTransfers['transfers'],
  givers: ReadonlySet<Hex>,
): ReadonlyMap<Hex, bigint> => {
  const given = new Map<Hex, bigint>();
  for (const [, from, to, value] of transfers) {
    if (givers.has(from)) given.set(to, (given.get(to) ?? 0n) + BigInt(value));
  }
  return given;
};

/** Of what wallets sold no more than they were given counts: earlier purchases may not be among the trades. */
const lesser = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/**
 * @param given by `givenTokens`
 * @param inMarkets tokens that all markets hold now, raw units
 * @param sinceS sales from then on count, Unix seconds; purchases always do
 */
export const insiderSales = (
  trades: readonly HolderTrade[],
  given: ReadonlyMap<Hex, bigint>,
  inMarkets: number,
  sinceS: number,
): InsiderSales => {
  const sellers = new Map<Hex, { sold: bigint; txHash: Hex }>();
  for (const { trader, isSale, amount, timestampS, txHash } of trades) {
    if (!given.has(trader) || (isSale && timestampS < sinceS)) continue;
    const before = sellers.get(trader) ?? { sold: 0n, txHash };
    const sold = before.sold + (isSale ? amount : -amount);
    sellers.set(trader, { sold, txHash: isSale ? txHash : before.txHash });
  }
  const largest = [...sellers]
    .map(([seller, { sold, txHash }]) => {
      return { sold: lesser(sold, given.get(seller) ?? 0n), txHash };
    })
    .filter(({ sold }) => sold > 0n)
    .toSorted((one, other) => (one.sold > other.sold ? -1 : 1))
    .slice(0, WALLETS_MAX);
  const sold = largest.reduce((sum, one) => sum + one.sold, 0n);
  return {
    share: Math.min(1, Number(sold) / Math.max(1, inMarkets)),
    txHashes: largest.slice(0, EVIDENCE_MAX).map(({ txHash }) => txHash),
  };
};
