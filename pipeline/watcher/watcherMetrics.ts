import { Counter, Gauge, Histogram } from 'prom-client';
import type { MetricsRegistry } from '../../shared/platform/metrics.ts';

/** Depths of reorgs, blocks; an epoch of Ethereum has 32. */
const DEPTHS: number[] = [1, 2, 3, 5, 8, 16, 32, 64, 128];

/** The metrics that `progress.ts` sets. */
export type WatcherMetrics = ReturnType<typeof createWatcherMetrics>;

/** Registers the watcher's progress. */
export const createWatcherMetrics = (registry: MetricsRegistry) => {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  return {
    head: gauge('tsd_watcher_head_block', 'Highest block a node has shown.'),
    published: gauge('tsd_watcher_published_block', 'Last block published to the stream.'),
    start: gauge(
      'tsd_watcher_start_block',
      'Block from which the progress of the backfill is counted: START_BLOCK, else the first block of this process.',
    ),
    lag: gauge('tsd_watcher_lag_blocks', 'Blocks between the head and the last published block.'),
    timestamp: gauge(
      'tsd_watcher_published_block_timestamp_seconds',
      'Time of the last block published to the stream, Unix seconds.',
    ),
    blocks: counter('tsd_watcher_blocks_total', 'Blocks published to the stream.'),
    facts: counter('tsd_watcher_facts_total', 'Facts in published blocks.'),
    retries: counter(
      'tsd_watcher_retries_total',
      'Steps repeated because a node or the stream was unavailable.',
    ),
    ignored: new Counter({
      name: 'tsd_watcher_ignored_logs_total',
      help: 'Logs without a fact, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    failedSalesSkipped: counter(
      'tsd_watcher_skipped_failed_sales_total',
      'Failed sales beyond the 200 of a block that are published.',
    ),
    reorgDepths: new Histogram({
      name: 'tsd_watcher_reorg_depth_blocks',
      help: 'Blocks removed by a reorg; its number of observations is the number of reorgs.',
      buckets: DEPTHS,
      registers,
    }),
  };
};
