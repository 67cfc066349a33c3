import { Counter, Gauge, Histogram } from 'prom-client';
import type { MetricsRegistry } from '../../shared/platform/metrics.ts';

/** Depths of reorgs, blocks; an epoch of Ethereum has 32. */
const DEPTHS: number[] = [1, 2, 3, 5, 8, 16, 32, 64, 128];

/** The metrics that `progress.ts` sets. */
export type WatcherMetrics = ReturnType<typeof createWatcherMetrics>;

/** Registers how far the watcher has read. */
export const createWatcherMetrics = (registry: MetricsRegistry) => {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  return {
    head: gauge('tsd_watcher_head_block', 'Highest block a node has shown.'),
    published: gauge('tsd_watcher_published_block', 'Last block handed to the stream.'),
    start: gauge(
      'tsd_watcher_start_block',
      'Block from which the share of the backfill is counted: START_BLOCK, else where this process began.',
    ),
    lag: gauge('tsd_watcher_lag_blocks', 'Blocks between the head and the last block handed on.'),
    timestamp: gauge(
      'tsd_watcher_published_block_timestamp_seconds',
      'Time of the last block handed to the stream, Unix seconds.',
    ),
    blocks: counter('tsd_watcher_blocks_total', 'Blocks handed to the stream.'),
    facts: counter('tsd_watcher_facts_total', 'Facts in them.'),
    retries: counter(
      'tsd_watcher_retries_total',
      'Steps that failed because a node or the stream was away, and were taken again.',
    ),
    ignored: new Counter({
      name: 'tsd_watcher_ignored_logs_total',
      help: 'Logs that hold no fact, by why.',
      labelNames: ['reason'],
      registers,
    }),
    reorgDepths: new Histogram({
      name: 'tsd_watcher_reorg_depth_blocks',
      help: 'Blocks taken back by a reorg; its count is the number of reorgs.',
      buckets: DEPTHS,
      registers,
    }),
  };
};
