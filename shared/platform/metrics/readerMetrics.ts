import { Counter, Gauge, Histogram } from 'prom-client';
import type { ReaderMeter } from '../chainConsumer.ts';
import type { MetricsRegistry } from './registry.ts';
import { WORK_SECONDS } from './seconds.ts';

/** How a reader of a chain's stream comes along. */
export const createReaderMetrics = (registry: MetricsRegistry): ReaderMeter => {
  const registers = [registry];
  const lag = new Gauge({
    name: 'tsd_reader_lag_blocks',
    help: 'Blocks between the last one handled and the head as the watcher knew it then.',
    registers,
  });
  const timestamp = new Gauge({
    name: 'tsd_reader_block_timestamp_seconds',
    help: 'Time of the last block handled, Unix seconds.',
    registers,
  });
  const batchSeconds = new Histogram({
    name: 'tsd_reader_batch_seconds',
    help: 'Time to handle one batch of chain messages, retries included.',
    buckets: WORK_SECONDS,
    registers,
  });
  const messages = new Counter({
    name: 'tsd_reader_messages_total',
    help: 'Chain messages handled.',
    registers,
  });
  const redelivered = new Counter({
    name: 'tsd_reader_redelivered_messages_total',
    help: 'Chain messages that came more than once.',
    registers,
  });
  const retries = new Counter({
    name: 'tsd_reader_retries_total',
    help: 'Batches that had to be handled again because a dependency was away.',
    registers,
  });
  return {
    handled: (batch) => {
      messages.inc(batch.messages);
      batchSeconds.observe(batch.tookMs / 1_000);
      if (!batch.reached) return;
      lag.set(batch.reached.lagBlocks);
      timestamp.set(batch.reached.timestampS);
    },
    redelivered: () => redelivered.inc(),
    retried: () => retries.inc(),
  };
};
