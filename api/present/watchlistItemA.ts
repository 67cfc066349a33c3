import type { WatchItem } from '../../shared/messages/watchMessage.ts';
import type { WatchlistItem } from '../schema/watchlist.ts';
import { isoTime } from './isoTime.ts';
import { shortAddress } from './shortAddress.ts';

/** A watched address as clients see it. */
export const watchlistItemA = (item: WatchItem & { name?: string }): WatchlistItem => ({
  id: item.id,
  type: item.type,
  address: item.address,
  ...(item.name === undefined ? {} : { name: item.name }),
  alerts: item.alerts,
  sensitivity: item.sensitivity,
  created_at: isoTime(item.createdAtMs),
});

/** The same in a list, where every entry has a name: that of the token, else the ends of the address. */
export const watchlistEntryA = (item: WatchItem & { name?: string }): WatchlistItem =>
  watchlistItemA({ ...item, name: item.name ?? shortAddress(item.address) });
