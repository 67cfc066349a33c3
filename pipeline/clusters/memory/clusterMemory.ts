import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { birthPiece, detectorFacts } from '../facts/detectorFacts.ts';
import {
  type BlockGraph,
  createdFact,
  type GraphFact,
  type TokenBirth,
} from '../facts/graphFact.ts';
import { graphOfBlock } from '../facts/graphOfBlock.ts';
import { createYoungTokens } from '../facts/youngTokens.ts';
import type { KnownRing, RingDetector } from '../graph/ringDetector.ts';
import { createDirty, type Dirty, isClean, noteRings } from './dirty.ts';

/** Who made which tokens, and which of the detector's pieces are births, in case their block is orphaned. */
class BirthBook {
  readonly #byBlock = new Map<Hex, { readonly block: BlockRef; readonly tokens: Set<Hex> }>();
  readonly #tokens = new Set<Hex>();
  readonly #creators = new Set<Hex>();

  add({ token, creator, block }: TokenBirth): void {
    const known = this.#byBlock.get(block.hash) ?? { block, tokens: new Set() };
    known.tokens.add(token);
    this.#byBlock.set(block.hash, known);
    this.#tokens.add(token);
    this.#creators.add(creator);
  }

  has(token: Hex): boolean {
    return this.#tokens.has(token);
  }

  /** Whether a wallet made a token; also of one whose tokens were all orphaned. */
  isCreator(wallet: Hex): boolean {
    return this.#creators.has(wallet);
  }

  /** The pieces born in blocks that are orphaned, which are forgotten. */
  drop(hashes: ReadonlySet<Hex>): Hex[] {
    return [...hashes].flatMap((hash) => {
      const born = [...(this.#byBlock.get(hash)?.tokens ?? [])];
      this.#byBlock.delete(hash);
      for (const token of born) this.#tokens.delete(token);
      return born.map((token) => birthPiece(token, hash));
    });
  }

  /** Forgets which pieces are of blocks below a height: no reorg reaches them. */
  forgetBefore(height: number): void {
    for (const [hash, { block }] of this.#byBlock) {
      if (block.number < height) this.#byBlock.delete(hash);
    }
  }
}

/** Heights below the newest at which births are still remembered for a reorg: beyond any finality. */
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
export class ClusterMemory {
  readonly #detector: RingDetector;
  readonly #bases: Bases;
  readonly #young = createYoungTokens();
  readonly #births = new BirthBook();
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

  /** The graph facts of a block in which these tokens were born. Nothing is learned from it yet. */
  graphOf(block: BlockFacts, born: readonly TokenBirth[]): BlockGraph {
    const { number, hash, timestampS } = block;
    for (const birth of born) this.#young.add(birth);
    const own = born.filter((birth) => birth.block.hash === hash).map(createdFact);
    // What tokens are traded for has no market of its own.
    const creatorOf = (token: Hex, atS: number): Hex | undefined =>
      this.#bases.all.has(token) ? undefined : this.#young.creatorOf(token, atS);
    const facts = [...own, ...graphOfBlock(block, { creatorOf, weth: this.#bases.weth })];
    return { number, hash, timestampS, facts };
  }

  /** Takes a block's facts in, once, and notes whose rows they change. */
  learn(block: BlockGraph): void {
    this.#addBirths(block);
    for (const piece of detectorFacts(block)) noteRings(this.#dirty, this.#detector.apply(piece));
    this.#noteTouched(block.facts);
    for (const { kind, from, to } of block.facts) {
      if (kind === 'created') this.noteCreator(from);
      else if (kind === 'native' && this.#births.isCreator(to)) this.noteCreator(to);
    }
  }

  /** Takes stored facts in at the start. */
  load(block: BlockGraph): void {
    this.#addBirths(block);
    for (const piece of detectorFacts(block)) this.#detector.load(piece);
  }

  /** Looks for all rings after `load`; rings known before keep their ids, and all are compared with the tables. */
  settle(known: readonly KnownRing[], height: number): void {
    this.#births.forgetBefore(height - REORG_BLOCKS_MAX);
    this.#detector.settle(known);
    for (const { id } of this.#detector.rings()) this.#dirty.rings.add(id);
    for (const { id, wallets } of known) {
      if (!this.#detector.ring(id)) this.#dirty.ended.set(id, this.#heirOf(wallets));
    }
  }

  /** Forgets orphaned blocks; `buried` are their facts. */
  undo(hashes: ReadonlySet<Hex>, buried: readonly BlockGraph[]): void {
    const pieces = [...hashes, ...this.#births.drop(hashes)];
    noteRings(this.#dirty, this.#detector.undo(pieces));
    this.#young.drop(hashes);
    for (const { facts } of buried) {
      this.#noteTouched(facts);
      for (const { kind, from } of facts) if (kind === 'created') this.#dirty.wallets.add(from);
    }
  }

  finalize(height: number): void {
    this.#detector.finalize(height);
    this.#births.forgetBefore(height);
  }

  /** Takes a verdict in. */
  judge(token: Hex, isScam: boolean): void {
    noteRings(this.#dirty, this.#detector.judge(token, isScam));
    this.#dirty.tokens.add(token);
  }

  /** A creator gets a row, and so does who first sent it money. */
  noteCreator(creator: Hex): void {
    this.#dirty.wallets.add(creator);
    const funder = this.#detector.firstFunding(creator)?.funder;
    if (funder && !this.#tracked.has(funder)) this.#dirty.wallets.add(funder);
  }

  knowsBirthOf(token: Hex): boolean {
    return this.#births.has(token);
  }

  counts(): Readonly<Record<string, number>> {
    const { wallets, edges, rings, hubs, bytes } = this.#detector.stats();
    const [young, tracked] = [this.#young.size(), this.#tracked.size];
    return { young, tracked, wallets, edges, rings, hubs, bytes };
  }

  #addBirths({ number, hash, timestampS, facts }: BlockGraph): void {
    for (const { kind, from, to, txHash, codeHash } of facts) {
      if (kind !== 'created') continue;
      const block = { number, hash };
      const birth = { token: to, creator: from, block, atS: timestampS, txHash, codeHash };
      this.#young.add(birth);
      this.#births.add(birth);
    }
  }

  /** Notes wallets with a row that facts name. Of hubs there is nothing to tell anew. */
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
