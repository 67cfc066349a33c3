import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { slopeAnHour } from './slopeAnHour.ts';

describe('slope an hour', () => {
  it('tells what a line rises in sixty minutes', () => {
    const values = Array.from({ length: 31 }, (_, minute) => 50 + minute * 0.1);
    assert.ok(Math.abs(slopeAnHour(values) - 6) < 1e-9);
  });

  it('is not moved by noise that is even around the line', () => {
    const values = Array.from(
      { length: 60 },
      (_, minute) => 50 + ([1, -1, -1, 1][minute % 4] ?? 0),
    );
    assert.ok(Math.abs(slopeAnHour(values)) < 0.2);
  });

  it('is unknown for a single minute', () => {
    assert.ok(Number.isNaN(slopeAnHour([50])));
  });
});
