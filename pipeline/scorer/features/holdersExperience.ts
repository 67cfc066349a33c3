import type { Hex } from '../../../shared/chain/block.ts';
import type { FailedSale, HolderTrades } from './holderSalesStore.ts';

/** Transactions kept as evidence. */
export const EVIDENCE_MAX = 5;

/** What holders experienced: only independent wallets that bought in a pool themselves count. */
export interface HoldersExperience {
  readonly buyers: number;
  readonly sellers: number;
  /**
   * Buyers since the last sale of such a wallet, the blocks of their purchases, and some of these transactions.
   */
  readonly buyersSinceSale: number;
  readonly blocksSinceSale: number;
  readonly purchases: readonly Hex[];
  /** The latest sales, and the time of the last one, Unix seconds. */
  readonly sales: readonly Hex[];
  readonly lastSaleS: number | undefined;
  /** First failed sales of such wallets that have not sold since, in chronological order. */
  readonly failed: readonly FailedSale[];
  /** The block of each seller's last sale. */
  readonly soldAt: readonly number[];
  /** The block of the last purchase of each buyer who never sold. */
  readonly heldSince: ReadonlyMap<Hex, number>;
  /** Least number of blocks that each seller held before a sale, shortest first. */
  readonly waits: readonly number[];
}

/** What the trades of a token say about its ordinary holders. */
export const holdersExperience = ({
  trades,
  failed,
  dependents,
}: Pick<HolderTrades, 'trades' | 'failed' | 'dependents'>): HoldersExperience => {
  /**
   * For each, the first and last purchase, the last sale, and the fewest blocks between a purchase and a sale.
   */
  const [buyers, boughtAt] = [new Map<Hex, number>(), new Map<Hex, number>()];
  const [sellers, waits] = [new Map<Hex, number>(), new Map<Hex, number>()];
  let since = new Map<Hex, { blockNumber: number; txHash: Hex }>();
  const sales: Hex[] = [];
  let lastSaleS: number | undefined;
  for (const { blockNumber, timestampS, trader, isSale, txHash } of trades) {
    if (dependents.has(trader)) continue;
    if (!isSale) {
      if (!buyers.has(trader)) buyers.set(trader, blockNumber);
      boughtAt.set(trader, blockNumber);
      since.set(trader, { blockNumber, txHash });
      continue;
    }
    // A holder who never bought received the tokens, and does not count as an ordinary one.
    const bought = boughtAt.get(trader);
    if (bought === undefined) continue;
    sellers.set(trader, blockNumber);
    const wait = blockNumber - bought;
    waits.set(trader, Math.min(waits.get(trader) ?? wait, wait));
    sales.push(txHash);
    lastSaleS = timestampS;
    since = new Map();
  }
  const purchases = [...since.values()];
  return {
    buyers: buyers.size,
    sellers: sellers.size,
    buyersSinceSale: since.size,
    blocksSinceSale: new Set(purchases.map(({ blockNumber }) => blockNumber)).size,
    purchases: purchases.slice(-EVIDENCE_MAX).map(({ txHash }) => txHash),
    sales: sales.slice(-EVIDENCE_MAX),
    lastSaleS,
    failed: failed.filter(
      ({ seller, blockNumber }) =>
        (buyers.get(seller) ?? Number.POSITIVE_INFINITY) <= blockNumber &&
        (sellers.get(seller) ?? -1) < blockNumber,
    ),
    soldAt: [...sellers.values()],
    heldSince: new Map([...boughtAt].filter(([buyer]) => !sellers.has(buyer))),
    waits: [...waits.values()].toSorted((one, other) => one - other),
  };
};
