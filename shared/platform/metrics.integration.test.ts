import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { NatsConnection } from 'nats';
import { z } from 'zod';
import type { BlocksEvent } from '../chain/chainEvent.ts';
import { encodeChainEvent } from '../messages/chainMessage.ts';
import { chainStream, chainSubject } from '../messages/subjects.ts';
import { blocksEvent } from '../testing/blocksEvent.ts';
import { topicOf as hash } from '../testing/evmData.ts';
import {
  type ClickhouseService,
  type Service,
  startClickhouse,
  startNats,
} from '../testing/services.ts';
import { consumeChain } from './chainConsumer.ts';
import { type Clickhouse, createClickhouse } from './clickhouse.ts';
import { systemClock } from './clock.ts';
import { RetryableError } from './errors.ts';
import { silentLogger } from './logger.ts';
import {
  createClickhouseMetrics,
  createReaderMetrics,
  createRegistry,
  type MetricsRegistry,
} from './metrics.ts';
import { connectNats, ensureStreams } from './nats.ts';
import { createStreamStates, exportStreams } from './streamStates.ts';

const blockEvent = (chainId: number, number: number, head: number): BlocksEvent =>
  blocksEvent([{ number, hash: hash(number), timestampS: 1_000 + number, facts: [] }], {
    chainId,
    head,
  });

/** The value of one series in Prometheus' text format; undefined if there is none. */
const valueOf = async (registry: MetricsRegistry, series: string): Promise<number | undefined> => {
  const lines = (await registry.metrics()).split('\n');
  const line = lines.find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

describe('metrics of real servers', { timeout: 120_000 }, () => {
  let nats: Service;
  let clickhouse: ClickhouseService;
  let connection: NatsConnection;
  before(async () => {
    [nats, clickhouse] = await Promise.all([startNats(), startClickhouse()]);
    connection = await connectNats(nats.url, 'test');
  });
  after(async () => {
    await connection.close();
    await Promise.all([nats.stop(), clickhouse.stop()]);
  });

  const publish = async (chainId: number, numbers: readonly number[], head: number) => {
    for (const number of numbers) {
      const bytes = encodeChainEvent(blockEvent(chainId, number, head));
      await connection.jetstream().publish(chainSubject(chainId), bytes);
    }
  };

  it('report what JetStream says of streams and readers, and nothing while it is away', async () => {
    await ensureStreams(connection, [7]);
    await publish(7, [1, 2, 3], 3);
    const registry = createRegistry();
    exportStreams(registry, createStreamStates(connection));
    const reader = '{stream="CHAIN_7",consumer="scorer"}';
    assert.equal(await valueOf(registry, `tsd_consumer_pending_messages${reader}`), 3);
    assert.equal(await valueOf(registry, `tsd_consumer_unacknowledged_messages${reader}`), 0);
    assert.equal(await valueOf(registry, `tsd_consumer_redelivered_messages${reader}`), 0);
    assert.equal(await valueOf(registry, 'tsd_stream_messages{stream="CHAIN_7"}'), 3);
    assert.ok(((await valueOf(registry, 'tsd_stream_bytes{stream="CHAIN_7"}')) ?? 0) > 0);
    assert.ok(((await valueOf(registry, 'tsd_stream_limit_bytes{stream="CHAIN_7"}')) ?? 0) > 0);

    const away = createRegistry();
    const failing = () => Promise.reject(new RetryableError('away'));
    exportStreams(away, { readers: failing, streams: failing, messages: failing });
    assert.equal(await valueOf(away, 'tsd_stream_messages{stream="CHAIN_7"}'), undefined);
  });

  it('report how a reader gets on: lag, time, repetitions, retries', async () => {
    await ensureStreams(connection, [8]);
    await publish(8, [1, 2, 3], 10);
    // Another process took the messages and died: they are delivered again.
    const dead = await connection.jetstream().consumers.get(chainStream(8), 'scorer');
    for await (const _message of await dead.fetch({ max_messages: 3, expires: 2_000 }));
    const registry = createRegistry({ chain: '8' });
    const stop = new AbortController();
    let failures = 0;
    const parts = { connection, chainId: 8, clock: systemClock, logger: silentLogger };
    await consumeChain(
      {
        ...parts,
        reader: 'scorer',
        meter: createReaderMetrics(registry),
        handle: async (batch) => {
          if (failures === 0) {
            failures += 1;
            throw new RetryableError('away');
          }
          const last = batch.at(-1)?.event;
          if (last?.kind === 'blocks' && last.to.number === 3) stop.abort();
        },
      },
      stop.signal,
    );
    const chain = '{chain="8"}';
    assert.equal(await valueOf(registry, `tsd_reader_lag_blocks${chain}`), 7);
    assert.equal(await valueOf(registry, `tsd_reader_block_timestamp_seconds${chain}`), 1_003);
    assert.equal(await valueOf(registry, `tsd_reader_messages_total${chain}`), 3);
    assert.equal(await valueOf(registry, `tsd_reader_retries_total${chain}`), 1);
    const again = await valueOf(registry, `tsd_reader_redelivered_messages_total${chain}`);
    assert.ok((again ?? 0) >= 3);
  });

  it('report inserts, their rows and what failed', async () => {
    const registry = createRegistry();
    const meter = createClickhouseMetrics(registry);
    const database: Clickhouse = createClickhouse({ url: clickhouse.url, meter });
    await database.exec('CREATE TABLE metered (a UInt8) ENGINE = MergeTree ORDER BY a');
    await database.insert('metered', [{ a: 1 }, { a: 2 }]);
    await database.insert('metered', []);
    await database.insertBinary('metered', ['a'], new Uint8Array([3, 4, 5]));
    await database.query('SELECT a FROM metered', {}, z.object({ a: z.number() }));
    await assert.rejects(database.query('SELECT nonsense', {}, z.object({})));
    await database.close();
    const table = '{table="metered"}';
    assert.equal(await valueOf(registry, `tsd_clickhouse_inserted_rows_total${table}`), 5);
    assert.equal(await valueOf(registry, `tsd_clickhouse_insert_seconds_count${table}`), 2);
    assert.equal(await valueOf(registry, 'tsd_clickhouse_query_seconds_count'), 2);
    const errors = 'tsd_clickhouse_errors_total{operation="query",kind=';
    assert.equal(await valueOf(registry, `${errors}"fatal"}`), 1);
    assert.equal(await valueOf(registry, `${errors}"retry"}`), 0);
  });
});
