import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reserve } from './reserve.ts';

const MEBIBYTE = 2 ** 20;
/** Maximum size that the C library allocates from its heap. */
const HEAP_BYTES_MAX = 32 * MEBIBYTE;

describe('reserve', () => {
  it('gives columns of the length that is asked for, of zeros', () => {
    for (const length of [0, 3, 5 * MEBIBYTE]) {
      const column = reserve(Float32Array, length);
      assert.equal(column.length, length);
      assert.ok(column.every((value) => value === 0));
    }
  });

  it('takes from the heap what is small, and maps all else', () => {
    assert.equal(reserve(Uint8Array, MEBIBYTE - 1).buffer.byteLength, MEBIBYTE - 1);
    for (const length of [MEBIBYTE, 8_000_000, HEAP_BYTES_MAX, HEAP_BYTES_MAX + 1]) {
      assert.ok(reserve(Uint8Array, length).buffer.byteLength > HEAP_BYTES_MAX, `${length}`);
    }
  });
});
