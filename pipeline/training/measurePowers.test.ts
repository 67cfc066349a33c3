import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { tempFolder } from '../../shared/testing/tempFolder.ts';
import {
  type ContractCode,
  f1Interval,
  figuresOf,
  readCodes,
  readLabels,
} from './measurePowers.ts';
import { rocAuc } from './statistics.ts';

const ROWS = [
  { isPositive: true, score: 0.9 },
  { isPositive: true, score: 0.5 },
  { isPositive: true, score: 0.1 },
  { isPositive: false, score: 0.6 },
  { isPositive: false, score: 0 },
];

describe('figuresOf', () => {
  it('counts a score of one half as found', () => {
    assert.deepEqual(figuresOf(ROWS), { precision: 2 / 3, recall: 2 / 3, f1: 2 / 3 });
  });
});

describe('rocAuc', () => {
  it('is the share of pairs ranked rightly, ties counting half', () => {
    assert.equal(rocAuc(ROWS), 4 / 6);
    assert.equal(rocAuc(ROWS.map((row) => ({ ...row, score: 0.3 }))), 0.5);
  });
});

describe('f1Interval', () => {
  it('lies around the figure, and is the same every time', () => {
    const [low, high] = f1Interval(ROWS);
    assert.ok(low < 2 / 3 && high > 2 / 3, `${low} to ${high}`);
    assert.deepEqual(f1Interval(ROWS), [low, high]);
  });
});

describe('readLabels', () => {
  const folder = tempFolder();

  const read = (...rows: readonly string[]) => {
    const path = join(folder, 'labels.csv');
    writeFileSync(path, ['address,power,present', ...rows].join('\n'));
    return readLabels(path);
  };

  it('reads labels by power and address', async () => {
    const labels = await read('0xAA,mint,1', '0xaa,leak,0');
    assert.equal(labels.get('mint')?.get('0xaa'), true);
    assert.equal(labels.get('leak')?.get('0xaa'), false);
    assert.equal(labels.get('limit')?.size, 0);
  });

  it('refuses other powers and other values', async () => {
    await assert.rejects(read('0xaa,mint,1', '0xaa,burn,1'), {
      message: /row 3: power must be mint, leak, limit: burn/,
    });
    await assert.rejects(read('0xaa,mint,yes'), { message: /row 2: present must be 0 or 1: yes/ });
  });
});

const [FIRST, SECOND] = [`0x${'Aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`];

describe('readCodes', () => {
  const folder = tempFolder();

  const read = async (name: string, lines: readonly string[]) => {
    const path = join(folder, name);
    const text = lines.map((line) => `${line}\n`).join('');
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
    const rows: ContractCode[] = [];
    for await (const row of readCodes(path)) rows.push(row);
    return rows;
  };

  it('takes the runtime code out of what a contract is created with', async () => {
    const runtime = '6080604052fe';
    // PUSH2 6, DUP1, PUSH2 14, PUSH1 0, CODECOPY, PUSH1 0, RETURN, INVALID; the code follows.
    const created = `6100068061000e6000396000f3fe${runtime}a264697066`;
    const factory = `6001${created}`;
    const rows = await read('created.csv', [
      'address,code',
      `${FIRST},${created}`,
      `${SECOND},${factory}`,
    ]);
    assert.deepEqual(rows, [
      { address: FIRST, code: `0x${runtime}` },
      { address: SECOND, code: `0x${factory}` },
    ]);
  });

  it('reads code with 0x and without, in columns of any order, plain or gzip', async () => {
    const lines = [
      'name,code,address',
      `x,0x60FF,${FIRST}`,
      `y,6001,${SECOND}`,
      `z,,0x${'c'.repeat(40)}`,
    ];
    const expected = [
      { address: FIRST, code: '0x60ff' },
      { address: SECOND, code: '0x6001' },
      { address: `0x${'c'.repeat(40)}`, code: '0x' },
    ];
    assert.deepEqual(await read('plain.csv', lines), expected);
    assert.deepEqual(await read('packed.csv.gz', lines), expected);
  });

  const refused: Readonly<Record<string, readonly [readonly string[], RegExp]>> = {
    'a missing column': [
      ['address,codes', `${FIRST},00`],
      /has no column code; it has address, codes/,
    ],
    'no rows': [['address,code'], /has no rows/],
    'an empty file': [[], /is empty/],
    'an address that is none': [
      ['address,code', `${FIRST},00`, '0x12,00'],
      /row 3: address must be 0x and 40 hexadecimal digits: 0x12/,
    ],
    'an address twice, in whatever case': [
      ['address,code', `${FIRST},00`, `${FIRST.toLowerCase()},01`],
      /row 3: address is that of row 2/,
    ],
    'half a byte': [
      ['address,code', `${FIRST},0x600`],
      /row 2: code of 0xAa.* must be pairs of hex/,
    ],
    'code that is no hexadecimal number': [['address,code', `${FIRST},0xzz`], /row 2: code of /],
    'code longer than any chain allows': [
      ['address,code', `${FIRST},${'00'.repeat(65_537)}`],
      /row 2: code of .* must be at most 65536 bytes: 65537/,
    ],
    'a row of other width': [['address,code', `${FIRST}`], /line 2: 1 cells, not 2/],
  };
  for (const [name, [lines, message]] of Object.entries(refused)) {
    it(`refuses ${name}`, async () => {
      await assert.rejects(read('refused.csv', lines), { message });
    });
  }
});
