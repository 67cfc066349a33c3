import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRowKinds } from './rowKinds.ts';

describe('kinds of rows', () => {
  it('take the numbers of those of which no row is left, however many a row passes through', () => {
    const kinds = createRowKinds({ made: 0 });
    const kept = kinds.enter({ made: 5_000 }, 50);
    let number = kinds.enter({ made: 1 }, 10);
    for (let made = 2; made < 1_000; made += 1) {
      kinds.leave(number);
      number = kinds.enter({ made }, made);
    }
    const { accepted, traits, rows, values } = kinds.select(({ made }) => made > 2);
    assert.deepEqual(
      traits.map(({ made }) => made).toSorted((a, b) => a - b),
      [999, 5_000],
    );
    assert.deepEqual([rows, values, accepted.length], [2, [50, 999], 3]);
    assert.deepEqual(kinds.traitsOf(kept), { made: 5_000 });
    assert.deepEqual(kinds.traitsOf(number), { made: 999 });
  });
});
