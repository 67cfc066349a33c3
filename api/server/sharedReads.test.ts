import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSharedReads, joinLists, joinLookups } from './sharedReads.ts';

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
    /** Number of the read that gave the answer. */
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

  it('do not serve what changed, nor what was being read then', async () => {
    const { ask, outdate } = setup();
    assert.equal(await ask(), 1);
    outdate('a');
    const read = ask();
    outdate('a');
    assert.deepEqual(await Promise.all([read, ask()]), [2, 3]);
    assert.equal(await ask(), 3);
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

const LIMITS = { queriesMax: 1, keysMax: 3 };

/** Queries that end when the test says so. */
const heldQueries = () => {
  const asked: number[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const load = (keys: readonly number[]): Promise<Map<number, string>> => {
    asked.push([...keys]);
    return new Promise((resolve, reject) => {
      ends.push((error) => {
        if (error) reject(error);
        else resolve(new Map(keys.filter((key) => key > 0).map((key) => [key, `value ${key}`])));
      });
    });
  };
  return { asked, load, end: (index: number, error?: Error) => ends[index]?.(error) };
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('joinLookups', () => {
  it('asks at once, and together for what comes meanwhile', async () => {
    const { asked, load, end } = heldQueries();
    const find = joinLookups(load, LIMITS);
    const first = find(1);
    await turn();
    const others = [find(2), find(-3)];
    await turn();
    assert.deepEqual(asked, [[1]]);
    end(0);
    assert.equal(await first, 'value 1');
    await turn();
    assert.deepEqual(asked, [[1], [2, -3]]);
    end(1);
    assert.deepEqual(await Promise.all(others), ['value 2', undefined]);
  });

  it('asks again for a key that is being asked for: an answer is not older than its question', async () => {
    const { asked, load, end } = heldQueries();
    const find = joinLookups(load, LIMITS);
    const first = find(1);
    await turn();
    const second = find(1);
    end(0);
    await first;
    await turn();
    end(1);
    assert.equal(await second, 'value 1');
    assert.deepEqual(asked, [[1], [1]]);
  });

  it('asks for so many keys and not more', async () => {
    const { asked, load, end } = heldQueries();
    const find = joinLookups(load, LIMITS);
    const all = Promise.all([1, 2, 3, 4].map(find));
    await turn();
    end(0);
    await turn();
    await turn();
    end(1);
    assert.equal((await all).length, 4);
    assert.deepEqual(asked, [[1, 2, 3], [4]]);
  });

  it('fails those that were asked together, and goes on', async () => {
    const { load, end } = heldQueries();
    const find = joinLookups(load, LIMITS);
    const failed = [find(1), find(2)];
    await turn();
    end(0, new Error('away'));
    for (const each of failed) await assert.rejects(each, /away/);
    const next = find(3);
    await turn();
    end(1);
    assert.equal(await next, 'value 3');
  });
});

describe('joinLists', () => {
  it('asks for lists together, each key once, and for what is too much with the next query', async () => {
    const { asked, load, end } = heldQueries();
    const find = joinLists(load, LIMITS);
    const both = [find([1, 2]), find([2, 3, 4])] as const;
    await turn();
    assert.deepEqual(asked, [[1, 2, 3]]);
    end(0);
    assert.equal((await both[0]).get(2), 'value 2');
    await turn();
    end(1);
    assert.deepEqual(asked[1], [4]);
    const found = await both[1];
    assert.deepEqual(
      [2, 3, 4].map((key) => found.get(key)),
      ['value 2', 'value 3', 'value 4'],
    );
  });

  it('asks nothing for an empty list', async () => {
    const { asked, load } = heldQueries();
    assert.equal((await joinLists(load, LIMITS)([])).size, 0);
    assert.deepEqual(asked, []);
  });
});
