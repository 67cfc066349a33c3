import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkInputOf, contractOf } from '../testing/checkInputOf.ts';
import { knownScamCode, lookAlikeName } from './impersonation.ts';

const SCAM = `0x${'5'.repeat(40)}` as const;

describe('lookAlikeName', () => {
  for (const [name, change, expected] of [
    ['its own name', {}, ['pass', 'warning', undefined]],
    ['a disguise', { symbol: 'USD\u0422' }, ['fail', 'warning', 'disguised']],
    [
      'a copy',
      { chainId: 1, name: 'Tether USD', symbol: 'USDT' },
      ['fail', 'warning', 'sameChain'],
    ],
    ['a shared symbol', { symbol: 'PEPE' }, ['fail', 'info', 'symbolOnly']],
    [
      'a disguise that many hold',
      { symbol: 'USD\u0422', holderCount: 20_000 },
      ['pass', 'warning', undefined],
    ],
  ] as const) {
    it(`${name}: ${expected.join(' ')}`, () => {
      const { status, severity, value } = lookAlikeName(checkInputOf(change));
      assert.deepEqual([status, severity, value], expected);
    });
  }
});

describe('knownScamCode', () => {
  const contract = contractOf();
  const checkOf = (scams: number, others: number) =>
    knownScamCode(
      checkInputOf({ contract, twins: { scams, others, example: scams > 0 ? SCAM : null } }),
    );

  for (const [scams, others, status] of [
    [0, 0, 'pass'],
    [1, 0, 'fail'],
    [3, 2, 'fail'],
    [2, 2, 'pass'],
    [1, 100, 'pass'],
  ] as const) {
    it(`${scams} scams and ${others} others: ${status}`, () => {
      assert.equal(checkOf(scams, others).status, status);
    });
  }

  it('shows likeness without holding it against anyone', () => {
    const alike = contractOf({ nearScam: { token: SCAM, similarity: 0.95 } });
    const twins = { scams: 0, others: 0, example: null };
    const { status, severity } = knownScamCode(checkInputOf({ contract: alike, twins }));
    assert.deepEqual([status, severity], ['fail', 'info']);
  });

  it('does not know where nothing was compared', () => {
    assert.equal(knownScamCode(checkInputOf({ contract })).status, 'unknown');
  });
});
