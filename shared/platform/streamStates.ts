import type { JetStreamManager, NatsConnection } from 'nats';
import { Gauge } from 'prom-client';
import type { MetricsRegistry } from './metrics.ts';
import { jetStreamManager, onNats } from './nats.ts';

/** A durable reader of a stream, and its pending work. */
export interface ReaderState {
  readonly stream: string;
  readonly name: string;
  /** Messages not delivered to it yet. */
  readonly pending: number;
  /** Delivered, not acknowledged yet. */
  readonly unconfirmed: number;
  /** Of these, delivered more than once. */
  readonly redelivered: number;
}

/** Contents of a stream. */
export interface StreamState {
  readonly stream: string;
  readonly messages: number;
  readonly bytes: number;
  /** Maximum bytes. */
  readonly bytesMax: number;
}

/** States according to JetStream. Rejects with RetryableError while NATS is unavailable. */
export const createStreamStates = (connection: NatsConnection) => {
  const asked = <T>(ask: (jsm: JetStreamManager) => Promise<T>): Promise<T> =>
    onNats('JetStream', async () => ask(await jetStreamManager(connection)));
  return {
    /** Durable readers of all streams. */
    readers: (): Promise<ReaderState[]> =>
      asked(async (jsm) => {
        const states: ReaderState[] = [];
        for (const stream of await jsm.streams.names().next()) {
          for await (const info of jsm.consumers.list(stream)) {
            if (info.config.durable_name === undefined) continue;
            states.push({
              stream,
              name: info.name,
              pending: info.num_pending,
              unconfirmed: info.num_ack_pending,
              redelivered: info.num_redelivered,
            });
          }
        }
        return states;
      }),
    /** All streams. */
    streams: (): Promise<StreamState[]> =>
      asked(async (jsm) => {
        const states: StreamState[] = [];
        for await (const { config, state } of jsm.streams.list()) {
          const { messages, bytes } = state;
          states.push({ stream: config.name, messages, bytes, bytesMax: config.max_bytes });
        }
        return states;
      }),
    messages: (stream: string): Promise<number> =>
      asked(async (jsm) => (await jsm.streams.info(stream)).state.messages),
  };
};
/** How full streams are, and how far their readers are. */
export type StreamStates = ReturnType<typeof createStreamStates>;

/**
 * State of JetStream's streams and durable consumers, read at every scrape. Absent while NATS is unavailable.
 */
export const exportStreams = (registry: MetricsRegistry, states: StreamStates): void => {
  /** Creates gauges with one value per row; a value below zero stands for none. */
  const gaugesOf =
    <Row>(rows: () => Promise<Row[]>, labels: Readonly<Record<string, (row: Row) => string>>) =>
    (name: string, help: string, value: (row: Row) => number) =>
      new Gauge({
        name,
        help,
        labelNames: Object.keys(labels),
        registers: [registry],
        async collect() {
          this.reset();
          const found = await rows().catch(() => []);
          for (const row of found.filter((one) => value(one) >= 0)) {
            const named = Object.entries(labels).map(([label, of]) => [label, of(row)]);
            this.set(Object.fromEntries(named) as Record<string, string>, value(row));
          }
        },
      });
  const readerGauge = gaugesOf<ReaderState>(() => states.readers(), {
    stream: ({ stream }) => stream,
    consumer: ({ name }) => name,
  });
  const streamGauge = gaugesOf<StreamState>(() => states.streams(), {
    stream: ({ stream }) => stream,
  });
  readerGauge(
    'tsd_consumer_pending_messages',
    'Messages of a stream not yet delivered to its durable consumer.',
    ({ pending }) => pending,
  );
  readerGauge(
    'tsd_consumer_unacknowledged_messages',
    'Messages delivered but not yet acknowledged.',
    ({ unconfirmed }) => unconfirmed,
  );
  readerGauge(
    'tsd_consumer_redelivered_messages',
    'Unacknowledged messages that were delivered more than once.',
    ({ redelivered }) => redelivered,
  );
  streamGauge(
    'tsd_stream_messages',
    'Messages in a stream; those of DLQ are dead letters.',
    ({ messages }) => messages,
  );
  streamGauge('tsd_stream_bytes', 'Bytes in a stream.', ({ bytes }) => bytes);
  streamGauge(
    'tsd_stream_limit_bytes',
    'Largest size of a stream in bytes: a full chain stream stops its watcher. Absent for streams without a limit.',
    ({ bytesMax }) => bytesMax,
  );
};
