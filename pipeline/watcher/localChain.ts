import assert from 'node:assert';
import type { BlockHeader, BlockRef, Hex } from '../../shared/chain/block.ts';
import type { FinalizeEvent, ReorgEvent } from '../../shared/chain/chainEvent.ts';

/**
 * The published part of a chain that may still change. A block is final if it was published as final: by a `finalize`
 * event, or in a range of several blocks, which contains final blocks only. All of this follows from the messages of
 * the stream, so a restarted watcher has the same state. Invariants:
 * - `headers` ascend by one and are linked: each one's `parentHash` is the hash of the one before;
 * - the last header is the tip, the highest block published; `next` is the height to read next;
 * - no header but the first is at or below `finalNumber`;
 * - with `incomplete`, the range from `next` on was published without its last piece. If that range is one block, it
 *   is nevertheless the tip (`next` is its height): if it is orphaned, its published pieces must be reverted.
 */
export interface LocalChain {
  /** Number of reorgs so far. */
  readonly epoch: number;
  readonly next: number;
  readonly headers: readonly BlockHeader[];
  /** Highest block published as final: nothing at or below it may be orphaned. */
  readonly finalNumber: number;
  /** Pieces already published of the range that begins at `next`. */
  readonly incomplete: { readonly chunks: number } | null;
}

/** A new chain with nothing published. */
export const emptyLocalChain = (startBlock: number): LocalChain => ({
  epoch: 0,
  next: startBlock,
  headers: [],
  finalNumber: -1,
  incomplete: null,
});

/** The highest published block; undefined before the first. */
export const tipOf = (chain: LocalChain): BlockHeader | undefined => chain.headers.at(-1);

/** Our header at a height, if it is still kept. */
export const headerAt = (chain: LocalChain, number: number): BlockHeader | undefined => {
  const first = chain.headers[0];
  return first ? chain.headers[number - first.number] : undefined;
};

/** Whether the tip is one block with only some pieces published. */
export const isTipIncomplete = (chain: LocalChain): boolean =>
  chain.incomplete !== null && tipOf(chain)?.number === chain.next;

/** Removes an incomplete tip, so that its complete block can be published. */
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

/** Adds a header if it follows the tip, else starts over with it. */
export const stacked = (chain: LocalChain, header: BlockHeader): readonly BlockHeader[] => {
  const tip = tipOf(chain);
  const follows = tip?.number === header.number - 1 && tip.hash === header.parentHash;
  return follows ? [...chain.headers, header] : [header];
};

/**
 * Advances past a published range, of which only the last header is known. Only final blocks are published several at
 * once.
 */
export const advance = (chain: LocalChain, from: number, to: BlockHeader): LocalChain => {
  const { number } = to;
  const moved = { ...chain, next: number + 1, incomplete: null };
  return from === number
    ? { ...moved, headers: stacked(chain, to) }
    : { ...moved, headers: [to], finalNumber: Math.max(chain.finalNumber, number) };
};

/** Records that everything up to a height was published as final: lower headers are no longer needed. */
export const withFinal = (chain: LocalChain, number: number): LocalChain => ({
  ...chain,
  finalNumber: number,
  headers: chain.headers.filter((header) => header.number >= number),
});

/**
 * Goes back to a common ancestor. The epoch grows by one.
 * @param ancestor one of our headers, or the parent of the first one, as reported by a node.
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

/** The highest block that a node calls final; its hash is null if only the depth says so. */
export interface FinalizedBlock {
  readonly number: number;
  readonly hash: Hex | null;
}

/**
 * Finalizes what a node that agrees with our tip calls final, once that is `every` blocks above the last published
 * final block. A node that reports another block there is on another branch, so its finality does not apply to ours.
 */
export const finalize = (
  chain: LocalChain,
  finalized: FinalizedBlock,
  every: number,
  chainId: number,
): { chain: LocalChain; event: FinalizeEvent | undefined } => {
  const tip = tipOf(chain);
  if (!tip || isTipIncomplete(chain)) return { chain, event: undefined };
  const final = headerAt(chain, Math.min(finalized.number, tip.number));
  const isOther =
    final?.number === finalized.number && finalized.hash !== null && final.hash !== finalized.hash;
  if (!final || isOther || final.number < chain.finalNumber + every) {
    return { chain, event: undefined };
  }
  const { number, hash } = final;
  return {
    chain: withFinal(chain, number),
    event: { kind: 'finalize', chainId, epoch: chain.epoch, block: { number, hash } },
  };
};
