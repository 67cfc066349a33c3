import type { Hex } from '../chain/block.ts';

const DIGITS = 64;

/** A market's id in 32 bytes: an address is left-padded with zeros, as in an EVM word. */
export const marketId = (pool: Hex): Hex => `0x${pool.slice(2).padStart(DIGITS, '0')}`;
