import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Hex } from '../../shared/chain/block.ts';
import { VERDICT_SORTS } from '../tokens/verdictPage.ts';
import { createSortColumns } from './sortColumns.ts';

const SYMBOLS = ['', 'a', 'a\0', 'abcdef', 'abcdefg', 'abcdefgh', 'abcdef\0', 'z', 'é', '🐶🐶'];
const ROWS = 5_000;
/** By row, in the order of addresses; many have the same prefix. */
const tokenOf = (row: number): Hex =>
  `0x${(row >> 4).toString(16).padStart(8, '0')}${row.toString(16).padStart(32, '0')}`;

it('sorts rows as it compares them, whatever their values are, equal ones by address', () => {
  let state = 11;
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const columns = createSortColumns(tokenOf);
  const rows = Uint32Array.from({ length: ROWS }, (_, i) => i + 1);
  for (const row of rows) {
    columns.set(row, tokenOf(row), {
      createdAtS: random(40) * 100_000_000,
      analyzedAtMs: 1_600_000_000_000 + random(100),
      confidence: random(70) / 69,
      riskScore: random(5) === 0 ? 0 : (100 * random(70)) / 69,
      symbol: SYMBOLS[random(SYMBOLS.length)] ?? '',
    });
  }
  const sorted = columns.sorting(rows);
  for (const sort of VERDICT_SORTS) {
    const compare = columns.comparing(sort);
    assert.deepEqual(sorted(sort), rows.toSorted(compare), sort);
  }
});
