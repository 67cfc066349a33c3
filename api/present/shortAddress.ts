import type { Hex } from '../../shared/chain/block.ts';

/** An address by its ends: what stands for a name where there is none. */
export const shortAddress = (address: Hex): string => `${address.slice(0, 6)}…${address.slice(-4)}`;
