import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { Context } from 'koa';
import { createSecretBox } from '../../../shared/platform/secretBox.ts';
import { until } from '../../../shared/testing/pipelineProcess.ts';
import { startCache } from '../../../shared/testing/stores.ts';
import { answerOnce, createIdempotency, type Idempotency } from './idempotency.ts';

const WAIT_MS_MAX = 30_000;

const { redis, stop } = await startCache();
after(stop);

describe('idempotency keys', () => {
  /** The view of one API process. */
  const openIdempotency = (): Idempotency =>
    createIdempotency({ redis, box: createSecretBox('p'.repeat(32)) });
  beforeEach(() => redis.flushdb());

  it('are free again seconds after the process of their request died', async () => {
    assert.deepEqual(await openIdempotency().begin('crash', 'a'), { kind: 'new' });
    const other = openIdempotency();
    assert.deepEqual(await other.begin('crash', 'a'), { kind: 'running' });
    const isFree = async () => (await other.begin('crash', 'a')).kind === 'new' || undefined;
    await until('the key is free', isFree, WAIT_MS_MAX);
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
    const claimed = async () => (await redis.keys('replay:*'))[0];
    const key = await until('the key is claimed', claimed, WAIT_MS_MAX);
    // Older than it can become.
    await redis.pexpire(key, 4_000);
    const isRenewed = async () => (await redis.pttl(key)) >= 5_000 || undefined;
    await until('the claim is renewed', isRenewed, WAIT_MS_MAX);
    await assert.rejects(once(), /still running/);
    end();
    const reply = await first;
    assert.deepEqual('body' in reply && reply.body, { answer: 1 });
    // The view of a process that was stalled, and whose claim another one has taken and completed.
    await idempotency.renew(key.slice('replay:'.length));
    assert.ok((await redis.ttl(key)) > 23 * 3_600);
    const again = await once();
    assert.equal(again.headers?.['Idempotency-Replayed'], 'true');
  });
});
