/** Lower-case hexadecimal with `0x`: an address (20 bytes), a hash (32 bytes) or a quantity. */
export type Hex = `0x${string}`;

/** Identifies a block permanently: reorgs reuse numbers, but not hashes. */
export interface BlockRef {
  readonly number: number;
  readonly hash: Hex;
}

/** What links a block to its chain. */
export interface BlockHeader extends BlockRef {
  readonly parentHash: Hex;
  /** Unix seconds, according to the chain. */
  readonly timestampS: number;
}

export const ZERO_ADDRESS: Hex = '0x0000000000000000000000000000000000000000';
export const ZERO_HASH: Hex = '0x0000000000000000000000000000000000000000000000000000000000000000';
