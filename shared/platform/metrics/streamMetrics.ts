import { Gauge } from 'prom-client';
import type { StreamStates } from '../streamStates.ts';
import type { MetricsRegistry } from './registry.ts';

/** One account serves all gauges of a scrape. */
const KEPT_MS = 1_000;

/** Reads an account at most once in `KEPT_MS`; gauges of one scrape share it. Empty while NATS is away. */
const shared = <T>(read: () => Promise<T[]>) => {
  let latest: { rows: Promise<T[]>; atMs: number } | undefined;
  return (): Promise<T[]> => {
    const nowMs = performance.now();
    if (!latest || nowMs - latest.atMs > KEPT_MS) {
      latest = { rows: read().catch(() => []), atMs: nowMs };
    }
    return latest.rows;
  };
};

/** State of JetStream's streams and durable consumers, read at every scrape. Absent while NATS is away. */
export const exportStreams = (registry: MetricsRegistry, states: StreamStates): void => {
  const readers = shared(() => states.readers());
  const streams = shared(() => states.streams());
  const readerGauge = (
    name: string,
    help: string,
    value: (reader: Awaited<ReturnType<StreamStates['readers']>>[number]) => number,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['stream', 'consumer'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const reader of await readers()) {
          this.set({ stream: reader.stream, consumer: reader.name }, value(reader));
        }
      },
    });
  const streamGauge = (
    name: string,
    help: string,
    value: (stream: Awaited<ReturnType<StreamStates['streams']>>[number]) => number,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['stream'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const one of await streams()) {
          const number = value(one);
          if (number >= 0) this.set({ stream: one.stream }, number);
        }
      },
    });
  readerGauge(
    'tsd_consumer_pending_messages',
    'Messages of a stream not yet handed to its durable reader.',
    ({ pending }) => pending,
  );
  readerGauge(
    'tsd_consumer_unacknowledged_messages',
    'Messages handed out and not yet acknowledged.',
    ({ unconfirmed }) => unconfirmed,
  );
  readerGauge(
    'tsd_consumer_redelivered_messages',
    'Unacknowledged messages that were handed out more than once.',
    ({ redelivered }) => redelivered,
  );
  streamGauge(
    'tsd_stream_messages',
    'Messages a stream holds; those of DLQ are dead letters.',
    ({ messages }) => messages,
  );
  streamGauge('tsd_stream_bytes', 'Bytes a stream holds.', ({ bytes }) => bytes);
  streamGauge(
    'tsd_stream_limit_bytes',
    'Bytes a stream may hold: a full chain stream stops its watcher. Absent for those without a limit.',
    ({ bytesMax }) => bytesMax,
  );
};
