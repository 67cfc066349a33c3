import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkInputOf } from '../testing/checkInputOf.ts';
import { sentUnasked } from './sentUnasked.ts';

const TX = `0x${'e'.repeat(64)}` as const;

describe('sentUnasked', () => {
  for (const [what, spread, status] of [
    ['thousands in twenty transactions', [2_000, 1_990], 'fail'],
    ['a thousand of two thousand', [2_000, 1_000], 'fail'],
    ['many who came for it, beside those who did not', [10_000, 1_500], 'pass'],
    ['a team', [60, 40], 'pass'],
    ['nobody', [3, 0], 'pass'],
  ] as const) {
    it(`${what}: ${status}`, () => {
      const [recipients, unasked] = spread;
      const found = sentUnasked(
        checkInputOf({ spread: { recipients, unasked, batches: 20, largest_batch: TX } }),
      );
      assert.equal(found.status, status);
      assert.equal(found.value, unasked);
      assert.deepEqual(
        found.evidence?.map(({ request }) => request),
        status === 'fail' ? [{ method: 'eth_getTransactionReceipt', params: [TX] }] : undefined,
      );
    });
  }

  it('says nothing of a token that has a market', () => {
    assert.equal(sentUnasked(checkInputOf()).status, 'not_applicable');
  });
});
