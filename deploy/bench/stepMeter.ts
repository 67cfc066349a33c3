import { type NatsConnection, StorageType } from 'nats';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { nowMs } from './benchApi.ts';

/** Milliseconds of each step an alert cannot do without, done alone, with nothing else around it. */
export interface LeastWork {
  /** The last block is fetched from the node and parsed. */
  readonly block: number;
  /** A message of an alert's size is stored by JetStream and delivered. */
  readonly message: number;
  /** A row is stored by ClickHouse. */
  readonly row: number;
}

const STREAM = 'BENCH';
const MESSAGE_BYTES = 1_000;

const fetchBlock = async (url: string, number: number): Promise<void> => {
  const calls = ['eth_getBlockByNumber', 'eth_getBlockReceipts'].map((method, id) => ({
    jsonrpc: '2.0',
    id,
    method,
    params: [`0x${number.toString(16)}`, true],
  }));
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(calls) });
  JSON.parse(await response.text());
};

/** Takes single steps, again and again. */
export interface StepMeter {
  measure(block: number): Promise<LeastWork>;
  close(): Promise<void>;
}

/** Prepares what the steps need. */
export const createStepMeter = async (
  connection: NatsConnection,
  clickhouse: Clickhouse,
  nodeUrl: string,
): Promise<StepMeter> => {
  const jsm = await connection.jetstreamManager();
  await jsm.streams.add({ name: STREAM, subjects: ['bench.>'], storage: StorageType.File });
  const js = connection.jetstream();
  const consumer = await js.consumers.get(STREAM);
  const messages = await consumer.consume();
  let received: () => void = () => undefined;
  void (async () => {
    for await (const _ of messages) received();
  })();
  await clickhouse.exec(
    'CREATE TABLE IF NOT EXISTS bench_rows (n UInt64, text String) ENGINE = MergeTree ORDER BY n',
  );
  const text = 'x'.repeat(MESSAGE_BYTES);
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const startMs = nowMs();
    await work();
    return nowMs() - startMs;
  };
  const measure = async (number: number): Promise<LeastWork> => ({
    block: await timed(() => fetchBlock(nodeUrl, number)),
    message: await timed(() => {
      const arrived = new Promise<void>((resolve) => {
        received = resolve;
      });
      return Promise.all([js.publish('bench.message', text), arrived]);
    }),
    row: await timed(() => clickhouse.insert('bench_rows', [{ n: number, text }])),
  });
  return {
    measure,
    close: async () => {
      await messages.close();
    },
  };
};
