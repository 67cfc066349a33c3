import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatTable } from './outcome.ts';

describe('formatTable', () => {
  it('makes each column as wide as its longest line', () => {
    const table = formatTable(
      ['token', 'ms'],
      [
        ['HEN', '120'],
        ['HONEYTRAP', '9'],
      ],
    );
    assert.equal(
      table,
      ['token      ms', '─────────  ───', 'HEN        120', 'HONEYTRAP  9'].join('\n'),
    );
  });

  it('puts the lines of a tall cell below each other', () => {
    const table = formatTable(['a', 'b', 'c'], [['1', ['x', 'y'], '2']]);
    assert.equal(table, ['a  b  c', '─  ─  ─', '1  x  2', '   y'].join('\n'));
  });
});
