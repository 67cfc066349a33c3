/** Lower-case hexadecimal with `0x`: an address (20 bytes), a hash (32 bytes) or a quantity. */
export type Hex = `0x${string}`;

/** Names one block for good: numbers are reused by reorgs, hashes are not. */
export interface BlockRef {
  readonly number: number;
  readonly hash: Hex;
}

/** What links a block to its chain. */
export interface BlockHeader extends BlockRef {
  readonly parentHash: Hex;
  /** Unix seconds, as the chain says. */
  readonly timestampS: number;
}

export const ZERO_ADDRESS: Hex = '0x0000000000000000000000000000000000000000';
export const ZERO_HASH: Hex = '0x0000000000000000000000000000000000000000000000000000000000000000';
