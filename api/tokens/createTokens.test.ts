import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../server/apiError.ts';
import { addressOf } from '../testing/fakePorts.ts';
import { decodePosition, encodePosition } from './createTokens.ts';

const PAGE = { sort: 'confidence', order: 'asc' } as const;

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.options.status === 400;

describe('cursor', () => {
  it('comes back as it went, to the last bit', () => {
    const position = { value: 0.1 + 0.2, token: addressOf(7) };
    const cursor = encodePosition(PAGE, position);
    assert.match(cursor, /^[\w-]+$/);
    assert.deepEqual(decodePosition(cursor, PAGE), position);
  });

  it('is refused under another sort or order', () => {
    const cursor = encodePosition(PAGE, { value: 1, token: addressOf(7) });
    assert.throws(() => decodePosition(cursor, { ...PAGE, sort: 'risk_score' }), isRefusal);
    assert.throws(() => decodePosition(cursor, { ...PAGE, order: 'desc' }), isRefusal);
  });

  it('is refused when it was not made here', () => {
    const texts = ['', 'abc', '[]', '["confidence","asc",null,"0x"]', '["confidence","asc",1e999]'];
    for (const text of texts) {
      const cursor = Buffer.from(text).toString('base64url');
      assert.throws(() => decodePosition(cursor, PAGE), isRefusal);
    }
  });
});
