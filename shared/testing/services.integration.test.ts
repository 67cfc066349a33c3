import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { Redis } from 'ioredis';
import { createTestClient, http, publicActions } from 'viem';
import { connectNats } from '../platform/nats.ts';
import { type Service, startAnvil, startClickhouse, startNats, startRedis } from './services.ts';

/** Refused statements are expected here. */
const QUIET = { level: ClickHouseLogLevel.OFF };

/** More than three quarters of what is free on most machines: NATS would take no such stream by itself, nor restore it. */
const STREAM_BYTES = 60 * 1024 ** 3;

const using = async <S extends Service>(
  start: () => Promise<S>,
  work: (service: S) => Promise<void>,
): Promise<void> => {
  const service = await start();
  try {
    await work(service);
  } finally {
    await service.stop();
  }
};

describe('services', () => {
  it('NATS keeps confirmed messages over a kill', () =>
    using(startNats, async (service) => {
      const before = await connectNats(service.url, 'test');
      const manager = await before.jetstreamManager();
      await manager.streams.add({ name: 'S', subjects: ['s.>'] });
      await before.jetstream().publish('s.1', 'kept');
      await service.kill();
      await before.close();
      await service.restart();
      const after = await connectNats(service.url, 'test');
      const message = await (await after.jetstreamManager()).streams.getMessage('S', { seq: 1 });
      assert.equal(message.string(), 'kept');
      await after.close();
    }));

  it('NATS keeps streams that may grow beyond what is free, as a disk that fills up makes of all', () =>
    using(startNats, async (service) => {
      const connection = await connectNats(service.url, 'test');
      try {
        const manager = await connection.jetstreamManager();
        await manager.streams.add({ name: 'S', subjects: ['s.>'], max_bytes: STREAM_BYTES });
      } finally {
        await connection.close();
      }
    }));

  it('Redis keeps confirmed writes over a kill and never evicts', () =>
    using(startRedis, async (service) => {
      const open = () => new Redis(service.url, { retryStrategy: () => null });
      const before = open().on('error', () => undefined);
      await before.set('key', 'kept');
      await service.kill();
      before.disconnect();
      await service.restart();
      const after = open();
      assert.equal(await after.get('key'), 'kept');
      assert.deepEqual(await after.config('GET', 'maxmemory-policy'), [
        'maxmemory-policy',
        'noeviction',
      ]);
      assert.deepEqual(await after.config('GET', 'appendfsync'), ['appendfsync', 'always']);
      after.disconnect();
    }));

  it('ClickHouse keeps inserted rows over a kill, and analysts only read views', () =>
    using(startClickhouse, async (service) => {
      const app = createClient({ url: service.url, log: QUIET });
      await app.command({ query: 'CREATE TABLE fact_t (n UInt8) ENGINE = MergeTree ORDER BY n' });
      await app.command({
        query: 'CREATE VIEW transfers SQL SECURITY DEFINER AS SELECT n FROM fact_t',
      });
      await app.insert({ table: 'fact_t', values: [{ n: 7 }], format: 'JSONEachRow' });
      await service.kill();
      await service.restart();
      const analyst = createClient({ url: service.analystUrl, log: QUIET });
      const rows = await analyst.query({ query: 'SELECT n FROM transfers', format: 'JSONEachRow' });
      assert.deepEqual(await rows.json(), [{ n: 7 }]);
      await assert.rejects(analyst.command({ query: 'SELECT n FROM fact_t' }), /privileges/i);
      await assert.rejects(analyst.command({ query: 'DROP TABLE fact_t' }), /privileges|readonly/i);
      await assert.rejects(analyst.command({ query: 'SET max_threads = 8' }), /readonly/i);
      await Promise.all([app.close(), analyst.close()]);
    }));

  it('Anvil mines on demand and keeps its chain over a restart', () =>
    using(
      () => startAnvil({ chainId: 777 }),
      async (service) => {
        const client = createTestClient({ mode: 'anvil', transport: http(service.url) }).extend(
          publicActions,
        );
        await client.mine({ blocks: 3 });
        await service.restart();
        assert.equal(await client.getBlockNumber({ cacheTime: 0 }), 3n);
        assert.equal(await client.getChainId(), 777);
      },
    ));

  it('the server dies with a test process that is killed', async () => {
    const script = `
      import { startRedis } from ${JSON.stringify(import.meta.resolve('./services.ts'))};
      console.log((await startRedis()).url);
      setInterval(() => {}, 1000);`;
    const child = spawn(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', script],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    const url = chunk.toString().trim();
    assert.match(url, /^redis:/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const deadline = Date.now() + 60_000;
    for (;;) {
      const redis = new Redis(url, { retryStrategy: () => null, lazyConnect: true });
      redis.on('error', () => undefined);
      const isUp = await redis.connect().then(
        () => true,
        () => false,
      );
      redis.disconnect();
      if (!isUp) break;
      assert.ok(Date.now() < deadline, 'the server still runs');
      await sleep(20);
    }
  });

  it('stop removes the data', async () => {
    const service = await startRedis();
    const redis = new Redis(service.url);
    const [, folder] = (await redis.config('GET', 'dir')) as string[];
    redis.disconnect();
    assert.ok(folder !== undefined && existsSync(folder));
    await service.stop();
    assert.equal(existsSync(folder), false);
  });
});
