import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { type BlockGraph, createdFact, type TokenCreation } from '../facts/graphFact.ts';
import { graphOfBlock } from '../facts/graphOfBlock.ts';
import type { RingDetector } from '../graph/createRingDetector.ts';
import type { RingChanges } from '../graph/ring.ts';
import type { KnownRing } from '../graph/ringDetector.ts';

/** Changes in memory that are not stored yet. */
export interface Dirty {
  readonly rings: Set<string>;
  /** Rings that no longer exist, with the ring they merged into, or null. */
  readonly ended: Map<string, string | null>;
  readonly wallets: Set<Hex>;
  /** Tokens whose losses must be computed again. */
  readonly tokens: Set<Hex>;
}

const createDirty = (): Dirty => ({
  rings: new Set(),
  ended: new Map(),
  wallets: new Set(),
  tokens: new Set(),
});

/**
 * Seconds after its creation for which a token's trades and transfers are kept: a week, in which rings act on it.
 */
const YOUNG_S = 7 * 24 * 3_600;
/** Maximum young tokens; beyond it the oldest stops counting as young. */
const YOUNG_TOKENS_MAX = 200_000;

interface YoungToken {
  readonly creator: Hex;
  readonly atS: number;
  readonly blockHash: Hex;
}

/**
 * Tokens of the last week by address, with their creators: their trades are kept. Depends on chain time alone.
 */
const createYoungTokens = () => {
  const creations = new Map<Hex, YoungToken>();
  const forgetOld = (nowS: number): void => {
    for (const [token, { atS }] of creations) {
      if (nowS - atS <= YOUNG_S && creations.size <= YOUNG_TOKENS_MAX) return;
      creations.delete(token);
    }
  };
  return {
    add: (token: Hex, creation: YoungToken): void => {
      creations.delete(token);
      creations.set(token, creation);
      forgetOld(creation.atS);
    },
    /** The creator of a token that is young at a time; undefined for any other. */
    creatorOf: (token: Hex, atS: number): Hex | undefined => {
      const creation = creations.get(token);
      return creation && creation.atS <= atS && atS - creation.atS <= YOUNG_S
        ? creation.creator
        : undefined;
    },
    /** Forgets tokens created in orphaned blocks. */
    drop: (blockHashes: ReadonlySet<Hex>): void => {
      for (const [token, { blockHash }] of creations)
        if (blockHashes.has(blockHash)) creations.delete(token);
    },
    size: (): number => creations.size,
  };
};

/** Heights below the newest for which creations are still remembered for a reorg: beyond any finality. */
export const REORG_BLOCKS_MAX = 8_192;
/**
 * Maximum wallets whose row is renewed by every movement; further rows are renewed by verdicts and rings only. About
 * 60 MB of addresses.
 */
const TRACKED_MAX = 500_000;

/** The tokens that stand for a chain's native currency in trades. */
export interface Bases {
  /** The wrapped native token. */
  readonly weth: Hex;
  /** The wrapped native token and the stablecoins. */
  readonly all: ReadonlySet<Hex>;
}

/**
 * The state of the clusters role for its chain: a function of the stored graph facts and of the verdicts. It also
 * collects changes that are not stored yet.
 */
export class RingMemory {
  readonly #detector: RingDetector;
  readonly #bases: Bases;
  readonly #young = createYoungTokens();
  readonly #tracked = new Set<Hex>();
  #dirty = createDirty();

  constructor(detector: RingDetector, bases: Bases) {
    this.#detector = detector;
    this.#bases = bases;
  }

  /** Changes since the last call of `stored`. */
  get dirty(): Dirty {
    return this.#dirty;
  }

  hasChanged(): boolean {
    const { rings, ended, wallets, tokens } = this.#dirty;
    return rings.size + ended.size + wallets.size + tokens.size > 0;
  }

  /** All changes are stored; these wallets have a row now. */
  stored(wallets: Iterable<Hex>): void {
    this.track(wallets);
    this.#dirty = createDirty();
  }

  /** Records wallets that have a row. */
  track(wallets: Iterable<Hex>): void {
    for (const wallet of wallets) {
      if (this.#tracked.size < TRACKED_MAX) this.#tracked.add(wallet);
    }
  }

  /** The graph facts of a block in which these tokens were created, without applying them. */
  graphOf(block: BlockFacts, created: readonly TokenCreation[]): BlockGraph {
    const { number, hash, timestampS } = block;
    for (const { token, creator, atS, block: born } of created)
      this.#young.add(token, { creator, atS, blockHash: born.hash });
    const own = created.filter((creation) => creation.block.hash === hash).map(createdFact);
    // A quote token has no market of its own.
    const creatorOf = (token: Hex, atS: number): Hex | undefined =>
      this.#bases.all.has(token) ? undefined : this.#young.creatorOf(token, atS);
    const facts = [...own, ...graphOfBlock(block, { creatorOf, weth: this.#bases.weth })];
    return { number, hash, timestampS, facts };
  }

  /** Applies a block's facts, once, and records whose rows they change. */
  learn(block: BlockGraph): void {
    this.#addYoung(block);
    this.#noteRings(this.#detector.apply(block));
    this.#noteTouched(block);
    for (const { kind, from, to } of block.facts) {
      if (kind === 'created') this.noteCreator(from);
      else if (kind === 'native' && this.#detector.isCreator(to)) this.noteCreator(to);
    }
  }

  /** Applies stored facts at the start. */
  load(block: BlockGraph): void {
    this.#addYoung(block);
    this.#detector.load(block);
  }

  /** Looks for all rings after `load`; known rings keep their ids, and all are compared with the tables. */
  findRings(known: readonly KnownRing[]): void {
    this.#detector.findRings(known);
    for (const { id } of this.#detector.rings()) this.#dirty.rings.add(id);
    for (const { id, wallets } of known) {
      if (!this.#detector.ring(id)) this.#dirty.ended.set(id, this.#heirOf(wallets));
    }
  }

  /**
   * Records wallets whose row names another ring than theirs, after a crash between writing a ring's row and its
   * wallets' rows.
   */
  compareRows(rows: readonly { readonly wallet: Hex; readonly clusterId: string }[]): void {
    const named = new Map(rows.map(({ wallet, clusterId }) => [wallet, clusterId]));
    for (const { id, members } of this.#detector.rings()) {
      for (const { wallet } of members) {
        if (named.get(wallet) !== id) this.#dirty.wallets.add(wallet);
        named.delete(wallet);
      }
    }
    for (const [wallet, id] of named) if (id !== '') this.#dirty.wallets.add(wallet);
  }

  /** Forgets orphaned blocks; `orphaned` are their facts. */
  undo(hashes: ReadonlySet<Hex>, orphaned: readonly BlockGraph[]): void {
    this.#noteRings(this.#detector.undo([...hashes]));
    this.#young.drop(hashes);
    for (const block of orphaned) {
      this.#noteTouched(block);
      for (const { kind, from } of block.facts)
        if (kind === 'created') this.#dirty.wallets.add(from);
    }
  }

  finalize(height: number): void {
    this.#detector.finalize(height);
  }

  /** Applies a verdict. */
  setVerdict(token: Hex, isScam: boolean): void {
    this.#noteRings(this.#detector.setVerdict(token, isScam));
    this.#dirty.tokens.add(token);
  }

  /** A creator gets a row, and so does its first funder. */
  noteCreator(creator: Hex): void {
    this.#dirty.wallets.add(creator);
    const funder = this.#detector.funderOf(creator);
    if (funder && !this.#tracked.has(funder)) this.#dirty.wallets.add(funder);
  }

  knowsCreationOf(token: Hex): boolean {
    return this.#detector.isCreated(token);
  }

  counts(): Readonly<Record<string, number>> {
    const { wallets, edges, rings, hubs, bytes } = this.#detector.stats();
    const [young, tracked] = [this.#young.size(), this.#tracked.size];
    return { young, tracked, wallets, edges, rings, hubs, bytes };
  }

  #addYoung({ hash, timestampS, facts }: BlockGraph): void {
    for (const { kind, from, to } of facts) {
      if (kind !== 'created') continue;
      this.#young.add(to, { creator: from, atS: timestampS, blockHash: hash });
    }
  }

  #noteRings({ changed, removed }: RingChanges): void {
    const { rings, ended } = this.#dirty;
    for (const { id, mergedInto } of removed) {
      rings.delete(id);
      ended.set(id, mergedInto);
    }
    for (const { id } of changed) {
      ended.delete(id);
      rings.add(id);
    }
  }

  /**
   * Records wallets with a row that facts mention, and tokens whose liquidity their creators may have taken: by
   * removing it or, as after a hidden mint, by a sale. Rows of hubs do not depend on movements.
   */
  #noteTouched({ timestampS, facts }: BlockGraph): void {
    for (const { kind, from, to, token } of facts) {
      const isTaken =
        kind === 'lpRemoved' || (kind === 'sold' && this.#isMaker(from, token, timestampS));
      if (isTaken) this.#dirty.tokens.add(token);
      for (const end of [from, to]) {
        if (this.#tracked.has(end) && !this.#detector.isHub(end)) this.#dirty.wallets.add(end);
      }
    }
  }

  /** Whether a wallet created a young token, or is in the same ring as its creator. */
  #isMaker(wallet: Hex, token: Hex, atS: number): boolean {
    const creator = this.#young.creatorOf(token, atS);
    if (creator === undefined) return false;
    if (creator === wallet) return true;
    const ring = this.#detector.ringOf(wallet);
    return ring !== undefined && ring.id === this.#detector.ringOf(creator)?.id;
  }

  /** The ring that now contains most wallets of a former ring. */
  #heirOf(wallets: readonly Hex[]): string | null {
    const counts = new Map<string, number>();
    for (const wallet of wallets) {
      const id = this.#detector.ringOf(wallet)?.id;
      if (id) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? null;
  }
}
