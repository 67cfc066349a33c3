import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import { createSecretBox } from '../../../shared/platform/secretBox.ts';
import { startCache } from '../../../shared/testing/stores.ts';
import { answerOnce, createIdempotency, type Idempotency } from './idempotency.ts';

const WAIT_MS_MAX = 30_000;
const POLL_MS = 50;

const { redis, stop } = await startCache();
after(stop);

describe('idempotency keys', () => {
  /** As of a process of the API. */
  const openIdempotency = (): Idempotency =>
    createIdempotency({ redis, box: createSecretBox('p'.repeat(32)) });
  beforeEach(() => redis.flushdb());

  it('are free again seconds after the process of their request died', async () => {
    const startedMs = Date.now();
    assert.deepEqual(await openIdempotency().begin('crash', 'a'), { kind: 'new' });
    const other = openIdempotency();
    assert.deepEqual(await other.begin('crash', 'a'), { kind: 'running' });
    while ((await other.begin('crash', 'a')).kind !== 'new') {
      assert.ok(Date.now() - startedMs < WAIT_MS_MAX);
      await sleep(POLL_MS);
    }
  });

  it('are claimed for as long as their request runs, and their answer is kept for a day', async () => {
    const ctx = { method: 'POST', path: '/slow', headers: { 'idempotency-key': 'slow-1' } };
    let end = (): void => undefined;
    const running = new Promise<void>((resolve) => (end = resolve));
    const idempotency = openIdempotency();
    const once = () =>
      answerOnce({
        ctx: ctx as unknown as Context,
        idempotency,
        family: 'family',
        body: {},
        work: async () => {
          await running;
          return { body: { answer: 1 } };
        },
      });
    const first = once();
    const claimed = async (): Promise<string> => {
      const [key] = await redis.keys('replay:*');
      if (key !== undefined) return key;
      await sleep(POLL_MS);
      return claimed();
    };
    const key = await claimed();
    // Older than it can become.
    await redis.pexpire(key, 4_000);
    const startedMs = Date.now();
    while ((await redis.pttl(key)) < 5_000) {
      assert.ok(Date.now() - startedMs < WAIT_MS_MAX, 'not renewed');
      await sleep(POLL_MS);
    }
    await assert.rejects(once(), /still running/);
    end();
    const reply = await first;
    assert.deepEqual('body' in reply && reply.body, { answer: 1 });
    // As of a process that was busy, and whose claim another one has taken and answered.
    await idempotency.renew(key.slice('replay:'.length));
    assert.ok((await redis.ttl(key)) > 23 * 3_600);
    const again = await once();
    assert.equal(again.headers?.['Idempotency-Replayed'], 'true');
  });
});
