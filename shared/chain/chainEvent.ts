import type { BlockRef, Hex } from './block.ts';
import type { Fact } from './fact.ts';

/** The facts of one block, or of a part of it if a message was split. */
export interface BlockFacts extends BlockRef {
  /** Unix seconds. */
  readonly timestampS: number;
  readonly facts: readonly Fact[];
}

/**
 * A contiguous range of the canonical chain: one block near the head, up to thousands while
 * catching up. Blocks without a fact are not listed. A range with many facts is cut into several
 * events with the same `from` and `to`; only the one with `last` set completes it.
 */
export interface BlocksEvent {
  readonly kind: 'blocks';
  readonly chainId: number;
  /** Number of reorgs of this chain before this range: facts of a later epoch win. */
  readonly epoch: number;
  readonly from: number;
  readonly to: BlockRef & { readonly parentHash: Hex; readonly timestampS: number };
  readonly blocks: readonly BlockFacts[];
  /** Index of this piece in its range, from 0. */
  readonly chunk: number;
  readonly last: boolean;
  /** Highest block that the node reported when this was read. */
  readonly head: number;
  /** Unix milliseconds at which the watcher had read the range. */
  readonly readAtMs: number;
}

/** Blocks that are no longer canonical. The next `blocks` event starts at `ancestor.number + 1`. */
export interface ReorgEvent {
  readonly kind: 'reorg';
  readonly chainId: number;
  readonly epoch: number;
  readonly ancestor: BlockRef & { readonly timestampS: number };
  readonly orphaned: readonly BlockRef[];
}

/**
 * Everything up to this block is final: no reorg goes below it. The blocks of a range of several blocks (`from` below
 * `to.number`) are final as well, without such an event.
 */
export interface FinalizeEvent {
  readonly kind: 'finalize';
  readonly chainId: number;
  readonly epoch: number;
  readonly block: BlockRef;
}

/** The closed union of the events in a chain's ordered stream. */
export type ChainEvent = BlocksEvent | ReorgEvent | FinalizeEvent;
