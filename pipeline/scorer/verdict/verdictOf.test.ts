import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contractOf } from '../testing/checkInputOf.ts';
import { codeLabelsOf } from './verdictOf.ts';

const TOKEN = `0x${'1'.repeat(40)}` as const;
type Made = Parameters<typeof codeLabelsOf>[0];

const labelOf = (...failed: readonly string[]): string | undefined => {
  const checks = failed.map((id) => ({ id, status: 'fail', severity: 'critical' }));
  const made = [{ token: TOKEN, verdict: { doc: { checks } } }] as unknown as Made;
  const known = new Map([[TOKEN, { profile: contractOf(), twins: undefined }]]);
  return codeLabelsOf(made, known)[0]?.scamCheck;
};

describe('codeLabelsOf', () => {
  it('accuses the code of a token that cannot be sold', () => {
    assert.equal(labelOf('sell_simulation'), 'sell_simulation');
  });

  it('accuses no code where the hook of the pool refuses the sale', () => {
    assert.equal(labelOf('sell_simulation', 'hook_power'), '');
  });

  it('accuses the code of what it does beside such a hook', () => {
    assert.equal(labelOf('sell_simulation', 'hook_power', 'mint_power'), 'mint_power');
  });
});
