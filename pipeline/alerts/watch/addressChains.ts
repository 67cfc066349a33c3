import type { Hex } from '../../../shared/chain/block.ts';

const CAPACITY_MIN = 1024;
const ADDRESS_WORDS = 5;
const NONE = -1;
/** Bytes a row takes: the address, its successor and its bucket. */
export const CHAIN_BYTES = ADDRESS_WORDS * 4 + 4 + 4;

/** An address as five 32-bit words. */
export const wordsOf = (address: Hex): number[] => [
  Number.parseInt(address.slice(2, 10), 16),
  Number.parseInt(address.slice(10, 18), 16),
  Number.parseInt(address.slice(18, 26), 16),
  Number.parseInt(address.slice(26, 34), 16),
  Number.parseInt(address.slice(34, 42), 16),
];

/** Mixing steps of MurmurHash3's 32-bit finalizer over the words. */
const hashOf = (words: readonly number[], seed: number): number => {
  let hash = seed;
  for (const word of words) {
    hash = Math.imul(hash ^ word, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  }
  return (hash ^ (hash >>> 16)) >>> 0;
};

/**
 * Row numbers by address: a hash table whose chains lie in typed arrays. Several rows may have the
 * same address. Rows are numbered from 0 without gaps until one is removed; its number is used again.
 */
export class AddressChains {
  readonly #seed: number;
  #addresses = new Uint32Array(CAPACITY_MIN * ADDRESS_WORDS);
  /** Next row of the same bucket, or of the free list. */
  #next = new Int32Array(CAPACITY_MIN);
  /** First row of each bucket; as many buckets as rows. */
  #buckets = new Int32Array(CAPACITY_MIN).fill(NONE);
  #used = 0;
  #free = NONE;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Rows there is room for; doubles when `add` needs it to. */
  get capacity(): number {
    return this.#next.length;
  }

  /** The rows of an address. */
  rows(words: readonly number[]): number[] {
    const rows: number[] = [];
    for (let row = this.#first(words); row !== NONE; row = this.#after(row)) {
      if (this.#hasAddress(row, words)) rows.push(row);
    }
    return rows;
  }

  /** A new row for the address. */
  add(words: readonly number[]): number {
    const row = this.#takeRow();
    this.#addresses.set(words, row * ADDRESS_WORDS);
    this.#link(row, words);
    return row;
  }

  /** Gives back a row of the address. */
  remove(row: number, words: readonly number[]): void {
    const bucket = this.#bucket(words);
    let before = this.#buckets[bucket] ?? NONE;
    if (before === row) this.#buckets[bucket] = this.#after(row);
    else {
      while (this.#after(before) !== row) before = this.#after(before);
      this.#next[before] = this.#after(row);
    }
    this.#next[row] = this.#free;
    this.#free = row;
  }

  #bucket(words: readonly number[]): number {
    return hashOf(words, this.#seed) & (this.capacity - 1);
  }

  #first(words: readonly number[]): number {
    return this.#buckets[this.#bucket(words)] ?? NONE;
  }

  #after(row: number): number {
    return this.#next[row] ?? NONE;
  }

  #hasAddress(row: number, words: readonly number[]): boolean {
    const first = row * ADDRESS_WORDS;
    for (let i = 0; i < ADDRESS_WORDS; i += 1) {
      if (this.#addresses[first + i] !== words[i]) return false;
    }
    return true;
  }

  #link(row: number, words: readonly number[]): void {
    const bucket = this.#bucket(words);
    this.#next[row] = this.#buckets[bucket] ?? NONE;
    this.#buckets[bucket] = row;
  }

  #takeRow(): number {
    if (this.#free !== NONE) {
      const row = this.#free;
      this.#free = this.#after(row);
      return row;
    }
    if (this.#used === this.capacity) this.#grow();
    this.#used += 1;
    return this.#used - 1;
  }

  /** Only called while no row is free, so that every row below `used` is linked. */
  #grow(): void {
    const capacity = this.capacity * 2;
    const addresses = new Uint32Array(capacity * ADDRESS_WORDS);
    addresses.set(this.#addresses);
    this.#addresses = addresses;
    this.#next = new Int32Array(capacity);
    this.#buckets = new Int32Array(capacity).fill(NONE);
    for (let row = 0; row < this.#used; row += 1) {
      this.#link(row, [...addresses.subarray(row * ADDRESS_WORDS, (row + 1) * ADDRESS_WORDS)]);
    }
  }
}
