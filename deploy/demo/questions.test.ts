import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isUntouched } from './questions.ts';

describe('the demo', () => {
  it('compares answers in SQL on a stack without verdicts only', async () => {
    assert.equal(await isUntouched(async () => 'count()\n0\n'), true);
    assert.equal(await isUntouched(async () => 'count()\n10\n'), false);
  });
});
