import assert from 'node:assert';
import type { BlockHeader, Hex } from '../../shared/chain/block.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { ChainSource } from '../../shared/platform/rpc/createRpc.ts';
import type { HeadReading } from '../../shared/platform/rpc/readHead.ts';
import { type BlockRange, cutRange, rangeOfBlocks } from './blockRange.ts';
import type { BlockRangeFeed } from './blockRangeFeed.ts';
import type { ChainPublisher } from './chainPublisher.ts';
import {
  advance,
  extend,
  type FinalizedBlock,
  finalize,
  isTipIncomplete,
  type LocalChain,
  rollBack,
  tipOf,
  withoutIncompleteTip,
} from './localChain.ts';
import type { Progress } from './progress.ts';
import { findAncestor, meaningOf } from './reconcile.ts';

/** How a watcher reads. */
export interface ReadingOptions {
  readonly chainId: number;
  /** Blocks below the head that are always read in full. */
  readonly fullBlocks: number;
  /** Depth that counts as final if the node has no `finalized` block. */
  readonly finalityDepth: number;
}

/** Dependencies of a step. */
export interface StepParts {
  readonly options: ReadingOptions;
  readonly source: ChainSource;
  readonly publisher: ChainPublisher;
  readonly feed: BlockRangeFeed;
  /** Headers of the other branch, by hash: a search that failed half-way continues from them. */
  readonly walked: Map<Hex, BlockHeader>;
  readonly progress: Progress;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Maximum full blocks requested at once. */
const BLOCKS_PER_STEP_MAX = 8;
/** Blocks by which finality advances before it is published. */
const FINALIZE_EVERY_BLOCKS = 16;
/** Consecutive polls in which one node must contradict us from below before its chain counts as shorter. */
const SHORTER_CONFIRMATIONS = 3;
/** Milliseconds between polls of the head while far behind it. */
const HEAD_EVERY_MS = 10_000;
/** Hashes of orphaned blocks in the log line of a reorg. */
const ORPHANS_LOGGED_MAX = 64;
/** State of the watcher between two steps. Replaced, never mutated. */
export interface Position {
  readonly chain: LocalChain;
  /** Head of the last poll, which may be a lie until the next, and the highest block called final. */
  readonly head: number;
  readonly finalized: number;
  readonly headAtMs: number;
  /** A node that contradicts us from below, and how many times in a row. */
  readonly shorter: { readonly endpoint: string; readonly times: number };
  /** The next step must poll the head even if final blocks are left to read. */
  readonly mustFollow: boolean;
}

const NO_SHORTER = { endpoint: '', times: 0 };

/** Initial state of a watcher that knows its chain but not the head. */
export const firstPosition = (chain: LocalChain): Position => ({
  chain,
  head: -1,
  finalized: -1,
  headAtMs: -Infinity,
  shorter: NO_SHORTER,
  mustFollow: false,
});

/** State after a step, and whether more work is ready at once. */
export interface Step {
  readonly at: Position;
  readonly moved: boolean;
}

/** Publishes a range, in pieces. */
const publishRange = async (parts: StepParts, at: Position, range: BlockRange): Promise<void> => {
  const { options, publisher, clock, progress } = parts;
  const { chain, head } = at;
  const context = {
    chainId: options.chainId,
    epoch: chain.epoch,
    head,
    readAtMs: clock.now(),
    chunksBefore: chain.incomplete?.chunks ?? 0,
  };
  for (const event of cutRange(range, context)) await publisher.publish(event);
  progress.published(range, head);
};

/** Last block that may be read as part of a long range. */
const rangeLimit = ({ head, finalized }: Position, { fullBlocks }: ReadingOptions): number =>
  Math.min(finalized, head - fullBlocks);

const backfill = async (parts: StepParts, at: Position): Promise<Position> => {
  const range = await parts.feed.next(at.chain.next, rangeLimit(at, parts.options));
  const tip = tipOf(at.chain);
  const isAboveTip = tip?.number === range.from - 1;
  if (isAboveTip && range.first && range.first.parentHash !== tip.hash) {
    return { ...at, mustFollow: true };
  }
  assert.equal(range.from, at.chain.next, 'a range begins at the next block');
  await publishRange(parts, at, range);
  const chain = advance(at.chain, range.from, range.to);
  return publishFinal(parts, { ...at, chain }, range.to);
};

/** The final block of a poll: as reported by the node, else by depth. */
const finalizedOf = (
  { finalityDepth }: ReadingOptions,
  { finalized, head }: HeadReading,
): FinalizedBlock => finalized ?? { number: head.number - finalityDepth, hash: null };

const withReading = (parts: StepParts, at: Position, reading: HeadReading): Position => {
  const head = reading.head.number;
  const { number } = finalizedOf(parts.options, reading);
  const headAtMs = parts.clock.now();
  const { timestampS } = reading.head;
  parts.progress.saw({ head, timestampS, next: at.chain.next });
  return { ...at, head, finalized: Math.max(at.finalized, number), headAtMs };
};

/** Only from a node that agrees with our tip: what it calls final is then final on our branch. */
const publishFinal = async (
  parts: StepParts,
  at: Position,
  finalized: FinalizedBlock,
): Promise<Position> => {
  const { chainId } = parts.options;
  const { chain, event } = finalize(at.chain, finalized, FINALIZE_EVERY_BLOCKS, chainId);
  if (event) await parts.publisher.publish(event);
  return { ...at, chain };
};

/** Reverts the blocks that are not on the branch of `header`. */
const rollBackTo = async (
  parts: StepParts,
  at: Position,
  header: BlockHeader,
): Promise<Position> => {
  const ancestor = await findAncestor(at.chain, header, parts.source, parts.walked);
  const { chain, event } = rollBack(at.chain, ancestor, parts.options.chainId);
  const { epoch, orphaned } = event;
  const { number: block, hash: blockHash } = ancestor;
  const hashes = orphaned.slice(0, ORPHANS_LOGGED_MAX).map(({ hash }) => hash);
  const line = { depth: orphaned.length, block, blockHash, orphaned: hashes, epoch };
  parts.logger.info(line, 'reorg: blocks above this one are taken back');
  parts.progress.reorganised(orphaned.length);
  await parts.publisher.publish(event);
  return { ...at, chain, shorter: NO_SHORTER };
};

/** Publishes linked blocks above the tip, each as a range of its own, because any may be orphaned. */
const publishBlocks = async (
  parts: StepParts,
  at: Position,
  reading: HeadReading,
): Promise<Position> => {
  let now: Position = { ...at, chain: withoutIncompleteTip(at.chain) };
  for (const block of reading.blocks) {
    await publishRange(parts, now, rangeOfBlocks([block]));
    now = { ...now, chain: extend(now.chain, block.header), shorter: NO_SHORTER };
  }
  return publishFinal(parts, now, finalizedOf(parts.options, reading));
};

/** No block above the tip: is the node level with us, behind, or on another branch? */
const atHead = async (parts: StepParts, at: Position, reading: HeadReading): Promise<Position> => {
  const { head, endpoint } = reading;
  switch (meaningOf(at.chain, head)) {
    case 'known': {
      if (head.hash !== tipOf(at.chain)?.hash) return { ...at, shorter: NO_SHORTER };
      const after = await publishFinal(parts, at, finalizedOf(parts.options, reading));
      return { ...after, shorter: NO_SHORTER };
    }
    case 'contradicts':
      return rollBackTo(parts, at, head);
    case 'shorter': {
      const times = endpoint === at.shorter.endpoint ? at.shorter.times + 1 : 1;
      if (times >= SHORTER_CONFIRMATIONS) return rollBackTo(parts, at, head);
      return { ...at, shorter: { endpoint, times } };
    }
    case 'extends':
    case 'ahead': {
      const { next } = at.chain;
      if (head.number < next) return at;
      throw new RetryableError(`node ${endpoint} is at ${head.number} but has no block ${next}`);
    }
    case 'behind':
      return { ...at, shorter: NO_SHORTER };
  }
};

/** Reads several blocks at once, or one if several exceed the size of an answer. */
const readHead = async (source: ChainSource, next: number, count: number): Promise<HeadReading> => {
  try {
    return await source.follow(next, count);
  } catch (error) {
    const { failure } = error as { failure?: string };
    if (count <= 1 || failure !== 'answerTooLarge') throw error;
    return source.follow(next, 1);
  }
};

const follow = async (parts: StepParts, before: Position): Promise<Step> => {
  const { next } = before.chain;
  const isHeadUnknown = !before.mustFollow && !isTipIncomplete(before.chain) && before.head < 0;
  const gap = Math.max(1, Math.min(BLOCKS_PER_STEP_MAX, before.head - next + 1));
  const reading = await readHead(parts.source, next, isHeadUnknown ? 0 : gap);
  const at = { ...withReading(parts, before, reading), mustFollow: false };
  if (isHeadUnknown) return { at, moved: true };
  const first = reading.blocks[0]?.header;
  if (!first) {
    const after = await atHead(parts, at, reading);
    return { at: after, moved: after.chain.epoch !== at.chain.epoch };
  }
  const isSameTip = isTipIncomplete(at.chain) && first.hash === tipOf(at.chain)?.hash;
  if (isSameTip || meaningOf(at.chain, first) === 'extends') {
    const after = await publishBlocks(parts, at, reading);
    return { at: after, moved: after.chain.next <= after.head };
  }
  return { at: await rollBackTo(parts, at, first), moved: true };
};

/**
 * One bounded step towards the head: a range of final blocks, or a poll of the head and its consequences. Start,
 * backfill, head and reorg are all this function.
 * @throws RetryableError: nothing was changed; StreamMovedError: the position is outdated.
 */
export const takeStep = async (parts: StepParts, at: Position): Promise<Step> => {
  const isFinalLeft =
    !at.mustFollow && !isTipIncomplete(at.chain) && at.chain.next <= rangeLimit(at, parts.options);
  if (!isFinalLeft) return follow(parts, at);
  const isHeadOld = parts.clock.now() - at.headAtMs > HEAD_EVERY_MS;
  const seen = isHeadOld ? withReading(parts, at, await parts.source.follow(at.chain.next, 0)) : at;
  // The last head was a lie, or this node is behind: the next step polls again.
  if (seen.chain.next > rangeLimit(seen, parts.options)) return { at: seen, moved: true };
  return { at: await backfill(parts, seen), moved: true };
};
