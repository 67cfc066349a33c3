import { keccak256 } from 'viem';
import type { RawLog } from '../../decode/rawBlock.ts';

/** Bytes of a logs bloom, and the bits each value sets in it (Yellow Paper, section 4.3.1). */
const BLOOM_BYTES = 256;
const BITS_PER_VALUE = 3;
/** Values whose bits are remembered: addresses and first topics repeat in every block. */
const REMEMBERED_MAX = 65_536;

const isBloom = (bloom: unknown): bloom is string =>
  typeof bloom === 'string' &&
  bloom.length === 2 + BLOOM_BYTES * 2 &&
  /^0x[0-9a-fA-F]+$/.test(bloom);

/** Tests of logs against the bloom of their block's header. */
export interface BloomCheck {
  /** Whether a value (address or topic) may be in the bloom. False is certain, true is not. */
  mayHold(bloom: unknown, value: `0x${string}`): boolean;
  /**
   * Whether the bloom proves that logs are missing: it has a bit that none of `logs` sets. Needs
   * every log of the block. A bloom of zeros proves nothing: some nodes do not fill it.
   */
  provesMissing(bloom: unknown, logs: readonly RawLog[]): boolean;
}

const hasBit = (bytes: Uint8Array, bit: number): boolean =>
  ((bytes[BLOOM_BYTES - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;

const bitsSetIn = (bytes: Uint8Array): Set<number> => {
  const bits = new Set<number>();
  for (let bit = 0; bit < BLOOM_BYTES * 8; bit += 1) {
    if (hasBit(bytes, bit)) bits.add(bit);
  }
  return bits;
};

/** Remembers the bits of values it has seen, in a bounded map. */
export const createBloomCheck = (): BloomCheck => {
  const remembered = new Map<string, readonly number[]>();
  const bitsOf = (value: `0x${string}`): readonly number[] => {
    const known = remembered.get(value);
    if (known) return known;
    const hash = keccak256(value, 'bytes');
    const bits = Array.from({ length: BITS_PER_VALUE }, (_, i) => {
      const pair = ((hash[2 * i] ?? 0) << 8) | (hash[2 * i + 1] ?? 0);
      return pair & (BLOOM_BYTES * 8 - 1);
    });
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(value, bits);
    return bits;
  };
  return {
    mayHold: (bloom, value) => {
      if (!isBloom(bloom)) return false;
      const bytes = Buffer.from(bloom.slice(2), 'hex');
      return bitsOf(value).every((bit) => hasBit(bytes, bit));
    },
    provesMissing: (bloom, logs) => {
      if (!isBloom(bloom)) return false;
      const unexplained = bitsSetIn(Buffer.from(bloom.slice(2), 'hex'));
      for (const log of logs) {
        // A busy block sets nearly every bit long before its last log.
        if (unexplained.size === 0) break;
        for (const value of [log.address, ...log.topics]) {
          for (const bit of bitsOf(value)) unexplained.delete(bit);
        }
      }
      return unexplained.size > 0;
    },
  };
};
