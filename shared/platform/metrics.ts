import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ReaderMeter } from './chainConsumer.ts';
import type { ClickhouseMeter, ClickhouseOperation } from './clickhouse.ts';
import type { DeadLetterMeter } from './publish.ts';
import type { NodeMeter } from './rpc/meterCalls.ts';
import type { SpanMeter } from './tracer.ts';

/** The metrics of one process. Only this file and those named *Metrics.ts depend on the metrics library. */
export type MetricsRegistry = Registry;

/**
 * A registry with what every process exports: CPU, memory, heap, garbage collection, event loop, descriptors.
 * @param labels put on every metric of the process, such as its chain; their values must be few.
 */
export const createRegistry = (labels: Readonly<Record<string, string>> = {}): MetricsRegistry => {
  const registry = new Registry();
  registry.setDefaultLabels({ ...labels });
  collectDefaultMetrics({ register: registry });
  return registry;
};

/** Buckets for durations inside the service, seconds: from a look-up in memory to a time-out. */
export const WORK_SECONDS: number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** Buckets for the time from a block to its results, seconds. */
export const LATENCY_SECONDS: number[] = [
  0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 12, 15, 20, 30, 60, 120, 300, 600,
];

/** Exports at every scrape which dependencies of the process are available. */
export const exportDependencies = (
  registry: MetricsRegistry,
  states: () => Promise<Readonly<Record<string, 'up' | 'down'>>>,
): void => {
  new Gauge({
    name: 'tsd_dependency_up',
    help: 'Whether a dependency answers (1) or not (0).',
    labelNames: ['dependency'],
    registers: [registry],
    async collect() {
      for (const [dependency, state] of Object.entries(await states())) {
        this.set({ dependency }, state === 'up' ? 1 : 0);
      }
    },
  });
};

/** Work that one copy of a role does at a time, until its signal aborts. */
type Leading = (signal: AbortSignal) => Promise<void>;

/** The same work, with a metric that is 1 while this copy does it. */
export const exportLeadership = (registry: MetricsRegistry, work: Leading): Leading => {
  const leading = new Gauge({
    name: 'tsd_leading',
    help: 'Whether this copy leads its role (1) or waits to take over (0).',
    registers: [registry],
  });
  return async (signal) => {
    leading.set(1);
    try {
      await work(signal);
    } finally {
      leading.set(0);
    }
  };
};

/** A metric whose value is read at every scrape and costs nothing in between. */
interface CollectedMetric {
  readonly name: string;
  readonly help: string;
  /** Name of the label whose values are the keys of `read`. */
  readonly label: string;
  /** Current values by label value. */
  readonly read: () => Readonly<Record<string, number>>;
}

/** Exports monotonic totals as a counter. */
export const exportCounts = (registry: MetricsRegistry, metric: CollectedMetric): void => {
  const { name, help, label, read } = metric;
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [key, count] of Object.entries(read())) this.inc({ [label]: key }, count);
    },
  });
};

/** Exports values that go up and down as a gauge. */
export const exportSizes = (registry: MetricsRegistry, metric: CollectedMetric): void => {
  const { name, help, label, read } = metric;
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      for (const [key, size] of Object.entries(read())) this.set({ [label]: key }, size);
    },
  });
};

/** Counts hits and misses of one cache. */
export interface CacheMeter {
  hit(): void;
  miss(): void;
  /** Counts several at once. @param missed how many of the requested entries were not cached */
  asked(count: number, missed: number): void;
}

/** A meter for each cache by its name; names come from the code. */
export type CacheMeters = (cache: string) => CacheMeter;

export const createCacheMetrics = (registry: MetricsRegistry): CacheMeters => {
  const requests = new Counter({
    name: 'tsd_cache_requests_total',
    help: 'Look-ups in a cache, by whether it had the value.',
    labelNames: ['cache', 'result'],
    registers: [registry],
  });
  return (cache) => {
    const hits = requests.labels({ cache, result: 'hit' });
    const misses = requests.labels({ cache, result: 'miss' });
    return {
      hit: () => hits.inc(),
      miss: () => misses.inc(),
      asked: (count, missed) => {
        hits.inc(count - missed);
        misses.inc(missed);
      },
    };
  };
};

const OPERATIONS: readonly ClickhouseOperation[] = ['query', 'insert', 'exec', 'ping'];

/** Tables come from the migrations, so there are few label values. */
export const createClickhouseMetrics = (registry: MetricsRegistry): ClickhouseMeter => {
  const registers = [registry];
  const insertSeconds = new Histogram({
    name: 'tsd_clickhouse_insert_seconds',
    help: 'Time of one insert into ClickHouse.',
    labelNames: ['table'],
    buckets: WORK_SECONDS,
    registers,
  });
  const insertedRows = new Counter({
    name: 'tsd_clickhouse_inserted_rows_total',
    help: 'Rows inserted, as the server counts them.',
    labelNames: ['table'],
    registers,
  });
  const querySeconds = new Histogram({
    name: 'tsd_clickhouse_query_seconds',
    help: 'Time of one query or statement.',
    buckets: WORK_SECONDS,
    registers,
  });
  const errors = new Counter({
    name: 'tsd_clickhouse_errors_total',
    help: 'Failed requests: errors of kind retry pass by themselves, fatal ones do not.',
    labelNames: ['operation', 'kind'],
    registers,
  });
  // Starts at zero, so that the first failure is an increase.
  for (const operation of OPERATIONS) {
    for (const kind of ['retry', 'fatal']) errors.inc({ operation, kind }, 0);
  }
  return {
    inserted: (table, rows, tookMs) => {
      insertSeconds.observe({ table }, tookMs / 1_000);
      insertedRows.inc({ table }, rows);
    },
    queried: (tookMs) => querySeconds.observe(tookMs / 1_000),
    failed: (operation, kind) => errors.inc({ operation, kind }),
  };
};

/** Nodes come from RPC_URL, methods are those that this service calls. */
export const createNodeMetrics = (registry: MetricsRegistry): NodeMeter => {
  const registers = [registry];
  const calls = new Counter({
    name: 'tsd_node_calls_total',
    help: 'JSON-RPC calls made, each call of a batch by itself.',
    labelNames: ['method'],
    registers,
  });
  const errors = new Counter({
    name: 'tsd_node_errors_total',
    help: 'Failed JSON-RPC calls, by kind of failure; reverted means that the contract reverted.',
    labelNames: ['node', 'method', 'kind'],
    registers,
  });
  const seconds = new Histogram({
    name: 'tsd_node_request_seconds',
    help: 'Time of one HTTP request to a node; a batch is one request.',
    labelNames: ['node'],
    buckets: WORK_SECONDS,
    registers,
  });
  return {
    called: (method) => calls.inc({ method }),
    failed: (node, method, kind) => errors.inc({ node, method, kind }),
    exchanged: (node, tookMs) => seconds.observe({ node }, tookMs / 1_000),
  };
};

/** Progress of a reader of a chain's stream. */
export const createReaderMetrics = (registry: MetricsRegistry): ReaderMeter => {
  const registers = [registry];
  const lag = new Gauge({
    name: 'tsd_reader_lag_blocks',
    help: 'Blocks between the last one handled and the head known to the watcher at that time.',
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
    help: 'Chain messages received more than once.',
    registers,
  });
  const retries = new Counter({
    name: 'tsd_reader_retries_total',
    help: 'Batches that had to be handled again because a dependency was unavailable.',
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

/** Outcome of spans. */
export const createSpanMetrics = (registry: MetricsRegistry): SpanMeter => {
  const spans = new Counter({
    name: 'tsd_spans_total',
    help: 'Spans for OpenTelemetry, by whether the collector accepted them.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return {
    sent: (count) => spans.inc({ outcome: 'sent' }, count),
    dropped: (count) => spans.inc({ outcome: 'dropped' }, count),
  };
};

/**
 * First parts of subjects. Initialised to zero, so that the first dead letter of a kind shows as an increase.
 */
const KINDS = ['alert', 'analysis', 'cluster', 'jobs', 'score'] as const;

/** Counts the dead letters of this process. */
export const createDeadLetterMetrics = (registry: MetricsRegistry): DeadLetterMeter => {
  const letters = new Counter({
    name: 'tsd_dead_letters_total',
    help: 'Messages that became dead letters, by the first part of their subject.',
    labelNames: ['kind'],
    registers: [registry],
  });
  for (const kind of KINDS) letters.inc({ kind }, 0);
  return { count: (kind) => letters.inc({ kind }) };
};
