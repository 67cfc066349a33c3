import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Point, slopeAnHour } from './figures.ts';

const pointsOf = (minutes: number, valueAt: (minute: number) => number): Point[] =>
  Array.from({ length: minutes }, (_, minute) => ({ minute, value: valueAt(minute) }));

describe('slope an hour', () => {
  it('says how much a line rises in sixty minutes', () => {
    const rising = pointsOf(31, (minute) => 50 + minute * 0.1);
    assert.ok(Math.abs(slopeAnHour(rising, 1) - 6) < 1e-9);
    assert.ok(Math.abs(slopeAnHour(rising, 5) - 6) < 1e-9);
  });

  it('is not moved by what fills and is emptied within a window', () => {
    const saw = pointsOf(60, (minute) => 50 + (minute % 5) * 3);
    assert.equal(slopeAnHour(saw, 5), 0);
  });

  it('is not moved by the part of a saw in a last window that is not whole', () => {
    const saw = pointsOf(60, (minute) => 50 + (minute % 5) * 3);
    assert.equal(slopeAnHour([...saw, { minute: 60.1, value: 59 }], 5), 0);
  });

  it('is unknown for a single window', () => {
    assert.ok(
      Number.isNaN(
        slopeAnHour(
          pointsOf(5, () => 50),
          5,
        ),
      ),
    );
  });
});
