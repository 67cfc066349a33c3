import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import {
  type BlockGraph,
  createdFact,
  type GraphFact,
  type TokenCreation,
} from '../facts/graphFact.ts';
import { graphOfBlock } from '../facts/graphOfBlock.ts';
import type { KnownRing, RingDetector } from '../graph/ringDetector.ts';
import { createDirty, type Dirty, isClean, noteRings } from './dirty.ts';

/** Seconds after its creation in which a token's trades and transfers are kept: a week, when rings act on it. */
const YOUNG_S = 7 * 24 * 3_600;
/** Tokens held at the most; beyond it the eldest is no longer young. */
const YOUNG_TOKENS_MAX = 200_000;

/** Tokens of the last week by address, with who made them: whose trades are kept. Depends on chain time alone. */
const createYoungTokens = () => {
  const creations = new Map<Hex, TokenCreation>();
  const forgetOld = (nowS: number): void => {
    for (const [token, { atS }] of creations) {
      if (nowS - atS <= YOUNG_S && creations.size <= YOUNG_TOKENS_MAX) return;
      creations.delete(token);
    }
  };
  return {
    add: (creation: TokenCreation): void => {
      creations.delete(creation.token);
      creations.set(creation.token, creation);
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
      for (const [token, { block }] of creations)
        if (blockHashes.has(block.hash)) creations.delete(token);
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
    return !isClean(this.#dirty);
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
    for (const creation of created) this.#young.add(creation);
    const own = created.filter((creation) => creation.block.hash === hash).map(createdFact);
    // What tokens are traded for has no market of its own.
    const creatorOf = (token: Hex, atS: number): Hex | undefined =>
      this.#bases.all.has(token) ? undefined : this.#young.creatorOf(token, atS);
    const facts = [...own, ...graphOfBlock(block, { creatorOf, weth: this.#bases.weth })];
    return { number, hash, timestampS, facts };
  }

  /** Takes a block's facts in, once, and notes whose rows they change. */
  learn(block: BlockGraph): void {
    this.#addCreations(block);
    noteRings(this.#dirty, this.#detector.apply(block));
    this.#noteTouched(block.facts);
    for (const { kind, from, to } of block.facts) {
      if (kind === 'created') this.noteCreator(from);
      else if (kind === 'native' && this.#detector.isCreator(to)) this.noteCreator(to);
    }
  }

  /** Takes stored facts in at the start. */
  load(block: BlockGraph): void {
    this.#addCreations(block);
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
    noteRings(this.#dirty, this.#detector.undo([...hashes]));
    this.#young.drop(hashes);
    for (const { facts } of orphaned) {
      this.#noteTouched(facts);
      for (const { kind, from } of facts) if (kind === 'created') this.#dirty.wallets.add(from);
    }
  }

  finalize(height: number): void {
    this.#detector.finalize(height);
  }

  /** Takes a verdict in. */
  setVerdict(token: Hex, isScam: boolean): void {
    noteRings(this.#dirty, this.#detector.setVerdict(token, isScam));
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

  #addCreations({ number, hash, timestampS, facts }: BlockGraph): void {
    for (const { kind, from, to, txHash, codeHash } of facts) {
      if (kind !== 'created') continue;
      const block = { number, hash };
      const creation = { token: to, creator: from, block, atS: timestampS, txHash, codeHash };
      this.#young.add(creation);
    }
  }

  /** Notes wallets with a row that facts name. Rows of hubs do not depend on movements. */
  #noteTouched(facts: readonly GraphFact[]): void {
    for (const { kind, from, to, token } of facts) {
      if (kind === 'lpRemoved') this.#dirty.tokens.add(token);
      for (const end of [from, to]) {
        if (this.#tracked.has(end) && !this.#detector.isHub(end)) this.#dirty.wallets.add(end);
      }
    }
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
