import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contractStateCalls, IMPLEMENTATION_SLOTS, readContractState } from './contractState.ts';

const TOKEN = `0x${'1'.repeat(40)}` as const;
const OWNER = `0x${'abcdef12'.repeat(5)}` as const;
const wordOf = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`;
const ZERO = `0x${'0'.repeat(64)}`;
const ok = (result: unknown) => ({ ok: true as const, result });

/** Answers in the order of the calls; what is not given answers zero. */
const stateOf = (
  given: Partial<Record<'owner' | 'getOwner' | 'code' | 'admin', unknown>>,
  slots: Record<number, string> = {},
  own: Record<number, string> = {},
) => {
  const outcomes = contractStateCalls(TOKEN).map(() => ok(ZERO));
  outcomes[0] = ok({ number: '0x7', timestamp: '0x64' });
  outcomes[1] = ok(given.code ?? '0x6001');
  outcomes[2] = ok(wordOf('0x3e8'));
  outcomes[3] = ok(given.owner ?? '0x');
  outcomes[4] = ok(given.getOwner ?? '0x');
  outcomes[5] = ok(given.admin ?? ZERO);
  for (const [i, word] of Object.entries(slots)) outcomes[6 + Number(i)] = ok(word);
  const first = 6 + IMPLEMENTATION_SLOTS.length;
  for (const [i, word] of Object.entries(own)) outcomes[first + Number(i)] = ok(word);
  return readContractState(outcomes);
};

describe('readContractState', () => {
  it('reads head, code and supply', () => {
    const state = stateOf({});
    assert.deepEqual(state?.head, { number: 7, timestampS: 100 });
    assert.equal(state?.code, '0x6001');
    assert.equal(state?.supply, 1_000n);
  });

  it('needs code and a head', () => {
    assert.equal(stateOf({ code: '0x' }), undefined);
    assert.equal(readContractState([]), undefined);
    assert.equal(readContractState([{ ok: false, code: 1 }]), undefined);
  });

  for (const [name, given, kind] of [
    ['an owner', { owner: wordOf(OWNER) }, 'held'],
    ['an owner by another name', { getOwner: wordOf(OWNER) }, 'held'],
    ['nobody', { owner: ZERO }, 'renounced'],
    [
      'a dead address',
      { owner: wordOf('0x000000000000000000000000000000000000dead') },
      'renounced',
    ],
    ['no such function', {}, 'none'],
    ['nonsense', { owner: '0x1234' }, 'none'],
  ] as const) {
    it(`takes ${name} for ${kind}`, () => {
      assert.equal(stateOf(given)?.owner.kind, kind);
    });
  }

  it('finds the implementation of every sort of proxy', () => {
    for (const [i, { kind, slot }] of IMPLEMENTATION_SLOTS.entries()) {
      const state = stateOf({}, { [i]: wordOf(OWNER) });
      assert.deepEqual(state?.implementation, { kind, implementation: OWNER, slot });
    }
  });

  it('finds addresses in storage, also beside small variables, and takes no text for one', () => {
    const packed = `0x${'0'.repeat(22)}01${OWNER.slice(2)}`;
    assert.deepEqual(stateOf({}, {}, { 3: packed })?.stored, [OWNER]);
    const text = `0x${Buffer.from('Token').toString('hex').padEnd(62, '0')}0a`;
    assert.deepEqual(stateOf({}, {}, { 0: text, 1: wordOf('0x3e8') })?.stored, []);
  });
});
