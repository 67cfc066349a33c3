import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WatchItem } from '../../../shared/messages/watchMessage.ts';
import { TOKEN, watchItem } from '../testing/chainBuilder.ts';
import { createWatchIndex } from './watchIndex.ts';

const pagesOf = async function* (pages: readonly (readonly WatchItem[])[]) {
  yield* pages;
};

describe('watchIndex', () => {
  const [one, two] = [watchItem({ id: 1 }), watchItem({ id: 2 })];
  const setup = () => {
    const index = createWatchIndex(1);
    return { index, ids: () => new Set(index.find(TOKEN).map(({ id }) => id)) };
  };

  it('holds what was loaded and then every change, repeated or not', async () => {
    const { index, ids } = setup();
    await index.load(pagesOf([[one]]));
    assert.deepEqual(ids(), new Set([1]));
    for (let times = 0; times < 2; times += 1) {
      index.apply({ v: 1, change: 'added', item: two });
      assert.deepEqual(ids(), new Set([1, 2]));
    }
    for (let times = 0; times < 2; times += 1) {
      index.apply({ v: 1, change: 'removed', item: one });
      assert.deepEqual(ids(), new Set([2]));
    }
    assert.equal(index.counts().items, 1);
  });

  it('finds the former items until everything is loaded anew', async () => {
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
});
