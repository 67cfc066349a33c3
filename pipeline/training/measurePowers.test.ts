import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { f1Interval, figuresOf, readLabels, rocAuc } from './measurePowers.ts';

const ROWS = [
  { present: true, score: 0.9 },
  { present: true, score: 0.5 },
  { present: true, score: 0.1 },
  { present: false, score: 0.6 },
  { present: false, score: 0 },
];

describe('figuresOf', () => {
  it('counts a score of one half as found', () => {
    assert.deepEqual(figuresOf(ROWS), { rows: 5, precision: 2 / 3, recall: 2 / 3, f1: 2 / 3 });
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
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tsd-test-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

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
