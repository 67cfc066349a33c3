import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { answersRedis } from '../../deploy/local/probes.ts';
import { connectNats } from '../platform/nats.ts';
import { fileOf, textArgs, until } from './pipelineProcess.ts';
import { type Service, startNats, startRedis } from './services.ts';

/**
 * More than three quarters of the free space on most machines: by default NATS would neither create nor restore such
 * a stream.
 */
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

  it('the server dies with a test process that is killed', async () => {
    const script = `
      import { startRedis } from '${fileOf('shared/testing/services.ts')}';
      console.log((await startRedis()).url);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, textArgs(script), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    const url = chunk.toString().trim();
    assert.match(url, /^redis:/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const isGone = async () => !(await answersRedis(url)) || undefined;
    await until('the server ends', isGone, 60_000);
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
