import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WatchChanged, WatchItem } from '../../../shared/messages/watchMessage.ts';
import { TOKEN, watchItem } from '../testing/chainBuilder.ts';
import { createWatchIndex } from './watchIndex.ts';

const added = (item: WatchItem): WatchChanged => ({ v: 1, change: 'added', item });
const removed = (item: WatchItem): WatchChanged => ({ v: 1, change: 'removed', item });

const setup = (pages: readonly (readonly WatchItem[])[], during: readonly WatchChanged[] = []) => {
  let send: (change: WatchChanged) => void = () => assert.fail('nobody listens');
  const index = createWatchIndex(
    {
      listen: async (onChange) => {
        send = onChange;
      },
      snapshot: async function* () {
        for (const page of pages) {
          yield page;
          for (const change of during) send(change);
        }
      },
    },
    1,
  );
  const ids = () => index.find(TOKEN).map(({ id }) => id);
  return { index, ids, send: (change: WatchChanged) => send(change) };
};

describe('watchIndex', () => {
  const [one, two] = [watchItem({ id: 1 }), watchItem({ id: 2 })];

  it('holds the snapshot and then every change', async () => {
    const { index, ids, send } = setup([[one]]);
    await index.load();
    assert.deepEqual(ids(), [1]);
    send(added(two));
    send(added(two));
    assert.deepEqual(new Set(ids()), new Set([1, 2]));
    send(removed(one));
    assert.deepEqual(ids(), [2]);
    assert.equal(index.counts().items, 1);
  });

  it('keeps an item that came while the snapshot was read', async () => {
    const { index, ids } = setup([[one]], [added(two)]);
    await index.load();
    assert.deepEqual(new Set(ids()), new Set([1, 2]));
  });

  it('does not bring back an item that went before its page of the snapshot came', async () => {
    const { index, ids } = setup([[two], [one]], [removed(one)]);
    await index.load();
    assert.deepEqual(ids(), [2]);
  });

  it('keeps out an item whose removal overtook its addition', async () => {
    const { index, ids, send } = setup([]);
    await index.load();
    send(removed(one));
    send(added(one));
    assert.deepEqual(ids(), []);
  });

  it('is put right by another load after a change was lost', async () => {
    const pages = [[one]];
    const { index, ids } = setup(pages);
    await index.load();
    pages.splice(0, 1, [two]);
    await index.load();
    assert.deepEqual(ids(), [2]);
  });

  it('keeps an item that came between the ends of two loads asked for at the same time', async () => {
    const ends: (() => void)[] = [];
    let send: (change: WatchChanged) => void = () => assert.fail('nobody listens');
    const index = createWatchIndex(
      {
        listen: async (onChange) => {
          send = onChange;
        },
        snapshot: async function* () {
          yield [one];
          await new Promise<void>((resolve) => ends.push(resolve));
        },
      },
      1,
    );
    const end = async (): Promise<void> => {
      while (ends.length === 0) await new Promise((resolve) => setImmediate(resolve));
      ends.shift()?.();
    };
    const loads = [index.load(), index.load()];
    await end();
    await loads[0];
    while (ends.length === 0) await new Promise((resolve) => setImmediate(resolve));
    send(added(two));
    await end();
    await loads[1];
    assert.deepEqual(new Set(index.find(TOKEN).map(({ id }) => id)), new Set([1, 2]));
  });
});
