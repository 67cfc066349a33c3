import type { BlockHeader, Hex } from '../chain/block.ts';

/** A log as returned by a node, with JSON-RPC field names. */
export interface RawLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  /** Unix seconds as a quantity. Most nodes send it, but not all. */
  readonly blockTimestamp?: Hex;
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
  readonly logIndex: Hex;
  readonly removed?: boolean;
}

/** The fields of a transaction and its receipt that facts need. */
export interface VerifiedTransaction {
  readonly hash: Hex;
  readonly index: number;
  readonly from: Hex;
  /** Null for a creation. */
  readonly to: Hex | null;
  /** Wei, a hexadecimal quantity. */
  readonly value: Hex;
  readonly succeeded: boolean;
  /**
   * Calldata of a transaction that failed according to its receipt; null for others, and if no receipt was read.
   */
  readonly failedInput: Hex | null;
  /** The contract created by a creation. */
  readonly contractAddress: Hex | null;
}

/** A block read in full, whose header, receipts and logs agree. */
export interface VerifiedBlock {
  readonly header: BlockHeader;
  readonly transactions: readonly VerifiedTransaction[];
  /** Every log of the block, in order. */
  readonly logs: readonly RawLog[];
}

/** The logs of a range of final blocks, in order, with the header of its last block. */
export interface VerifiedRange {
  readonly from: number;
  readonly to: BlockHeader;
  /** Logs with one of the requested topics, by block and position. */
  readonly logs: readonly RawLog[];
  /** Unix seconds of each block that has a log. */
  readonly timestampsS: ReadonlyMap<number, number>;
}
