import type { ChainStatus } from '../../shared/messages/heartbeat.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { Tracer } from '../../shared/platform/tracer.ts';
import type { BlockRange } from './blockRange.ts';

/** Milliseconds between two lines of progress. */
const REPORT_EVERY_MS = 5_000;
/** Blocks behind the head from which on the watcher counts as catching up. */
const CATCHING_UP_BLOCKS = 16;
/** From the time in the block's header on. */
const ROOT_SPAN = 'watcher: block published';

/** What a node shows at a look at its head. */
interface Look {
  readonly head: number;
  /** Of the head, Unix seconds. */
  readonly timestampS: number;
  /** First block that is not published yet. */
  readonly next: number;
}

/** Where the numbers go. */
export interface WatcherMeter {
  /** A node showed its head. */
  saw(look: Look): void;
  /** A range was handed to the stream. */
  published(range: {
    readonly head: number;
    readonly block: number;
    /** Of its last block, Unix seconds. */
    readonly timestampS: number;
    readonly blocks: number;
    readonly facts: number;
    readonly ignored: Readonly<Record<string, number>>;
  }): void;
  /** Blocks were taken back. */
  reorganised(depth: number): void;
  /** A step failed and is taken again. */
  failed(): void;
}

/** Reports how far the watcher has read. */
export interface Progress {
  /** A node showed its head. */
  saw(look: Look): void;
  published(range: BlockRange, head: number): void;
  /** Blocks were taken back. */
  reorganised(depth: number): void;
  /** A step failed and is taken again. */
  failed(): void;
}

const totalOf = ({ from, to, facts, ignored }: BlockRange, head: number) => ({
  head,
  block: to.number,
  timestampS: to.timestampS,
  blocks: to.number - from + 1,
  facts,
  ignored,
});

/** Counts, and logs blocks/s, facts/s, lag and the time left while far from the head, every five seconds. */
export const createProgress = (
  clock: Clock,
  logger: Logger,
  meter?: WatcherMeter,
  tracer?: Pick<Tracer, 'span'>,
): Progress => {
  let sinceMs = clock.now();
  let blocks = 0;
  let facts = 0;
  let ignored: Record<string, number> = {};
  return {
    saw: (look) => meter?.saw(look),
    reorganised: (depth) => meter?.reorganised(depth),
    failed: () => meter?.failed(),
    published: (range, head) => {
      meter?.published(totalOf(range, head));
      const { number: block, hash: blockHash } = range.to;
      if (head - block <= CATCHING_UP_BLOCKS) {
        logger.info({ block, blockHash, facts: range.facts }, 'block published');
        const [startMs, endMs] = [range.to.timestampS * 1_000, clock.now()];
        const attributes = { block, facts: range.facts };
        tracer?.span({ name: ROOT_SPAN, blockHash, startMs, endMs, attributes, isRoot: true });
      }
      blocks += range.to.number - range.from + 1;
      facts += range.facts;
      for (const [reason, count] of Object.entries(range.ignored)) {
        ignored[reason] = (ignored[reason] ?? 0) + count;
      }
      const tookMs = clock.now() - sinceMs;
      if (tookMs < REPORT_EVERY_MS) return;
      const lag = Math.max(0, head - range.to.number);
      const blocksPerS = (blocks * 1000) / tookMs;
      const line = {
        block: range.to.number,
        lag,
        blocksPerS: Math.round(blocksPerS * 10) / 10,
        factsPerS: Math.round((facts * 1000) / tookMs),
        etaS: Math.ceil(lag / blocksPerS),
        ignored,
      };
      if (lag > CATCHING_UP_BLOCKS) logger.info(line, 'catching up');
      else logger.debug(line, 'at the head');
      sinceMs = clock.now();
      blocks = 0;
      facts = 0;
      ignored = {};
    },
  };
};

/** Keeps the chain status that heartbeats carry: undefined until the node has answered. */
export const createChainStatus = (
  meter: WatcherMeter,
  clock: Clock,
): { read(): ChainStatus | undefined; readonly meter: WatcherMeter } => {
  let status: ChainStatus | undefined;
  return {
    read: () => status,
    meter: {
      ...meter,
      saw: (look) => {
        meter.saw(look);
        const { head, timestampS, next } = look;
        status = { head, headTimeS: timestampS, answeredAtMs: clock.now(), next };
      },
      published: (range) => {
        meter.published(range);
        status &&= { ...status, next: range.block + 1 };
      },
    },
  };
};
