import type { Hex } from './block.ts';

/** Where a fact stands in its block. A native transfer and a creation have no log. */
interface InTransaction {
  readonly txHash: Hex;
  readonly txIndex: number;
}

interface InLog extends InTransaction {
  /** Position of the log in its block. */
  readonly logIndex: number;
}

/** An ERC-20 `Transfer`: three topics and 32 bytes of data, from any contract. */
export interface TransferFact extends InLog {
  readonly kind: 'transfer';
  readonly token: Hex;
  readonly from: Hex;
  readonly to: Hex;
  /** Raw token units as a hexadecimal quantity. */
  readonly value: Hex;
}

/** Native currency moved by a successful top-level transaction, value above zero. */
export interface NativeTransferFact extends InTransaction {
  readonly kind: 'nativeTransfer';
  readonly from: Hex;
  readonly to: Hex;
  /** Wei as a hexadecimal quantity. */
  readonly value: Hex;
}

/** A contract made by a top-level transaction that succeeded. */
export interface CreationFact extends InTransaction {
  readonly kind: 'creation';
  readonly contract: Hex;
  readonly creator: Hex;
}

/** Uniswap V2 `PairCreated`, of any factory. */
export interface PairCreatedFact extends InLog {
  readonly kind: 'pairCreated';
  readonly factory: Hex;
  readonly pool: Hex;
  readonly token0: Hex;
  readonly token1: Hex;
}

/** Uniswap V2 `Sync`: the reserves after the change, raw units. */
export interface SyncFact extends InLog {
  readonly kind: 'sync';
  readonly pool: Hex;
  readonly reserve0: Hex;
  readonly reserve1: Hex;
}

/** Uniswap V2 `Swap`. */
export interface SwapFact extends InLog {
  readonly kind: 'swap';
  readonly pool: Hex;
  readonly sender: Hex;
  readonly to: Hex;
  readonly amount0In: Hex;
  readonly amount1In: Hex;
  readonly amount0Out: Hex;
  readonly amount1Out: Hex;
}

/** Uniswap V2 `Mint`: liquidity added. */
export interface MintFact extends InLog {
  readonly kind: 'mint';
  readonly pool: Hex;
  readonly sender: Hex;
  readonly amount0: Hex;
  readonly amount1: Hex;
}

/** Uniswap V2 `Burn`: liquidity removed. */
export interface BurnFact extends InLog {
  readonly kind: 'burn';
  readonly pool: Hex;
  readonly sender: Hex;
  readonly to: Hex;
  readonly amount0: Hex;
  readonly amount1: Hex;
}

/** `OwnershipTransferred` of an Ownable contract. */
export interface OwnershipTransferredFact extends InLog {
  readonly kind: 'ownershipTransferred';
  readonly contract: Hex;
  readonly previousOwner: Hex;
  readonly newOwner: Hex;
}

export type PoolEventFact = SyncFact | SwapFact | MintFact | BurnFact;

/** Something that happened in one block, decoded and independent of any state of ours. */
export type Fact =
  | TransferFact
  | NativeTransferFact
  | CreationFact
  | PairCreatedFact
  | PoolEventFact
  | OwnershipTransferredFact;
