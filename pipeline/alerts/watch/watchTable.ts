import type { Hex } from '../../../shared/chain/block.ts';
import {
  ALERT_TYPES,
  SENSITIVITIES,
  type Sensitivity,
  type WatchItem,
} from '../../../shared/messages/watchMessage.ts';
import { AddressChains, CHAIN_BYTES, wordsOf } from './addressChains.ts';

/** What the rules need to know of one watchlist item. */
export type Watch = Omit<WatchItem, 'createdAtMs'>;

/**
 * Watched addresses in memory. Items lie in columns of typed arrays: 42 bytes an item when the
 * columns are full, 84 right after they doubled, and no object an item for the collector to walk.
 * Measured with a million items (deploy/bench/watchIndex.bench.ts, two cores shared with much else): 44 bytes
 * an item, 430,000 lookups a second that find an item and 510,000 that find none. Fifty times mainnet's
 * 300 transfers a second needs some 15,000.
 */
export interface WatchTable {
  /** Adds an item; repeating it changes nothing. */
  put(item: Watch): void;
  /** Whether the item was there. */
  remove(item: Pick<Watch, 'family' | 'id' | 'address'>): boolean;
  /** The items of an address, in no particular order. */
  find(address: Hex): Watch[];
  /** Items held. */
  size(): number;
  /** Bytes of the columns, without the names of the families. */
  bytes(): number;
}

const SENSITIVITY_SHIFT = ALERT_TYPES.length;
const WALLET_SHIFT = SENSITIVITY_SHIFT + 2;
/** Bytes an item takes beside its address: family, id and flags. */
const COLUMN_BYTES = 4 + 8 + 2;

const encodeFlags = (item: Watch): number => {
  const types = item.alerts.reduce((bits, type) => bits | (1 << ALERT_TYPES.indexOf(type)), 0);
  const sensitivity = SENSITIVITIES.indexOf(item.sensitivity) << SENSITIVITY_SHIFT;
  return types | sensitivity | (item.type === 'wallet' ? 1 << WALLET_SHIFT : 0);
};

const decodeSensitivity = (flags: number): Sensitivity =>
  SENSITIVITIES[(flags >> SENSITIVITY_SHIFT) & 0b11] ?? 'medium';

const decodeFlags = (flags: number): Pick<Watch, 'type' | 'alerts' | 'sensitivity'> => ({
  type: (flags >> WALLET_SHIFT) & 1 ? 'wallet' : 'token',
  alerts: ALERT_TYPES.filter((_type, bit) => (flags & (1 << bit)) !== 0),
  sensitivity: decodeSensitivity(flags),
});

const grown = <T extends { set(from: T): void }>(from: T, to: T): T => {
  to.set(from);
  return to;
};

/** An empty table. A random `seed` keeps clients from choosing addresses that fall together. */
export const createWatchTable = (seed: number): WatchTable => {
  const chains = new AddressChains(seed);
  const familyNames: string[] = [];
  const familyNumbers = new Map<string, number>();
  let families = new Uint32Array(chains.capacity);
  let ids = new Float64Array(chains.capacity);
  let flags = new Uint16Array(chains.capacity);
  let count = 0;

  const familyNumber = (family: string): number => {
    const known = familyNumbers.get(family);
    if (known !== undefined) return known;
    familyNumbers.set(family, familyNames.length);
    return familyNames.push(family) - 1;
  };
  const locate = (words: readonly number[], family: string, id: number): number | undefined =>
    chains
      .rows(words)
      .find((row) => ids[row] === id && families[row] === familyNumbers.get(family));
  const addRow = (words: readonly number[], item: Watch): number => {
    const row = chains.add(words);
    if (chains.capacity > ids.length) {
      families = grown(families, new Uint32Array(chains.capacity));
      ids = grown(ids, new Float64Array(chains.capacity));
      flags = grown(flags, new Uint16Array(chains.capacity));
    }
    families[row] = familyNumber(item.family);
    ids[row] = item.id;
    count += 1;
    return row;
  };

  return {
    put: (item) => {
      const words = wordsOf(item.address);
      const row = locate(words, item.family, item.id) ?? addRow(words, item);
      flags[row] = encodeFlags(item);
    },
    remove: ({ family, id, address }) => {
      const words = wordsOf(address);
      const row = locate(words, family, id);
      if (row === undefined) return false;
      chains.remove(row, words);
      count -= 1;
      return true;
    },
    find: (address) =>
      chains.rows(wordsOf(address)).map((row) => ({
        family: familyNames[families[row] ?? 0] ?? '',
        id: ids[row] ?? 0,
        address,
        ...decodeFlags(flags[row] ?? 0),
      })),
    size: () => count,
    bytes: () => chains.capacity * (CHAIN_BYTES + COLUMN_BYTES),
  };
};
