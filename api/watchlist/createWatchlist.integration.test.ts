import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type WatchChanged,
  type WatchItem,
  watchChangedSchema,
} from '../../shared/messages/watchMessage.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import { connectRedis } from '../../shared/platform/redis.ts';
import { startCache } from '../../shared/testing/stores.ts';
import { clickhouse as database, emptyTables } from '../../shared/testing/tables.ts';
import { addressOf } from '../testing/fakePorts.ts';
import { createWatchlist, type NewWatch } from './createWatchlist.ts';

const { redis, stop } = await startCache();
after(stop);

describe('watchlist in Redis', () => {
  before(emptyTables);
  let families = 0;
  const setup = () => {
    const watchlist = createWatchlist({ database, redis, chainId: 1, clock: systemClock });
    families += 1;
    const family = `fam_${families}`;
    const watch = (byte: number): NewWatch => ({
      family,
      type: 'token',
      address: addressOf(byte),
      alerts: ['rug_pull', 'mint'],
      sensitivity: 'high',
    });
    const list = () => watchlist.list({ family, limit: 100, offset: 0 });
    const changes = async (): Promise<WatchChanged[]> =>
      (await redis.xrange('changes', '-', '+'))
        .map(([, [, text = '']]) => watchChangedSchema.parse(JSON.parse(text)))
        .filter(({ item }) => item.family === family);
    return { watchlist, changes, watch, list };
  };

  it('stores an item, announces it, and forgets it on removal', async () => {
    const { watchlist, changes, watch, list } = setup();
    const added = await watchlist.add(watch(0xfe), 10);
    assert.ok(added.kind === 'added');
    assert.deepEqual((await list()).items, [added.item]);
    assert.deepEqual(await changes(), [{ v: 1, change: 'added', item: added.item }]);
    assert.equal(await watchlist.remove('fam_stranger', added.item.id), false);
    assert.equal(await watchlist.remove(added.item.family, added.item.id), true);
    assert.deepEqual((await list()).items, []);
    assert.equal(await watchlist.remove(added.item.family, added.item.id), false);
    assert.deepEqual(
      (await changes()).map(({ change }) => change),
      ['added', 'removed'],
    );
  });

  it('keeps an item that asks for no alerts', async () => {
    const { watchlist, watch, list } = setup();
    const added = await watchlist.add({ ...watch(1), alerts: [] }, 10);
    assert.ok(added.kind === 'added');
    assert.deepEqual((await list()).items, [added.item]);
  });

  it('holds each address once, also when many ask together', async () => {
    const { watchlist, changes, watch, list } = setup();
    const all = await Promise.all(Array.from({ length: 8 }, () => watchlist.add(watch(1), 10)));
    const ids = all.map((each) => (each.kind === 'full' ? 0 : each.item.id));
    assert.equal(all.filter(({ kind }) => kind === 'added').length, 1);
    assert.equal(all.filter(({ kind }) => kind === 'exists').length, 7);
    assert.equal(new Set(ids).size, 1);
    assert.equal((await list()).total, 1);
    assert.equal((await changes()).length, 1);
    assert.equal((await watchlist.add({ ...watch(1), type: 'wallet' }, 10)).kind, 'added');
  });

  it('never exceeds the cap, also when many ask together', async () => {
    const { watchlist, watch, list } = setup();
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, index) => watchlist.add(watch(index + 1), 3)),
    );
    assert.equal(all.filter(({ kind }) => kind === 'added').length, 3);
    assert.equal(all.filter(({ kind }) => kind === 'full').length, 5);
    assert.equal((await list()).total, 3);
  });

  it('removes an item once, also when many ask together', async () => {
    const { watchlist, changes, watch } = setup();
    const added = await watchlist.add(watch(1), 10);
    assert.ok(added.kind === 'added');
    const { family, id, address } = added.item;
    const all = await Promise.all([
      ...Array.from({ length: 4 }, () => watchlist.remove(family, id)),
      ...Array.from({ length: 4 }, async () => {
        return (await watchlist.removeAddress(family, address, ['token', 'wallet'])) === 1;
      }),
    ]);
    assert.equal(all.filter(Boolean).length, 1);
    assert.equal((await changes()).length, 2);
  });

  it('gives ids that reveal neither how many there are nor the next one, and pages newest first', async () => {
    const { watchlist, watch, list } = setup();
    const added: WatchItem[] = [];
    for (let byte = 1; byte <= 12; byte += 1) {
      const each = await watchlist.add(watch(byte), 12);
      assert.ok(each.kind === 'added');
      added.push(each.item);
    }
    const ids = added.map(({ id }) => id);
    assert.ok(ids.every((id) => Number.isSafeInteger(id) && id > 0));
    // The probability that 12 random ones are all below 2^33 is 1 in 2^240.
    assert.ok(Math.max(...ids) > 2 ** 33, ids.join());
    assert.equal(new Set(ids).size, 12);
    const inOrder = ids.toSorted((a, b) => a - b);
    assert.notDeepEqual(inOrder, ids);
    const { items } = await list();
    const times = items.map(({ createdAtMs }) => createdAtMs);
    assert.deepEqual(
      times,
      added.map(({ createdAtMs }) => createdAtMs).toSorted((a, b) => b - a),
    );
    const { family } = watch(0);
    const paged: WatchItem[] = [];
    for (;;) {
      const page = await watchlist.list({ family, limit: 5, offset: 0, before: paged.at(-1) });
      if (page.items.length === 0) break;
      paged.push(...page.items);
    }
    assert.deepEqual(paged, items);
    const { items: second } = await watchlist.list({ family, limit: 5, offset: 5 });
    assert.deepEqual(second, items.slice(5, 10));
    assert.equal((await watchlist.list({ family, type: 'wallet', limit: 5, offset: 0 })).total, 0);
  });

  it('fails for the moment while Redis is away, and has changed nothing', async () => {
    const away = connectRedis('redis://127.0.0.1:1/0');
    away.on('error', () => undefined);
    const watchlist = createWatchlist({ database, redis: away, chainId: 1, clock: systemClock });
    const { watch, list } = setup();
    await assert.rejects(watchlist.add(watch(1), 10), RetryableError);
    await assert.rejects(watchlist.remove('fam', 1), RetryableError);
    assert.equal((await list()).total, 0);
    away.disconnect();
  });
});
