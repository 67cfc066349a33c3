import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSharedReads } from './sharedReads.ts';

const setup = (keptBytesMax?: number) => {
  let nowMs = 1_000_000;
  let reads = 0;
  const { share, outdate } = createSharedReads({
    now: () => nowMs,
    ...(keptBytesMax === undefined ? {} : { keptBytesMax }),
  });
  return {
    outdate,
    wait: (ms: number) => {
      nowMs += ms;
    },
    /** Number of the read that answered. */
    ask: (key = 'a') =>
      share(key, async () => {
        reads += 1;
        return reads;
      }),
    fail: () => share('a', () => Promise.reject(new Error('away'))),
  };
};

describe('shared reads', () => {
  it('serve those who ask at the same time, and for a second after', async () => {
    const { ask, wait } = setup();
    assert.deepEqual(await Promise.all([ask(), ask(), ask('b')]), [1, 1, 2]);
    wait(999);
    assert.equal(await ask(), 1);
    wait(1);
    assert.equal(await ask(), 3);
  });

  it('serve for a quarter of it once the data has changed', async () => {
    const { ask, wait, outdate } = setup();
    assert.equal(await ask(), 1);
    wait(200);
    outdate();
    assert.equal(await ask(), 1);
    wait(50);
    assert.equal(await ask(), 2);
    wait(999);
    assert.equal(await ask(), 2);
  });

  it('report failures to all callers, and ask again', async () => {
    const { ask, fail } = setup();
    const answers = await Promise.allSettled([fail(), ask()]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await ask(), 1);
  });

  it('keep so many bytes, the last asked for', async () => {
    const { ask } = setup(9);
    for (const key of ['a', 'b', 'c', 'd']) await ask(key);
    assert.equal(await ask('d'), 4);
    assert.equal(await ask('a'), 5);
  });
});
