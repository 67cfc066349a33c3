import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { watchItem } from '../testing/chainBuilder.ts';
import { createWatchTable, type Watch } from './watchTable.ts';

const numbered = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`;
const item = (id: number, changes: Partial<Watch> = {}): Watch => {
  const { createdAtMs: _createdAtMs, ...watch } = watchItem({
    id,
    address: numbered(id),
    ...changes,
  });
  return watch;
};

describe('watchTable', () => {
  it('gives back what was put in', () => {
    const table = createWatchTable(7);
    const all = [
      item(1, { sensitivity: 'low', alerts: ['cluster_activity'] }),
      item(2, { type: 'wallet', sensitivity: 'high', alerts: [] }),
      item(Number.MAX_SAFE_INTEGER, { address: numbered(3), family: 'other' }),
    ];
    for (const one of all) table.put(one);
    for (const one of all) assert.deepEqual(table.find(one.address), [one]);
    assert.deepEqual(table.find(numbered(4)), []);
  });

  it('keeps items of one address apart by family and id', () => {
    const table = createWatchTable(7);
    const shared = numbered(9);
    table.put(item(1, { address: shared }));
    table.put(item(1, { address: shared }));
    table.put(item(1, { address: shared, family: 'other' }));
    table.put(item(2, { address: shared }));
    assert.equal(table.size(), 3);
    assert.equal(table.remove(item(1, { address: shared })), true);
    assert.equal(table.remove(item(1, { address: shared })), false);
    assert.deepEqual(
      table
        .find(shared)
        .map(({ family, id }) => `${family} ${id}`)
        .toSorted(),
      ['fam1 2', 'other 1'],
    );
  });

  it('holds the same as a map after many changes, in at most 84 bytes an item', () => {
    const table = createWatchTable(7);
    const expected = new Map<number, Watch>();
    for (let step = 0; step < 60_000; step += 1) {
      const id = Math.imul(step, 2_654_435_761) >>> 16;
      const one = item(id, { family: `fam${id % 50}` });
      if (step % 3 === 2) {
        assert.equal(table.remove(one), expected.delete(id));
      } else {
        table.put(one);
        expected.set(id, one);
      }
    }
    assert.equal(table.size(), expected.size);
    for (let id = 0; id < 65_536; id += 7) {
      const one = expected.get(id);
      assert.deepEqual(table.find(numbered(id)), one ? [one] : []);
    }
    assert.ok(table.bytes() <= 84 * 40_000, `${table.bytes()} bytes`);
  });
});
