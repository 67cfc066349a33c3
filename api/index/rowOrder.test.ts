import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRowOrder } from './rowOrder.ts';

/** Several blocks of rows. */
const ROWS = 6_000;
const CHANGES = 12_000;

it('has rows in order, whatever was inserted and removed', () => {
  let state = 7;
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  // Differences below one, too.
  const keyAtRandom = (): number => random(500) / 8;
  const keys = Array.from({ length: ROWS }, keyAtRandom);
  const compare = (a: number, b: number): number =>
    (keys[a] ?? 0) - (keys[b] ?? 0) || (a - b) / ROWS;
  const order = createRowOrder(compare);
  // Row 0 is the placeholder.
  const known = new Set(Array.from({ length: ROWS / 2 }, (_, i) => i + 1));
  order.fill(Uint32Array.from(known).sort(compare));
  const rowsOf = (stretch: Parameters<typeof order.walk>[0], isRising: boolean): number[] => {
    const rows: number[] = [];
    order.walk(stretch, isRising, (row) => rows.push(row) > 0);
    return rows;
  };
  for (let i = 0; i < CHANGES; i += 1) {
    const row = 1 + random(ROWS - 1);
    order.remove(row);
    known.delete(row);
    keys[row] = keyAtRandom();
    if (random(3) === 0) continue;
    order.insert(row);
    known.add(row);
  }
  const sorted = [...known].toSorted(compare);
  assert.deepEqual(rowsOf(order.all(), true), sorted);
  assert.deepEqual(rowsOf(order.all(), false), sorted.toReversed());

  for (const key of [-1, 0, 7.75, 62.375, 63]) {
    keys[0] = key;
    const [from, to] = [order.placeOf(0), order.all().to];
    const behind = sorted.filter((row) => compare(row, 0) >= 0);
    assert.deepEqual(rowsOf({ from, to }, true), behind);
    const before = sorted.filter((row) => compare(row, 0) < 0).toReversed();
    assert.deepEqual(rowsOf({ from: order.all().from, to: from }, false), before);
  }
  const [row = 0, next = 0] = sorted;
  const behindFirst = { from: order.placeOf(row, true), to: order.placeOf(next, true) };
  assert.deepEqual(rowsOf(behindFirst, true), [next]);

  const seen: number[] = [];
  order.walk(order.all(), true, (one) => seen.push(one) < 3);
  assert.deepEqual(seen, sorted.slice(0, 3));
  for (const one of known) order.remove(one);
  assert.deepEqual(rowsOf(order.all(), true), []);
  order.insert(row);
  assert.deepEqual(rowsOf(order.all(), false), [row]);
});
