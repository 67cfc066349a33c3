import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRegistry, exportLeadership } from './metrics.ts';

describe('exportLeadership', () => {
  const registry = createRegistry();
  const read = async () => (await registry.getSingleMetric('tsd_leading')?.get())?.values[0]?.value;

  it('reports the work while it is done, also when it fails', async () => {
    const seen: unknown[] = [];
    const failure = new Error('lost');
    const work = exportLeadership(registry, async () => {
      seen.push(await read());
      throw failure;
    });
    assert.equal(await read(), 0);
    await assert.rejects(work(new AbortController().signal), failure);
    assert.deepEqual(seen, [1]);
    assert.equal(await read(), 0);
  });
});
