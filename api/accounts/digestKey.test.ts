import assert from 'node:assert/strict';
import { it } from 'node:test';
import { digestKey } from './keyFormat.ts';

it('is HMAC-SHA-256 in hexadecimal, test case 2 of RFC 4231', () => {
  assert.equal(
    digestKey('Jefe', 'what do ya want for nothing?'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});
