import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeAbiParameters } from 'viem';
import { safeText } from '../../../shared/rules/safeText.ts';
import { word } from '../../../shared/testing/evmData.ts';
import { PROPERTY_RUNS } from '../../../shared/testing/random.ts';
import { decodeDecimals, decodeText, decodeUint } from './decodeAnswer.ts';

const RANDOM_ANSWERS = 100_000;
const CODE_POINTS_MAX = 64;
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

const bytes = fc
  .uint8Array({ maxLength: 200 })
  .map((values) => `0x${Buffer.from(values).toString('hex')}`);
/** Offsets, lengths and bytes that a contract made up. */
const forged = fc
  .tuple(fc.nat(256), fc.nat(2_000), fc.uint8Array({ maxLength: 128 }))
  .map(
    ([offset, length, text]) =>
      `0x${word(offset)}${word(length)}${Buffer.from(text).toString('hex')}`,
  );

test(`no answer of a contract is read as more than it holds: ${RANDOM_ANSWERS} answers`, () => {
  fc.assert(
    fc.property(fc.oneof(bytes, forged, fc.string()), (answer) => {
      const text = decodeText(answer);
      if (text !== undefined) {
        assert.ok(Buffer.byteLength(text) <= answer.length * 2);
        const safe = safeText(text, CODE_POINTS_MAX);
        assert.ok(Array.from(safe).length <= CODE_POINTS_MAX);
        assert.doesNotMatch(safe, UNSAFE);
      }
      const decimals = decodeDecimals(answer);
      assert.ok(decimals === undefined || (decimals >= 0 && decimals <= 255));
      const value = decodeUint(answer);
      assert.ok(value === undefined || BigInt(value) < 2n ** 256n);
    }),
    { numRuns: RANDOM_ANSWERS },
  );
});

test(`reads every text as viem encodes it: ${PROPERTY_RUNS} texts`, () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (text) => {
      assert.equal(decodeText(encodeAbiParameters([{ type: 'string' }], [text])), text);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});
