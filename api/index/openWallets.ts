import type { Hex } from '../../shared/chain/block.ts';
import { WALLET_SORTS, type WalletPage } from '../search/search.ts';
import { createListOrders } from './listOrders.ts';
import { rowsBelow } from './rowArrays.ts';
import { createRowOrder } from './rowOrder.ts';
import { createKeptSelections } from './selection.ts';
import {
  createWalletColumns,
  createWalletSorts,
  type IndexedWallet,
  selectWallets,
  WALLET_RANGES,
  type WalletSelection,
} from './walletColumns.ts';

/** The current row of a wallet. */
export interface ChangedWallet {
  readonly address: Hex;
  /** Undefined: the wallet is no longer known. */
  readonly wallet: IndexedWallet | undefined;
}

/**
 * Wallets of one chain in memory, 68 bytes each: their data, and their rows in four sort orders and by address. All
 * are loaded first, then the index is sealed; after that it answers queries and follows changes.
 */
export const openWallets = () => {
  const columns = createWalletColumns();
  const sorts = createWalletSorts(columns);
  const orders = createListOrders(WALLET_SORTS, sorts, WALLET_RANGES);
  const byAddress = createRowOrder(sorts.compareAddresses);
  const selected = createKeptSelections<WalletSelection>();
  /** Free rows, of removed wallets. */
  const free: number[] = [];

  const rowOf = (address: Hex): number | undefined => {
    const place = sorts.place('created_at', 0, address);
    const row = byAddress.rowAt(byAddress.placeOf(place));
    return row !== undefined && sorts.compareAddresses(row, place) === 0 ? row : undefined;
  };
  const put = (wallet: IndexedWallet): void => {
    const known = rowOf(wallet.address);
    const row = known ?? free.pop() ?? columns.end();
    orders.move(row, () => columns.set(row, wallet));
    if (known === undefined) byAddress.insert(row);
  };
  const remove = (address: Hex): void => {
    const row = rowOf(address);
    if (row === undefined) return;
    byAddress.remove(row);
    orders.remove(row);
    columns.remove(row);
    free.push(row);
  };
  return {
    /** Reserves space for a number of wallets. */
    reserve: (wallets: number): void => columns.reserve(wallets + 1),
    /** Adds wallets, each once, in the order of addresses, before the index is sealed. */
    load: (wallets: readonly IndexedWallet[]): void => {
      for (const wallet of wallets) {
        const row = columns.end();
        columns.set(row, wallet);
        if (row > 1 && sorts.compareAddresses(row - 1, row) >= 0) {
          throw new Error(`${wallet.address} is loaded after one that follows it`);
        }
      }
    },
    seal: (): void => {
      const rows = rowsBelow(columns.end());
      orders.seal(rows);
      byAddress.fill(rows);
    },
    /** Follows changes. */
    change: (changed: readonly ChangedWallet[]): void => {
      selected.clear();
      for (const { address, wallet } of changed) {
        if (wallet) put(wallet);
        else remove(address);
      }
    },
    /** The wallets of a page and their total, as JSON. */
    page: ({ sort, order, limit, offset, ...filter }: WalletPage): string => {
      const selection = selected.of(filter, () =>
        selectWallets(columns, filter, (bounds, test) =>
          orders.countBetween('risk_score', bounds, test),
        ),
      );
      const rows =
        selection.total === 0 ? [] : orders.page(selection, { sort, order, limit, offset });
      return JSON.stringify({ wallets: rows.map(columns.hitAt), total: selection.total });
    },
  };
};
