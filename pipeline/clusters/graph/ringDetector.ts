import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { GraphFact, GraphKind } from '../facts/graphFact.ts';

/**
 * The fields of a graph fact that the detector uses. One from an address to itself is skipped. A `value` of 0 means
 * unknown and counts as material; known amounts below the detector's `dustValue` are skipped. `token` is used if the
 * kind is `token`.
 */
export interface DetectorFact
  extends Pick<GraphFact, 'from' | 'to' | 'token' | 'value' | 'txHash' | 'codeHash'> {
  /** `funding`: native currency that recorded data labels as such. */
  readonly kind: GraphKind | 'funding';
}

/** Facts of one block; their order does not matter. */
export interface DetectorBlock extends BlockRef {
  readonly facts: readonly DetectorFact[];
}

/** A ring known from an earlier run: the ring that contains most of its wallets keeps its id. */
export interface KnownRing {
  readonly id: string;
  readonly wallets: readonly Hex[];
}

/** Settings of a detector. */
export interface DetectorOptions {
  /** Known exchanges, routers, pools, bridges, mixers, burn addresses: never members, never links. */
  readonly hubs?: Iterable<Hex> | undefined;
  /** Native value below which an edge is dust, in whole units. */
  readonly dustValue?: number | undefined;
  /** Maximum edges; beyond it the oldest that no ring depends on are evicted. */
  readonly edgesMax?: number | undefined;
  /** Maximum wallets. */
  readonly walletsMax?: number | undefined;
}
