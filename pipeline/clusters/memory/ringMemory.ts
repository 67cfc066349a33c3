import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { type BlockGraph, createdFact, type TokenCreation } from '../facts/graphFact.ts';
import { graphOfBlock } from '../facts/graphOfBlock.ts';
import type { RingDetector } from '../graph/createRingDetector.ts';
import type { RingChanges } from '../graph/ring.ts';
import type { KnownRing } from '../graph/ringDetector.ts';

/** What changed in memory and is not stored yet. */
export interface Dirty {
  readonly rings: Set<string>;
  /** Rings that are no more, with the ring they went into, or null. */
  readonly ended: Map<string, string | null>;
  readonly wallets: Set<Hex>;
  /** Tokens of which has to be found out again what was lost with them. */
  readonly tokens: Set<Hex>;
}

const createDirty = (): Dirty => ({
  rings: new Set(),
  ended: new Map(),
  wallets: new Set(),
  tokens: new Set(),
});

/** Seconds after its creation in which a token's trades and transfers are kept: a week, when rings act on it. */
const YOUNG_S = 7 * 24 * 3_600;
/** Tokens held at the most; beyond it the eldest is no longer young. */
const YOUNG_TOKENS_MAX = 200_000;

interface YoungToken {
  readonly creator: Hex;
  readonly atS: number;
  readonly blockHash: Hex;
}

/** Tokens of the last week by address, with who made them: whose trades are kept. Depends on chain time alone. */
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
    /** Who made a token that is young at a time; undefined of any other. */
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

/** Heights below the newest at which creations are still remembered for a reorg: beyond any finality. */
export const REORG_BLOCKS_MAX = 8_192;
/**
 * Wallets with a row whose every movement renews it; beyond it rows are renewed by verdicts and rings
 * alone. About 60 MB of addresses.
 */
const TRACKED_MAX = 500_000;

/** What a chain's native currency is traded as. */
export interface Bases {
  /** The wrapped native token. */
  readonly weth: Hex;
  /** It and the stable tokens. */
  readonly all: ReadonlySet<Hex>;
}

/**
 * What the clusters role knows of its chain: a function of the stored graph facts and of the verdicts.
 * It also gathers what changed and is not stored yet.
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

  /** What changed since `stored` was called last. */
  get dirty(): Dirty {
    return this.#dirty;
  }

  hasChanged(): boolean {
    const { rings, ended, wallets, tokens } = this.#dirty;
    return rings.size + ended.size + wallets.size + tokens.size > 0;
  }

  /** All that changed is stored; these wallets have a row now. */
  stored(wallets: Iterable<Hex>): void {
    this.track(wallets);
    this.#dirty = createDirty();
  }

  /** Notes wallets that have a row. */
  track(wallets: Iterable<Hex>): void {
    for (const wallet of wallets) {
      if (this.#tracked.size < TRACKED_MAX) this.#tracked.add(wallet);
    }
  }

  /** The graph facts of a block in which these tokens were created. Nothing is learned from it yet. */
  graphOf(block: BlockFacts, created: readonly TokenCreation[]): BlockGraph {
    const { number, hash, timestampS } = block;
    for (const { token, creator, atS, block: born } of created)
      this.#young.add(token, { creator, atS, blockHash: born.hash });
    const own = created.filter((creation) => creation.block.hash === hash).map(createdFact);
    // What tokens are traded for has no market of its own.
    const creatorOf = (token: Hex, atS: number): Hex | undefined =>
      this.#bases.all.has(token) ? undefined : this.#young.creatorOf(token, atS);
    const facts = [...own, ...graphOfBlock(block, { creatorOf, weth: this.#bases.weth })];
    return { number, hash, timestampS, facts };
  }

  /** Takes a block's facts in, once, and notes whose rows they change. */
  learn(block: BlockGraph): void {
    this.#addYoung(block);
    this.#noteRings(this.#detector.apply(block));
    this.#noteTouched(block);
    for (const { kind, from, to } of block.facts) {
      if (kind === 'created') this.noteCreator(from);
      else if (kind === 'native' && this.#detector.isCreator(to)) this.noteCreator(to);
    }
  }

  /** Takes stored facts in at the start. */
  load(block: BlockGraph): void {
    this.#addYoung(block);
    this.#detector.load(block);
  }

  /** Looks for all rings after `load`; rings known before keep their ids, and all are compared with the tables. */
  findRings(known: readonly KnownRing[]): void {
    this.#detector.findRings(known);
    for (const { id } of this.#detector.rings()) this.#dirty.rings.add(id);
    for (const { id, wallets } of known) {
      if (!this.#detector.ring(id)) this.#dirty.ended.set(id, this.#heirOf(wallets));
    }
  }

  /** Notes wallets whose row names another ring than theirs: a crash between the rows of a ring and of its wallets. */
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

  /** Takes a verdict in. */
  setVerdict(token: Hex, isScam: boolean): void {
    this.#noteRings(this.#detector.setVerdict(token, isScam));
    this.#dirty.tokens.add(token);
  }

  /** A creator gets a row, and so does who first sent it money. */
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
   * Notes wallets with a row that facts name, and tokens whose liquidity those who made them may have taken: by removing
   * or, as after a hidden mint, by a sale. Rows of hubs do not depend on movements.
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

  /** Whether a wallet created a young token, or is of the same ring as who did. */
  #isMaker(wallet: Hex, token: Hex, atS: number): boolean {
    const creator = this.#young.creatorOf(token, atS);
    if (creator === undefined) return false;
    if (creator === wallet) return true;
    const ring = this.#detector.ringOf(wallet);
    return ring !== undefined && ring.id === this.#detector.ringOf(creator)?.id;
  }

  /** The ring that now holds most of the wallets of one that is no more. */
  #heirOf(wallets: readonly Hex[]): string | null {
    const counts = new Map<string, number>();
    for (const wallet of wallets) {
      const id = this.#detector.ringOf(wallet)?.id;
      if (id) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? null;
  }
}
