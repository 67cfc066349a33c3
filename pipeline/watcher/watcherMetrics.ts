import { Counter, Gauge, Histogram } from 'prom-client';
import type { MetricsRegistry } from '../../shared/platform/metrics.ts';
import type { WatcherMeter } from './progress.ts';

/** Depths of reorgs, blocks; an epoch of Ethereum has 32. */
const DEPTHS: number[] = [1, 2, 3, 5, 8, 16, 32, 64, 128];

/** How the watcher comes along. */
export const createWatcherMetrics = (registry: MetricsRegistry): WatcherMeter => {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const head = gauge('tsd_watcher_head_block', 'Highest block a node has shown.');
  const published = gauge('tsd_watcher_published_block', 'Last block handed to the stream.');
  const lag = gauge(
    'tsd_watcher_lag_blocks',
    'Blocks between the head and the last block handed on.',
  );
  const timestamp = gauge(
    'tsd_watcher_published_block_timestamp_seconds',
    'Time of the last block handed to the stream, Unix seconds.',
  );
  const blocks = counter('tsd_watcher_blocks_total', 'Blocks handed to the stream.');
  const facts = counter('tsd_watcher_facts_total', 'Facts in them.');
  const retries = counter(
    'tsd_watcher_retries_total',
    'Steps that failed because a node or the stream was away, and were taken again.',
  );
  const ignored = new Counter({
    name: 'tsd_watcher_ignored_logs_total',
    help: 'Logs that hold no fact, by why.',
    labelNames: ['reason'],
    registers,
  });
  const depths = new Histogram({
    name: 'tsd_watcher_reorg_depth_blocks',
    help: 'Blocks taken back by a reorg; its count is the number of reorgs.',
    buckets: DEPTHS,
    registers,
  });
  return {
    saw: (look) => {
      head.set(look.head);
      lag.set(Math.max(0, look.head - look.next + 1));
    },
    published: (range) => {
      head.set(range.head);
      published.set(range.block);
      lag.set(Math.max(0, range.head - range.block));
      timestamp.set(range.timestampS);
      blocks.inc(range.blocks);
      facts.inc(range.facts);
      for (const [reason, count] of Object.entries(range.ignored)) ignored.inc({ reason }, count);
    },
    reorganised: (depth) => depths.observe(depth),
    failed: () => retries.inc(),
  };
};
