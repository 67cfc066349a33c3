import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { startCache } from '../../shared/testing/stores.ts';
import { createFamilyRecords } from './familyRecords.ts';

const FAMILY = 'fam';
const NAME = 'one';

const { redis, stop } = await startCache();
after(stop);

describe('family records', () => {
  beforeEach(() => redis.flushall());

  const records = () => createFamilyRecords(redis, { prefix: 'records:', kind: 'settings' });
  const announced = async (): Promise<unknown[]> =>
    (await redis.xrange('changes', '-', '+')).map(([id, [kind, message = '']]) => [
      id,
      kind,
      JSON.parse(message) as unknown,
    ]);

  it('are changed and announced together, or neither', async () => {
    const store = records();
    const change = (before: string | undefined, after: string | undefined, name = NAME) =>
      store.change({ family: FAMILY, name, before, after, message: { after }, recordsMax: 1 });
    assert.deepEqual(await change('a', 'b'), { kind: 'differs', stored: undefined });
    assert.deepEqual(await change(undefined, 'a'), { kind: 'changed' });
    assert.deepEqual(await change(undefined, 'b'), { kind: 'differs', stored: 'a' });
    assert.deepEqual(await change(undefined, 'b', 'two'), { kind: 'full' });
    assert.deepEqual(await change('a', 'b'), { kind: 'changed' });
    assert.equal(await store.find(FAMILY, NAME), 'b');
    assert.deepEqual(await change('b', undefined), { kind: 'changed' });
    assert.equal(await store.find(FAMILY, NAME), undefined);
    assert.deepEqual(await announced(), [
      ['1-0', 'settings', { after: 'a' }],
      ['2-0', 'settings', { after: 'b' }],
      ['3-0', 'settings', {}],
    ]);
  });

  it('lose no change of many made at once, and announce them in their order', async () => {
    const store = records();
    const add = () =>
      store.edit(FAMILY, NAME, (stored) => {
        const count = Number(stored ?? 0) + 1;
        return { after: String(count), message: { count } };
      });
    const made = await Promise.all(Array.from({ length: 30 }, add));
    assert.ok(made.every(Boolean));
    assert.equal(await store.find(FAMILY, NAME), '30');
    assert.deepEqual(
      await announced(),
      Array.from({ length: 30 }, (_, i) => [`${i + 1}-0`, 'settings', { count: i + 1 }]),
    );
  });

  it('stay as they are where an edit says so', async () => {
    const store = records();
    assert.equal(await store.edit(FAMILY, NAME, () => undefined), false);
    assert.deepEqual([await store.all(FAMILY), await announced()], [new Map(), []]);
  });

  it('are shown whole in pages, and those of other keys not', async () => {
    const store = records();
    await redis.hset('recordings:fam', 'x', 'y');
    const names = Array.from({ length: 300 }, (_, i) => `family${i}`);
    for (const family of names) {
      await store.change({ family, name: NAME, before: undefined, after: family, message: {} });
    }
    const found = new Map<string, string | undefined>();
    for await (const page of store.pages()) {
      for (const { family, records: own } of page) found.set(family, own.get(NAME));
    }
    assert.deepEqual([...found.keys()].toSorted(), names.toSorted());
    assert.ok([...found].every(([family, text]) => family === text));
  });
});
