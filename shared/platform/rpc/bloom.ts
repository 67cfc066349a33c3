import { keccak256 } from 'viem/utils';
import type { RawLog } from '../../decode/rawBlock.ts';

/** Bytes of a logs bloom, and the bits each value sets in it (Yellow Paper, section 4.3.1). */
const BLOOM_BYTES = 256;
const BLOOM_BITS = BLOOM_BYTES * 8;
/** Values whose bits are cached: addresses and first topics repeat in every block. */
const REMEMBERED_MAX = 65_536;

const isBloom = (bloom: unknown): bloom is string =>
  typeof bloom === 'string' &&
  bloom.length === 2 + BLOOM_BYTES * 2 &&
  /^0x[0-9a-fA-F]+$/.test(bloom);

const hasBit = (bytes: Uint8Array, bit: number): boolean =>
  ((bytes[BLOOM_BYTES - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;

/** Which bits are set, one byte per bit, and how many. */
const bitsSetIn = (bytes: Uint8Array): { readonly flags: Uint8Array; count: number } => {
  const set = { flags: new Uint8Array(BLOOM_BITS), count: 0 };
  for (let bit = 0; bit < BLOOM_BITS; bit += 1) {
    if (!hasBit(bytes, bit)) continue;
    set.flags[bit] = 1;
    set.count += 1;
  }
  return set;
};

/** One of the three bits that a hash sets. */
const bitAt = (hash: Uint8Array, pair: number): number =>
  (((hash[pair] ?? 0) << 8) | (hash[pair + 1] ?? 0)) & (BLOOM_BITS - 1);

/** Caches the bits of values, in a bounded map. */
export const createBloomCheck = () => {
  const remembered = new Map<string, readonly number[]>();
  const bitsOf = (value: `0x${string}`): readonly number[] => {
    const known = remembered.get(value);
    if (known) return known;
    const hash = keccak256(value, 'bytes');
    const bits = [bitAt(hash, 0), bitAt(hash, 2), bitAt(hash, 4)];
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(value, bits);
    return bits;
  };
  return {
    /** Whether a value (address or topic) may be in the bloom filter. False is certain, true is not. */
    mayHold: (bloom: unknown, value: `0x${string}`): boolean => {
      if (!isBloom(bloom)) return false;
      const bytes = Buffer.from(bloom.slice(2), 'hex');
      return bitsOf(value).every((bit) => hasBit(bytes, bit));
    },
    /**
     * Whether the bloom filter proves that logs are missing: it has a bit that none of `logs` sets. Needs every log
     * of the block. An empty filter proves nothing because some nodes do not fill it.
     */
    provesMissing: (bloom: unknown, logs: readonly RawLog[]): boolean => {
      if (!isBloom(bloom)) return false;
      const unexplained = bitsSetIn(Buffer.from(bloom.slice(2), 'hex'));
      for (const log of logs) {
        // A busy block has set nearly every bit long before its last log.
        if (unexplained.count === 0) break;
        for (const value of [log.address, ...log.topics]) {
          for (const bit of bitsOf(value)) {
            unexplained.count -= unexplained.flags[bit] ?? 0;
            unexplained.flags[bit] = 0;
          }
        }
      }
      return unexplained.count > 0;
    },
  };
};
/** Checks logs against the bloom filter of their block's header. */
export type BloomCheck = ReturnType<typeof createBloomCheck>;
