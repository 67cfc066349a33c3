import type { WatchItem } from '../../shared/messages/watchMessage.ts';
import type { AddedWatch } from '../../shared/watchlist/watchlistStore.ts';

/** What a family wants to watch. */
export type NewWatch = Pick<WatchItem, 'family' | 'type' | 'address' | 'alerts' | 'sensitivity'>;

/** One page of a watchlist. */
export interface WatchPage {
  readonly family: string;
  readonly type?: 'token' | 'wallet' | undefined;
  readonly limit: number;
  readonly offset: number;
  /** Items older than this one; `offset` is then ignored. */
  readonly before?: Pick<WatchItem, 'createdAtMs' | 'id'> | undefined;
}

/** Watchlists of key families. */
export interface Watchlist {
  list(page: WatchPage): Promise<{ items: (WatchItem & { name?: string })[]; total: number }>;
  /** At most `itemsMax` items a family, each (type, address) once, also under concurrency. */
  add(watch: NewWatch, itemsMax: number): Promise<AddedWatch>;
  /** Resolves to false where the family has no such item. */
  remove(family: string, id: number): Promise<boolean>;
  /** Removes what watches an address; resolves to how many items that were. */
  removeAddress(
    family: string,
    address: WatchItem['address'],
    types: readonly WatchItem['type'][],
  ): Promise<number>;
}
