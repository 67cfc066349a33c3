import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { startCache } from '../../shared/testing/stores.ts';
import { createReadMarks, READ_MARKS_MAX } from './createAlerts.ts';

const FAMILY = 'fam';

const { server, redis, stop } = await startCache();
after(stop);

describe('read marks', () => {
  beforeEach(() => redis.flushall());

  it('are of one family, and each is kept once', async () => {
    const marks = createReadMarks(redis);
    const alert = { id: 2 ** 53 - 1, createdAtMs: 1_000 };
    await marks.add(FAMILY, alert, 0);
    await marks.add(FAMILY, alert, 0);
    assert.deepEqual(await marks.ids(FAMILY), [alert.id]);
    assert.deepEqual(await marks.ids('other'), []);
  });

  it('go with alerts that are not kept any more', async () => {
    const marks = createReadMarks(redis);
    for (const id of [1, 2, 3]) await marks.add(FAMILY, { id, createdAtMs: id * 1_000 }, 0);
    await marks.add(FAMILY, { id: 4, createdAtMs: 4_000 }, 2_000);
    assert.deepEqual(await marks.ids(FAMILY), [4, 3, 2]);
  });

  it('are at most so many: those of the oldest alerts go', async () => {
    const marks = createReadMarks(redis);
    const some = Array.from({ length: READ_MARKS_MAX }, (_, n) => [n + 1, String(n + 1)]);
    await redis.zadd(`alert-reads:${FAMILY}`, ...some.flat());
    await marks.add(FAMILY, { id: READ_MARKS_MAX + 1, createdAtMs: READ_MARKS_MAX + 1 }, 0);
    const ids = await marks.ids(FAMILY);
    assert.deepEqual([ids.length, ids.at(0), ids.at(-1)], [READ_MARKS_MAX, READ_MARKS_MAX + 1, 2]);
  });

  it('are not lost in silence while Redis is away', async () => {
    const marks = createReadMarks(redis);
    await server.kill();
    await assert.rejects(marks.add(FAMILY, { id: 1, createdAtMs: 1 }, 0), /Redis/);
    await assert.rejects(marks.ids(FAMILY), /Redis/);
  });
});
