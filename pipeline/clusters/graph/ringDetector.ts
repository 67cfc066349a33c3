import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { GraphFact, GraphKind } from '../facts/graphFact.ts';
import type { Ring, RingChanges } from './ring.ts';

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

/** How much the detector holds, for metrics. */
export interface DetectorStats {
  readonly wallets: number;
  readonly edges: number;
  readonly rings: number;
  readonly hubs: number;
  /** Edges left out since the start, by reason. */
  readonly skipped: { readonly self: number; readonly dust: number; readonly evicted: number };
  /** Bytes of the graph outside the JavaScript heap. */
  readonly bytes: number;
}

/**
 * Keeps the rings of one chain up to date. Synchronous and without I/O.
 *
 * The result depends on the facts only, not on how they were cut into steps: `apply` block by block
 * gives the same rings as `load` of everything. Blocks may come in any order; a block is known by its
 * hash, and applying it twice changes nothing, but that creations not known yet are taken: they may come later than their block.
 */
export interface RingDetector {
  /** Adds the facts of a block. */
  apply(block: DetectorBlock): RingChanges;
  /** Removes the facts of orphaned blocks; hashes that are not held are ignored. */
  undo(blockHashes: readonly Hex[]): RingChanges;
  /** Says whether a token is a scam; a later verdict replaces an earlier one. Tokens not yet deployed may have one. */
  setVerdict(token: Hex, isScam: boolean): RingChanges;
  /** Blocks up to this number can no longer be undone; what is kept for that is let go. */
  finalize(blockNumber: number): void;
  /** As `apply`, without looking for rings: for a start from stored facts. End with `findRings`. */
  load(block: DetectorBlock): void;
  /** As `setVerdict`, without looking for rings. */
  loadVerdict(token: Hex, isScam: boolean): void;
  /** Looks for all rings at once after `load`; ids of known rings are kept. */
  findRings(known?: readonly KnownRing[]): RingChanges;
  rings(): IterableIterator<Ring>;
  ring(id: string): Ring | undefined;
  /** The ring a wallet belongs to. */
  ringOf(wallet: Hex): Ring | undefined;
  /** Whether a wallet is taken for an exchange, router, bridge, mixer or the like. */
  isHub(wallet: Hex): boolean;
  /** The latest verdict; false where there is none. */
  isScam(token: Hex): boolean;
  /** Whether it is known who created a token. */
  isCreated(token: Hex): boolean;
  isCreator(wallet: Hex): boolean;
  /** Who sent a wallet its first material money. */
  funderOf(wallet: Hex): Hex | undefined;
  stats(): DetectorStats;
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
