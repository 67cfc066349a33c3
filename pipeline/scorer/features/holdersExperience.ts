import type { Hex } from '../../../shared/chain/block.ts';
import type { HolderTrades } from './holderSalesStore.ts';

/** Transactions that are kept as evidence. */
const EVIDENCE_MAX = 5;

/** What holders experienced: only wallets that bought in a pool themselves and do not belong to the creator count. */
export interface HoldersExperience {
  readonly buyers: number;
  readonly sellers: number;
  /** Buyers since the last sale of such a wallet, the blocks of their purchases, and some of these transactions. */
  readonly buyersSinceSale: number;
  readonly blocksSinceSale: number;
  readonly purchases: readonly Hex[];
  /** The latest sales, and when the last of them was, Unix seconds. */
  readonly sales: readonly Hex[];
  readonly lastSaleS: number | undefined;
}

/** What the trades of a token say of its ordinary holders. */
export const holdersExperience = ({ trades, insiders }: HolderTrades): HoldersExperience => {
  const [buyers, sellers] = [new Set<Hex>(), new Set<Hex>()];
  let since = new Map<Hex, { blockNumber: number; txHash: Hex }>();
  const sales: Hex[] = [];
  let lastSaleS: number | undefined;
  for (const { blockNumber, timestampS, trader, isSale, txHash } of trades) {
    if (insiders.has(trader)) continue;
    if (!isSale) {
      buyers.add(trader);
      since.set(trader, { blockNumber, txHash });
      continue;
    }
    // Who never bought was given the tokens: that is no holder as others are.
    if (!buyers.has(trader)) continue;
    sellers.add(trader);
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
  };
};
