import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { GraphFact, GraphKind } from '../facts/graphFact.ts';

/**
 * A graph fact as far as the detector cares. One from an address to itself says nothing and is skipped. A `value` of 0 means unknown and
 * counts as material; known values of money below `dustValue` of the detector are skipped. `token` counts where the kind is `token`.
 */
export interface DetectorFact
  extends Pick<GraphFact, 'from' | 'to' | 'token' | 'value' | 'txHash' | 'codeHash'> {
  /** `funding`: native currency that recorded data itself calls so. */
  readonly kind: GraphKind | 'funding';
}

/** Facts of one block; their order does not matter. */
export interface DetectorBlock extends BlockRef {
  readonly facts: readonly DetectorFact[];
}

/** A ring known from an earlier run: whichever ring holds most of its wallets keeps its id. */
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
  /** Edges held at most; beyond it the oldest that no ring rests on are let go. */
  readonly edgesMax?: number | undefined;
  /** Wallets held at most. */
  readonly walletsMax?: number | undefined;
}
