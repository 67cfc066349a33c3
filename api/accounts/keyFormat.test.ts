import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { displayKey, generateKey, isWellFormedKey } from './keyFormat.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A text with a valid key checksum. */
const signed = (text: string): string => {
  let digits = '';
  for (let rest = crc32(text); digits.length < 6; rest = Math.floor(rest / 62)) {
    digits = `${DIGITS[rest % 62]}${digits}`;
  }
  return text + digits;
};

describe('API key format', () => {
  it('has the prefix, 30 random characters and 6 of the checksum', () => {
    const key = generateKey();
    assert.match(key, /^tsd_live_[0-9A-Za-z]{36}$/);
    assert.equal(key.length, 45);
    assert.ok(isWellFormedKey(key));
    assert.notEqual(generateKey(), key);
  });

  it('ends with CRC-32 in base 62, computed here digit by digit', () => {
    const key = generateKey();
    const value = Array.from(key.slice(-6)).reduce(
      (sum, digit) => sum * 62 + DIGITS.indexOf(digit),
      0,
    );
    assert.equal(value, crc32(key.slice(0, -6)));
  });

  it('rejects every single changed character', () => {
    const key = generateKey();
    for (let index = 0; index < key.length; index += 1) {
      const changed = key[index] === 'a' ? 'b' : 'a';
      assert.ok(!isWellFormedKey(key.slice(0, index) + changed + key.slice(index + 1)));
    }
  });

  it('rejects what is no key at all', () => {
    for (const text of [
      '',
      'tsd_live_',
      'x'.repeat(45),
      `${generateKey()} `,
      `${generateKey()}0`,
    ]) {
      assert.ok(!isWellFormedKey(text), text);
    }
  });

  it('rejects what is longer than a key, however right its checksum', () => {
    const body = `tsd_live_${'a'.repeat(30)}`;
    assert.ok(isWellFormedKey(signed(body)));
    for (const text of [`${body}a`, `x${body}`, `\n${body}`, body.slice(0, -1)]) {
      assert.ok(!isWellFormedKey(signed(text)), text);
    }
  });

  it('is shown without what makes it usable', () => {
    const key = generateKey();
    assert.equal(displayKey(key), `${key.slice(0, 13)}…${key.slice(-4)}`);
  });
});
