import assert from 'node:assert';
import type { BlockHeader, BlockRef } from '../../../shared/chain/block.ts';
import type { FinalizeEvent, ReorgEvent } from '../../../shared/chain/chainEvent.ts';

/**
 * What was published of a chain and may still change. Invariants:
 * - `headers` ascend by one and are linked: each one's `parentHash` is the hash of the one before;
 * - the last header is the tip, the highest block published; `next` is the height to read next;
 * - no header but the first is at or below `finalNumber`, unless it is the tip;
 * - with `incomplete`, the stretch from `next` on was published without its last piece. When that
 *   stretch is one block, it is the tip all the same (`next` is its height): should it be orphaned,
 *   its published pieces have to be taken back.
 */
export interface LocalChain {
  /** Number of reorgs so far. */
  readonly epoch: number;
  readonly next: number;
  readonly headers: readonly BlockHeader[];
  /** Highest block known to be final: nothing at or below it may be orphaned. */
  readonly finalNumber: number;
  /** Highest block a finalize event named. */
  readonly announcedNumber: number;
  /** Pieces already published of the stretch that begins at `next`. */
  readonly incomplete: { readonly chunks: number } | null;
}

/** A new chain of which nothing was published. */
export const emptyLocalChain = (startBlock: number): LocalChain => ({
  epoch: 0,
  next: startBlock,
  headers: [],
  finalNumber: -1,
  announcedNumber: -1,
  incomplete: null,
});

/** The highest published block; undefined before the first. */
export const tipOf = (chain: LocalChain): BlockHeader | undefined => chain.headers.at(-1);

/** Our header at a height, where it is still kept. */
export const headerAt = (chain: LocalChain, number: number): BlockHeader | undefined => {
  const first = chain.headers[0];
  return first ? chain.headers[number - first.number] : undefined;
};

/** Whether the tip is one block of which only some pieces were published. */
export const isTipIncomplete = (chain: LocalChain): boolean =>
  chain.incomplete !== null && tipOf(chain)?.number === chain.next;

/** Takes an incomplete tip off, so that its block can be published whole. */
export const withoutIncompleteTip = (chain: LocalChain): LocalChain =>
  isTipIncomplete(chain) ? { ...chain, headers: chain.headers.slice(0, -1) } : chain;

/** Adds one published block on top of the tip. */
export const extend = (chain: LocalChain, header: BlockHeader): LocalChain => {
  const tip = tipOf(chain);
  assert.equal(header.number, chain.next, 'blocks are published without a gap');
  if (tip) assert.equal(header.parentHash, tip.hash, 'a block follows the tip');
  const headers = [...chain.headers, header];
  return { ...chain, headers, next: header.number + 1, incomplete: null };
};

/** Moves on past a published stretch of final blocks, known by its last header only. */
export const advance = (chain: LocalChain, to: BlockHeader): LocalChain => {
  assert.ok(to.number >= chain.next, 'a stretch begins at the next block');
  const finalNumber = Math.max(chain.finalNumber, to.number);
  return { ...chain, headers: [to], next: to.number + 1, finalNumber, incomplete: null };
};

/**
 * Goes back to a common ancestor. The epoch grows by one.
 * @param ancestor one of our headers, or the parent of the first one, as a node shows it.
 */
export const rollBack = (
  chain: LocalChain,
  ancestor: BlockHeader,
  chainId: number,
): { chain: LocalChain; event: ReorgEvent } => {
  const kept = chain.headers.filter((header) => header.number <= ancestor.number);
  const orphaned: BlockRef[] = chain.headers
    .filter((header) => header.number > ancestor.number)
    .map(({ number, hash }) => ({ number, hash }));
  assert.ok(orphaned.length > 0, 'a reorg orphans at least one block');
  assert.ok(ancestor.number >= chain.finalNumber, 'no final block is orphaned');
  const epoch = chain.epoch + 1;
  const { number, hash, timestampS } = ancestor;
  return {
    chain: {
      ...chain,
      epoch,
      headers: kept.length > 0 ? kept : [ancestor],
      next: number + 1,
      incomplete: null,
    },
    event: { kind: 'reorg', chainId, epoch, ancestor: { number, hash, timestampS }, orphaned },
  };
};

/**
 * Learns from a node that agrees with our tip which height is final: forgets headers below it and,
 * once finality has advanced by `announceEvery` blocks, announces it.
 */
export const finalize = (
  chain: LocalChain,
  finalizedNumber: number,
  announceEvery: number,
  chainId: number,
): { chain: LocalChain; event: FinalizeEvent | undefined } => {
  const tip = tipOf(chain);
  if (!tip || isTipIncomplete(chain)) return { chain, event: undefined };
  const finalNumber = Math.max(chain.finalNumber, Math.min(finalizedNumber, tip.number));
  const final = headerAt(chain, finalNumber);
  const headers = final ? chain.headers.slice(chain.headers.indexOf(final)) : chain.headers;
  const trimmed = { ...chain, finalNumber, headers };
  if (!final || final.number < chain.announcedNumber + announceEvery) {
    return { chain: trimmed, event: undefined };
  }
  const { number, hash } = final;
  return {
    chain: { ...trimmed, announcedNumber: number },
    event: { kind: 'finalize', chainId, epoch: chain.epoch, block: { number, hash } },
  };
};
