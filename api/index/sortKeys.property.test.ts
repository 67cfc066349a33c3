import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Hex } from '../../shared/chain/block.ts';
import { addressOf } from '../../shared/testing/evmData.ts';
import type { VerdictPosition } from '../tokens/verdictPage.ts';
import { rowsOfPage, SORT_KEYS } from './sortKeys.ts';

/** More often equal than not, in their keys too. */
const value = fc.constantFrom('', 'a', 'abcd', 'abcde', 'abcdf', 'b', 'ÿ', '🐶');
const tokens = fc
  .array(value, { minLength: 1, maxLength: 60 })
  .map((values) => values.map((symbol, row) => ({ row, symbol, token: addressOf(row) })));

interface Token {
  readonly symbol: string;
  readonly token: Hex;
}

/** As SQLite compares texts. */
const bytewise = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const inOrder = (a: Token, b: Token): number =>
  bytewise(a.symbol, b.symbol) || bytewise(a.token, b.token);

describe('rows of a page', () => {
  it('are the page itself once they are sorted, from any offset or place, and few more', () => {
    const page = fc.record({
      limit: fc.integer({ min: 1, max: 20 }),
      offset: fc.nat(70),
      place: fc.option(fc.nat(59), { nil: undefined }),
      isAscending: fc.boolean(),
    });
    const holds = fc.property(tokens, page, (all, { limit, offset, place, isAscending }) => {
      const sorted = all.toSorted((a, b) => (isAscending ? 1 : -1) * inOrder(a, b));
      const last = place === undefined ? undefined : sorted[place % sorted.length];
      const after: VerdictPosition | undefined = last && { value: last.symbol, token: last.token };
      const start = last ? sorted.indexOf(last) + 1 : offset;
      const wanted = sorted.slice(start, start + limit);
      const keys = all.map(({ symbol }) => SORT_KEYS.symbol(symbol));
      const order = isAscending ? 'asc' : 'desc';
      const asked = { sort: 'symbol', order, limit, offset, after } as const;
      const { rows, skipped } = rowsOfPage(
        Uint32Array.from(all, ({ row }) => row),
        keys,
        asked,
      );
      const found = sorted.filter(({ row }) => rows.includes(row));
      const beyond = last ? found.filter((one) => sorted.indexOf(one) >= start) : found;
      assert.deepEqual(beyond.slice(skipped, skipped + limit), wanted);
      const ends = [wanted[0], wanted.at(-1)].map((one) => one && keys[one.row]);
      const others = found.filter((one) => !wanted.includes(one));
      // Beyond a place, those that are equal to it and lie before it are not known.
      const isKnown = last === undefined && wanted.length > 0;
      assert.ok(!isKnown || others.every(({ row }) => ends.includes(keys[row])));
    });
    fc.assert(holds, { numRuns: 2_000 });
  });
});
