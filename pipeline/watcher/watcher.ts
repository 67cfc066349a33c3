import type { BlockHeader, Hex } from '../../shared/chain/block.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { errorMessage, FatalError, RetryableError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { StreamMovedError } from './appendError.ts';
import type { ChainPublisher } from './chainPublisher.ts';
import { cutStretch } from './facts/cutStretch.ts';
import { type Stretch, stretchOfBlocks, stretchOfRange } from './facts/stretch.ts';
import {
  advance,
  extend,
  finalize,
  isTipIncomplete,
  type LocalChain,
  rollBack,
  tipOf,
  withoutIncompleteTip,
} from './localChain/localChain.ts';
import { meaningOf, walkDown } from './localChain/reconcile.ts';
import type { ChainSource, ChainStream, HeadReading } from './ports.ts';
import type { Progress } from './progress.ts';
import { resume } from './resume.ts';
import { createStretchFeed } from './stretchFeed.ts';
import type { WakeUp } from './wakeUp.ts';

/** How a watcher reads. */
export interface WatcherOptions {
  readonly chainId: number;
  /** First block of an empty stream; undefined: the head. */
  readonly startBlock: number | undefined;
  /** Blocks below the head that are always read in full. */
  readonly fullBlocks: number;
  /** What is read of final blocks below those: logs only, or everything. */
  readonly backfillDetail: 'logs' | 'full';
  /** Depth that counts as final where the node knows no `finalized` block. */
  readonly finalityDepth: number;
  /** Milliseconds between looks at the head when nothing wakes the watcher. */
  readonly pollIntervalMs: number;
}

export interface WatcherParts {
  readonly source: ChainSource;
  readonly stream: ChainStream;
  readonly publisher: ChainPublisher;
  readonly wakeUp: WakeUp;
  readonly progress: Progress;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Full blocks asked for at once, at the most. */
const BLOCKS_PER_STEP_MAX = 8;
/** Blocks of one stretch of the backfill in full detail. */
const DETAIL_BLOCKS_MAX = 8;
/** Blocks by which finality advances before it is announced. */
const FINALIZE_EVERY_BLOCKS = 16;
/** Looks in a row at which one node has to contradict us from below before its chain counts as shorter. */
const SHORTER_CONFIRMATIONS = 3;
/** Headers of other branches remembered, at the most. */
const WALKED_MAX = 10_000;
/** Milliseconds between looks at the head while far behind it. */
const HEAD_EVERY_MS = 10_000;
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 5_000;

/** Follows one chain and publishes its facts. */
export interface Watcher {
  /** Takes one bounded step towards the head. `idle`: there was nothing to do. */
  step(): Promise<'busy' | 'idle'>;
  /** Steps until `signal` aborts, then waits for what is under way. Rejects on a FatalError. */
  run(signal: AbortSignal): Promise<void>;
}

/** What the watcher knows between two steps. Replaced, never changed. */
interface Position {
  readonly chain: LocalChain;
  /** Highest head seen, and what it says is final. */
  readonly head: number;
  readonly finalized: number;
  readonly headAtMs: number;
  /** A node that contradicts us from below, and how often in a row. */
  readonly shorter: { readonly endpoint: string; readonly times: number };
  /** The next step must look at the head even if final blocks are left to read. */
  readonly mustFollow: boolean;
}

const NO_SHORTER = { endpoint: '', times: 0 };

export const createWatcher = (options: WatcherOptions, parts: WatcherParts): Watcher => {
  const { chainId } = options;
  const { source, stream, publisher, clock, logger, progress } = parts;
  const isDetailed = options.backfillDetail === 'full';
  const feed = createStretchFeed({
    read: async (from, to) =>
      isDetailed
        ? stretchOfBlocks(await source.blocks(from, to))
        : stretchOfRange(await source.range(from, to)),
    ...(isDetailed ? { blocksMax: DETAIL_BLOCKS_MAX } : {}),
  });
  let position: Position | undefined;
  /** Headers of the other branch, by hash: a search that failed half-way goes on from there. */
  const walked = new Map<Hex, BlockHeader>();

  const start = async (): Promise<Position> => {
    const { chain, lastSeq } = await resume(stream, source, options.startBlock);
    publisher.begin(lastSeq);
    feed.reset();
    const tip = tipOf(chain);
    logger.info(
      { next: chain.next, tip: tip?.hash, epoch: chain.epoch, lastSeq },
      'watcher goes on',
    );
    return {
      chain,
      head: -1,
      finalized: -1,
      headAtMs: -Infinity,
      shorter: NO_SHORTER,
      mustFollow: false,
    };
  };

  /** Publishes a stretch. The local chain counts it as published: a failure forgets the position. */
  const publish = async (at: Position, stretch: Stretch): Promise<void> => {
    const { chain, head } = at;
    const chunksBefore = chain.incomplete?.chunks ?? 0;
    const context = { chainId, epoch: chain.epoch, head, readAtMs: clock.now(), chunksBefore };
    for (const event of cutStretch(stretch, context)) await publisher.publish(event);
    progress.published(stretch, head);
  };

  /** Last block that may be read as part of a long stretch. */
  const rangeLimit = ({ head, finalized }: Position): number =>
    Math.min(finalized, head - options.fullBlocks);

  const backfill = async (at: Position): Promise<Position> => {
    const stretch = await feed.next(at.chain.next, rangeLimit(at));
    const tip = tipOf(at.chain);
    const follows = tip?.number === stretch.from - 1 && stretch.first?.parentHash !== tip.hash;
    if (stretch.first && follows) return { ...at, mustFollow: true };
    await publish(at, stretch);
    return { ...at, chain: advance(at.chain, stretch.to) };
  };

  const withReading = (at: Position, reading: HeadReading): Position => {
    const head = Math.max(at.head, reading.head.number);
    const finalized = reading.finalizedNumber ?? head - options.finalityDepth;
    return { ...at, head, finalized: Math.max(at.finalized, finalized), headAtMs: clock.now() };
  };

  const announceFinal = async (at: Position): Promise<Position> => {
    const { chain, event } = finalize(at.chain, at.finalized, FINALIZE_EVERY_BLOCKS, chainId);
    if (event) await publisher.publish(event);
    return { ...at, chain };
  };

  /** Finds the common ancestor with the branch below `header`, and takes our blocks above it back. */
  const rollBackTo = async (at: Position, header: BlockHeader): Promise<Position> => {
    let lowest = header;
    if (walked.size > WALKED_MAX) walked.clear();
    for (;;) {
      const move = walkDown(at.chain, lowest);
      if (move.kind === 'tooDeep') throw tooDeepError(at.chain, header);
      if (move.kind === 'parent') {
        const parent = walked.get(move.hash) ?? (await source.header(move.hash));
        walked.set(move.hash, parent);
        if (parent.number !== move.number) {
          throw new RetryableError(
            `block ${move.hash} stands at ${parent.number}, not ${move.number}`,
          );
        }
        lowest = parent;
        continue;
      }
      const ancestor = move.kind === 'ancestor' ? move.ancestor : await source.header(move.hash);
      const { chain, event } = rollBack(at.chain, ancestor, chainId);
      const depth = event.orphaned.length;
      logger.info({ depth, ancestor: ancestor.number, epoch: event.epoch }, 'reorg');
      walked.clear();
      await publisher.publish(event);
      return { ...at, chain, shorter: NO_SHORTER };
    }
  };

  /** Publishes linked blocks above the tip, each as a stretch of its own: any may be orphaned. */
  const publishBlocks = async (at: Position, reading: HeadReading): Promise<Position> => {
    let now: Position = { ...at, chain: withoutIncompleteTip(at.chain) };
    for (const block of reading.blocks) {
      await publish(now, stretchOfBlocks([block]));
      now = { ...now, chain: extend(now.chain, block.header), shorter: NO_SHORTER };
    }
    return announceFinal(now);
  };

  /** No block above the tip: is the node where we are, behind, or on another branch? */
  const atHead = async (at: Position, reading: HeadReading): Promise<Position> => {
    const { head, endpoint } = reading;
    switch (meaningOf(at.chain, head)) {
      case 'known': {
        const agrees = head.hash === tipOf(at.chain)?.hash;
        return { ...(agrees ? await announceFinal(at) : at), shorter: NO_SHORTER };
      }
      case 'contradicts':
        return rollBackTo(at, head);
      case 'shorter': {
        const times = endpoint === at.shorter.endpoint ? at.shorter.times + 1 : 1;
        if (times >= SHORTER_CONFIRMATIONS) return rollBackTo(at, head);
        return { ...at, shorter: { endpoint, times } };
      }
      case 'extends':
      case 'ahead':
      case 'behind':
        return { ...at, shorter: NO_SHORTER };
    }
  };

  const follow = async (before: Position): Promise<{ at: Position; moved: boolean }> => {
    const { next } = before.chain;
    const isFar = !before.mustFollow && !isTipIncomplete(before.chain) && before.head < 0;
    const count = isFar ? 0 : Math.max(1, Math.min(BLOCKS_PER_STEP_MAX, before.head - next + 1));
    const reading = await source.follow(next, count);
    const at = { ...withReading(before, reading), mustFollow: false };
    if (isFar) return { at, moved: true };
    const first = reading.blocks[0]?.header;
    if (!first) {
      const after = await atHead(at, reading);
      return { at: after, moved: after.chain.epoch !== at.chain.epoch };
    }
    const tip = tipOf(at.chain);
    const isSameTip = isTipIncomplete(at.chain) && first.hash === tip?.hash;
    if (isSameTip || meaningOf(at.chain, first) === 'extends') {
      const after = await publishBlocks(at, reading);
      return { at: after, moved: after.chain.next <= after.head };
    }
    return { at: await rollBackTo(at, first), moved: true };
  };

  const takeStep = async (at: Position): Promise<{ at: Position; moved: boolean }> => {
    const isFinalLeft =
      !at.mustFollow && !isTipIncomplete(at.chain) && at.chain.next <= rangeLimit(at);
    if (!isFinalLeft) return follow(at);
    const isHeadOld = clock.now() - at.headAtMs > HEAD_EVERY_MS;
    const seen = isHeadOld ? withReading(at, await source.follow(at.chain.next, 0)) : at;
    return { at: await backfill(seen), moved: true };
  };

  const step = async (): Promise<'busy' | 'idle'> => {
    position ??= await start();
    try {
      const { at, moved } = await takeStep(position);
      position = at;
      return moved ? 'busy' : 'idle';
    } catch (error) {
      // A failed read changes nothing; a stream that moved knows better what was published.
      if (!(error instanceof RetryableError) || error instanceof StreamMovedError)
        position = undefined;
      throw error;
    }
  };

  return { step, run: (signal) => converge(step, options.pollIntervalMs, parts, signal) };
};

const tooDeepError = (chain: LocalChain, header: BlockHeader): FatalError =>
  new FatalError(
    `reorg beyond finality: the node's block ${header.number} (${header.hash}) does not descend from ` +
      `block ${Math.max(chain.finalNumber, chain.headers[0]?.number ?? 0)}, which was final. Check which chain RPC_URL ` +
      'serves; if the chain was really rewritten, delete its stream and its facts and start anew',
  );

/** Steps until aborted; waits at the head; tries again after a RetryableError, with growing pauses. */
const converge = async (
  step: () => Promise<'busy' | 'idle'>,
  pollIntervalMs: number,
  { publisher, wakeUp, clock, logger }: WatcherParts,
  signal: AbortSignal,
): Promise<void> => {
  let failures = 0;
  while (!signal.aborted) {
    try {
      const result = await step();
      if (failures > 0) logger.info({ failures }, 'watcher goes on after failures');
      failures = 0;
      if (result === 'idle') await wakeUp.wait(pollIntervalMs, signal);
    } catch (error) {
      if (!(error instanceof RetryableError) || signal.aborted) {
        if (signal.aborted && error instanceof RetryableError) break;
        throw error;
      }
      if (failures === 0) logger.warn({ err: error }, `watcher waits: ${errorMessage(error)}`);
      failures += 1;
      const pause =
        error instanceof StreamMovedError && failures === 1 ? 0 : RETRY_MS_MIN * 2 ** failures;
      await clock.sleep(Math.min(pause, RETRY_MS_MAX), signal);
    }
  }
  await publisher.flush().catch((error: unknown) => {
    if (!(error instanceof RetryableError)) throw error;
  });
};
