import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { WatchItem } from '../../../shared/messages/watchMessage.ts';
import { TOKEN, watchItem } from '../testing/chainBuilder.ts';
import { createWatchIndex, type Watch } from './watchIndex.ts';

const pagesOf = async function* (pages: readonly (readonly WatchItem[])[]) {
  yield* pages;
};

const numbered = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`;
const numberedItem = (id: number, changes: Partial<Watch> = {}): Watch => {
  const { createdAtMs: _createdAtMs, ...watch } = watchItem({
    id,
    address: numbered(id),
    ...changes,
  });
  return watch;
};

describe('watchIndex', () => {
  const [one, two] = [watchItem({ id: 1 }), watchItem({ id: 2 })];
  const setup = () => {
    const index = createWatchIndex();
    return { index, ids: () => new Set(index.find(TOKEN).map(({ id }) => id)) };
  };

  it('holds what was loaded and then every change, repeated or not', async () => {
    const { index, ids } = setup();
    await index.load(pagesOf([[one]]));
    assert.deepEqual(ids(), new Set([1]));
    for (let times = 0; times < 2; times += 1) {
      index.apply({ change: 'added', item: two });
      assert.deepEqual(ids(), new Set([1, 2]));
    }
    for (let times = 0; times < 2; times += 1) {
      index.apply({ change: 'removed', item: one });
      assert.deepEqual(ids(), new Set([2]));
    }
    assert.equal(index.counts().items, 1);
  });

  it('finds the former items until everything is loaded again', async () => {
    const { index, ids } = setup();
    await index.load(pagesOf([[one]]));
    const watching = async function* () {
      yield [two];
      assert.deepEqual(ids(), new Set([1]));
    };
    await index.load(watching());
    assert.deepEqual(ids(), new Set([2]));
  });

  it('keeps the former items where loading fails', async () => {
    const { index, ids } = setup();
    await index.load(pagesOf([[one]]));
    const failing = async function* () {
      yield [two];
      throw new Error('away');
    };
    await assert.rejects(index.load(failing()), /away/);
    assert.deepEqual(ids(), new Set([1]));
  });

  it('gives back what was put in', () => {
    const { index } = setup();
    const all = [
      numberedItem(1, { sensitivity: 'low', alerts: ['cluster_activity'] }),
      numberedItem(2, { type: 'wallet', sensitivity: 'high', alerts: [] }),
      numberedItem(Number.MAX_SAFE_INTEGER, { address: numbered(3), family: 'other' }),
    ];
    for (const item of all) index.apply({ change: 'added', item });
    for (const item of all) assert.deepEqual(index.find(item.address), [item]);
    assert.deepEqual(index.find(numbered(4)), []);
  });

  it('keeps items of one address apart by family and id', () => {
    const { index } = setup();
    const shared = numbered(9);
    const add = (item: Watch): void => index.apply({ change: 'added', item });
    const first = numberedItem(1, { address: shared });
    for (const item of [first, first]) add(item);
    add(numberedItem(1, { address: shared, family: 'other' }));
    add(numberedItem(11, { address: shared }));
    assert.equal(index.counts().items, 3);
    for (let times = 0; times < 2; times += 1) index.apply({ change: 'removed', item: first });
    assert.equal(index.counts().items, 2);
    assert.deepEqual(
      index
        .find(shared)
        .map(({ family, id }) => `${family} ${id}`)
        .toSorted(),
      ['fam1 11', 'other 1'],
    );
  });

  it('holds the same as a map after many changes', () => {
    const { index } = setup();
    const expected = new Map<number, Watch>();
    for (let step = 0; step < 60_000; step += 1) {
      const id = Math.imul(step, 2_654_435_761) >>> 16;
      const item = numberedItem(id, { family: `fam${id % 50}` });
      const isRemoved = step % 3 === 2;
      index.apply({ change: isRemoved ? 'removed' : 'added', item });
      if (isRemoved) expected.delete(id);
      else expected.set(id, item);
    }
    assert.equal(index.counts().items, expected.size);
    for (let id = 0; id < 65_536; id += 7) {
      const item = expected.get(id);
      assert.deepEqual(index.find(numbered(id)), item ? [item] : []);
    }
  });
});
