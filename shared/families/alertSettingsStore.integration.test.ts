import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startCache } from '../testing/stores.ts';
import { createAlertSettingsStore, createSettingsIndex } from './alertSettingsStore.ts';

const { redis, stop } = await startCache();
after(stop);

describe('alert settings', () => {
  it('of all families are found where one holds a threshold that JSON cannot write', async () => {
    const store = createAlertSettingsStore(redis);
    const thresholds = { creator_sell_usd: Number.POSITIVE_INFINITY, price_drop: 0.3 };
    await store.update('endless', () => ({ thresholds }));
    await store.update('other', () => ({ enabled: false }));
    const index = createSettingsIndex(store);
    await index.load();
    assert.deepEqual(index.of('endless'), { thresholds: { price_drop: 0.3 } });
    assert.deepEqual(index.of('other'), { enabled: false });
    await store.update('endless', (overrides) => ({ ...overrides, enabled: true }));
    assert.deepEqual(await store.read('endless'), {
      thresholds: { price_drop: 0.3 },
      enabled: true,
    });
    index.apply(JSON.stringify({ v: 1, family: 'third', overrides: { thresholds } }));
    assert.deepEqual(index.of('third'), { thresholds: { price_drop: 0.3 } });
  });
});
