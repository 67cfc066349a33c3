import type { ChainStatus } from '../../shared/messages/heartbeat.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { Tracer } from '../../shared/platform/tracer.ts';
import type { BlockRange } from './blockRange.ts';
import type { WatcherMetrics } from './watcherMetrics.ts';

/** Milliseconds between two log lines of progress. */
const REPORT_EVERY_MS = 5_000;
/** Blocks behind the head from which the watcher counts as catching up. */
const CATCHING_UP_BLOCKS = 16;
/** Measured from the time in the block's header. */
const ROOT_SPAN = 'watcher: block published';

/** A node's answer when polled for its head. */
interface Look {
  readonly head: number;
  /** Of the head, Unix seconds. */
  readonly timestampS: number;
  /** First block that is not published yet. */
  readonly next: number;
}

const exportRange = (metrics: WatcherMetrics, range: BlockRange, head: number): void => {
  metrics.head.set(head);
  metrics.published.set(range.to.number);
  metrics.lag.set(Math.max(0, head - range.to.number));
  metrics.timestamp.set(range.to.timestampS);
  metrics.blocks.inc(range.to.number - range.from + 1);
  metrics.facts.inc(range.facts);
  metrics.failedSalesSkipped.inc(range.failedSalesSkipped);
  for (const [reason, count] of Object.entries(range.ignored)) {
    metrics.ignored.inc({ reason }, count);
  }
};

/** Receives the metrics. */
interface ProgressParts {
  /** First block of the backfill; undefined counts from where this process starts. */
  readonly startBlock: number | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WatcherMetrics;
  readonly tracer: Pick<Tracer, 'span'>;
}

/** Percent of the blocks from `start` to `head` that are read, rounded down to a tenth. */
export const backfillPercent = (start: number, block: number, head: number): number =>
  head <= start ? 100 : Math.floor((1_000 * Math.max(0, block - start)) / (head - start)) / 10;

/**
 * Counts and, while far from the head, logs percentage, blocks/s, facts/s, lag and remaining time every five seconds.
 */
export const createProgress = (parts: ProgressParts) => {
  const { clock, logger, metrics, tracer } = parts;
  let start = parts.startBlock;
  let status: ChainStatus | undefined;
  let sinceMs = clock.now();
  let blocks = 0;
  let facts = 0;
  let ignored: Record<string, number> = {};
  return {
    /** Content of heartbeats: undefined until a node has answered. */
    status: (): ChainStatus | undefined => status,
    /** A node reported its head. */
    saw: ({ head, timestampS, next }: Look): void => {
      if (status === undefined && next === parts.startBlock && head < next) {
        const line = `START_BLOCK ${next} is beyond the head of the chain, block ${head}: nothing is read until the chain is there`;
        logger.warn({ head, startBlock: next }, line);
      }
      start ??= next;
      metrics.start.set(start);
      metrics.head.set(head);
      metrics.lag.set(Math.max(0, head - next + 1));
      status = { head, headTimeS: timestampS, answeredAtMs: clock.now(), next };
    },
    /** Blocks were reverted. */
    reorganised: (depth: number): void => metrics.reorgDepths.observe(depth),
    /** A step failed and is repeated. */
    failed: (): void => metrics.retries.inc(),
    published: (range: BlockRange, head: number): void => {
      exportRange(metrics, range, head);
      status &&= { ...status, next: range.to.number + 1 };
      const { number: block, hash: blockHash } = range.to;
      if (head - block <= CATCHING_UP_BLOCKS) {
        logger.info({ block, blockHash, facts: range.facts }, 'block published');
        const [startMs, endMs] = [range.to.timestampS * 1_000, clock.now()];
        const attributes = { block, facts: range.facts };
        tracer.span({ name: ROOT_SPAN, blockHash, startMs, endMs, attributes, isRoot: true });
      }
      if (range.failedSalesSkipped > 0) {
        const line = { block, blockHash, skipped: range.failedSalesSkipped };
        logger.warn(line, 'more failed sales than are published of a block: the rest is left out');
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
        percent: backfillPercent(start ?? range.from, range.to.number, head),
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
/** Reports how far the watcher has read. */
export type Progress = ReturnType<typeof createProgress>;
