import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRowWriter } from './rowWriter.ts';

const written = (write: (row: ReturnType<typeof createRowWriter>) => void): string => {
  const row = createRowWriter();
  write(row);
  return Buffer.from(row.finish()).toString('hex');
};

describe('rowWriter', () => {
  it('writes integers little endian', () => {
    assert.equal(
      written((row) => row.uint8(255)),
      'ff',
    );
    assert.equal(
      written((row) => row.uint16(0x0102)),
      '0201',
    );
    assert.equal(
      written((row) => row.uint32(0x0102_0304)),
      '04030201',
    );
    assert.equal(
      written((row) => row.uint64(2 ** 53 - 1)),
      'ffffffffffff1f00',
    );
  });

  it('writes quantities of any number of digits as 32 bytes', () => {
    const zeros = (bytes: number): string => '00'.repeat(bytes);
    assert.equal(
      written((row) => row.uint256('0x0')),
      zeros(32),
    );
    assert.equal(
      written((row) => row.uint256('0x123')),
      `2301${zeros(30)}`,
    );
    assert.equal(
      written((row) => row.uint256('0xABcd')),
      `cdab${zeros(30)}`,
    );
    assert.equal(
      written((row) => row.uint256(`0x${'f'.repeat(64)}`)),
      'ff'.repeat(32),
    );
    assert.equal(
      written((row) => row.uint256(`0x${'1'.repeat(63)}`)),
      `${'11'.repeat(31)}01`,
    );
  });

  it('writes fixed bytes as they are and grows', () => {
    const hash = `0x${'0123456789abcdef'.repeat(4)}` as const;
    const rows = 5_000;
    const text = written((row) => {
      for (let i = 0; i < rows; i += 1) row.fixed(hash);
    });
    assert.equal(text, hash.slice(2).repeat(rows));
  });

  it('refuses what is no hexadecimal digit', () => {
    assert.throws(() => written((row) => row.fixed('0x0g')), /of hexadecimal digits only/);
    assert.throws(() => written((row) => row.fixed('0x000')), /of hexadecimal digits only/);
    assert.throws(() => written((row) => row.uint256('0x-1')), /of hexadecimal digits only/);
    assert.throws(
      () => written((row) => row.uint256(`0x1${'0'.repeat(64)}`)),
      /of hexadecimal digits only/,
    );
  });

  it('writes signed numbers and the length of a list', () => {
    assert.equal(
      written((row) => row.int16(-2)),
      'feff',
    );
    assert.equal(
      written((row) => row.uint64(-2)),
      `feff${'ff'.repeat(6)}`,
    );
    assert.equal(
      written((row) => row.length(3)),
      '03',
    );
    assert.equal(
      written((row) => row.length(300)),
      'ac02',
    );
  });

  it('writes text with its length in bytes, and nullable marks', () => {
    assert.equal(
      written((row) => row.string('é')),
      '02c3a9',
    );
    assert.equal(
      written((row) => row.string('a'.repeat(200))),
      `c801${'61'.repeat(200)}`,
    );
    assert.equal(
      written((row) => row.nullable(7, (value) => row.uint8(value))),
      '0007',
    );
    assert.equal(
      written((row) => row.nullable(null, () => assert.fail('there is no value'))),
      '01',
    );
  });
});
