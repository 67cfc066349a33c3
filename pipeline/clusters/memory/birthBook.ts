import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import { birthPiece } from '../facts/detectorFacts.ts';
import type { TokenBirth } from '../facts/graphFact.ts';

/** Who made which tokens, and which of the detector's pieces are births, in case their block is orphaned. */
export class BirthBook {
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
