import type { Hex } from '../chain/block.ts';

const DIGITS = 64;

/** A market's name in 32 bytes: an address as the EVM holds it in a word, with zeros before it. */
export const marketId = (pool: Hex): Hex => `0x${pool.slice(2).padStart(DIGITS, '0')}`;
