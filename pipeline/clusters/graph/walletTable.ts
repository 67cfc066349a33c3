import type { Hex } from '../../../shared/chain/block.ts';
import { reserve } from './reserve.ts';

const ADDRESS_BYTES = 20;

/** Mixes all bytes, because generated and vanity addresses share most of them (FNV-1a, murmur3's finaliser). */
const hashOf = (key: Uint8Array): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < ADDRESS_BYTES; i += 1) {
    hash = Math.imul(hash ^ (key[i] as number), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
};

/**
 * Open addressing with 20 raw bytes per address, off the JavaScript heap: about 30 bytes each. A Map of strings takes
 * over 100 and is limited to 16.7 million entries. The arrays are reserved at once; the operating system commits only
 * what is touched.
 */
export const createWalletTable = (capacity: number) => {
  const slotCount = 2 ** Math.ceil(Math.log2(capacity * 1.5));
  /** Number + 1; 0 is empty. */
  const slots = reserve(Int32Array, slotCount);
  const keys = Buffer.alloc(capacity * ADDRESS_BYTES);
  const key = Buffer.alloc(ADDRESS_BYTES);
  let count = 0;

  const isKey = (id: number): boolean => {
    const base = id * ADDRESS_BYTES;
    for (let i = 0; i < ADDRESS_BYTES; i += 1) if (keys[base + i] !== key[i]) return false;
    return true;
  };
  /** The slot of the address, or the empty slot where it belongs; leaves its bytes in `key`. */
  const slotOf = (address: Hex): number => {
    key.write(address.slice(2), 'hex');
    let slot = hashOf(key) & (slotCount - 1);
    while (slots[slot] !== 0 && !isKey((slots[slot] as number) - 1)) {
      slot = (slot + 1) & (slotCount - 1);
    }
    return slot;
  };

  return {
    /** Maximum addresses. */
    capacity,
    bytes: slots.byteLength + keys.byteLength,
    count: (): number => count,
    /** The number of an address, or -1 if unknown. */
    find: (address: Hex): number => (slots[slotOf(address)] as number) - 1,
    /** The number of an address, assigned if needed; -1 when the table is full. */
    intern: (address: Hex): number => {
      const slot = slotOf(address);
      if (slots[slot] !== 0) return (slots[slot] as number) - 1;
      if (count === capacity) return -1;
      keys.set(key, count * ADDRESS_BYTES);
      count += 1;
      slots[slot] = count;
      return count - 1;
    },
    addressOf: (id: number): Hex =>
      `0x${keys.toString('hex', id * ADDRESS_BYTES, (id + 1) * ADDRESS_BYTES)}`,
  };
};
/** Numbers addresses from 0 in the order they are first seen. */
export type WalletTable = ReturnType<typeof createWalletTable>;
