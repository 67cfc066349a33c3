import { assembleBlocks } from '../../../shared/chain/assembleBlocks.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts, ChainEvent } from '../../../shared/chain/chainEvent.ts';
import type { KnownPool, PoolBook } from '../pools/poolBook.ts';
import type { FoundInBlock } from '../raise/candidate.ts';
import { findAll } from '../rules/allRules.ts';

/** What the chain has done so far, as the rules need it. Each event is folded in once, in order. */
export class ChainFold {
  readonly #book: PoolBook;
  #open: BlockFacts | null = null;

  constructor(book: PoolBook) {
    this.#book = book;
  }

  /** Pools of an event whose tokens have to be looked up before it is folded in. */
  unknownPools(event: ChainEvent): Hex[] {
    if (event.kind !== 'blocks') return [];
    const facts = event.blocks.flatMap((block) => block.facts);
    return this.#book.unknown(facts, event.to.timestampS);
  }

  /** Takes over the answer to `unknownPools`. */
  learnPools(event: ChainEvent, asked: readonly Hex[], found: readonly KnownPool[]): void {
    if (event.kind === 'blocks') this.#book.learn(asked, found, event.to.timestampS);
  }

  /** Folds an event in and tells what the rules found in the blocks it completes. */
  fold(event: ChainEvent): FoundInBlock[] {
    switch (event.kind) {
      case 'finalize':
        return [];
      case 'reorg':
        this.#open = null;
        this.#book.rollBack(event.ancestor.number);
        return [];
      case 'blocks': {
        const { whole, open } = assembleBlocks(this.#open, event);
        this.#open = open;
        return whole.flatMap((block) => this.#inspect(block));
      }
    }
  }

  counts(): ReturnType<PoolBook['counts']> {
    return this.#book.counts();
  }

  #inspect(block: BlockFacts): FoundInBlock[] {
    const pools = this.#book.apply(block);
    const { number, hash, timestampS } = block;
    const usdPerUnit = (base: Hex): number | null => this.#book.usdPerUnit(base);
    return findAll({ block, pools, usdPerUnit }).map((finding) => ({
      finding,
      block: { number, hash, timestampS },
    }));
  }
}
