import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readsClock, withOwnClock } from './callSequence.ts';

describe('withOwnClock', () => {
  it('replaces the instruction, and leaves the same byte in pushed data alone', () => {
    // TIMESTAMP, PUSH2 0x4243, NUMBER, TIMESTAMP.
    assert.equal(withOwnClock('0x426142434342', 'time'), '0x476142434347');
    assert.equal(withOwnClock('0x426142434342', 'number'), '0x426142434742');
  });

  it('leaves code alone that does not look at the clock', () => {
    assert.equal(readsClock('0x614243', 'time'), false);
    assert.equal(readsClock('0x614243', 'number'), false);
    assert.equal(withOwnClock('0x614243', 'time'), '0x614243');
  });

  it('finds the clock', () => {
    assert.equal(readsClock('0x42', 'time'), true);
    assert.equal(readsClock('0x43', 'number'), true);
  });
});
