import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import {
  ADMIN_SLOT,
  contractStateCalls,
  IMPLEMENTATION_SLOTS,
  minimalProxyTarget,
  readContractState,
  readProxyRuler,
} from './contractState.ts';

const TOKEN = `0x${'1'.repeat(40)}` as const;
const OWNER = `0x${'abcdef12'.repeat(5)}` as const;
const wordOf = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`;
const ZERO = `0x${'0'.repeat(64)}`;
const ok = (result: unknown) => ({ ok: true as const, result });

/** Results in the order of the calls; missing ones are zero. */
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

describe('who can replace the code of a proxy', () => {
  const UPGRADE = selectorOf('upgradeToAndCall(address,bytes)');
  const ADMIN = `0x${'2'.repeat(40)}` as const;
  const rulerOf = async (
    state: ReturnType<typeof stateOf>,
    { answer = '0x', selectors = [] }: { answer?: Hex; selectors?: Hex[] } = {},
  ): Promise<Hex | null> => {
    assert.ok(state);
    const node = { batch: async (calls: readonly object[]) => calls.map(() => ok(answer)) };
    return readProxyRuler(node, state, selectors);
  };
  const owned = { owner: wordOf(OWNER) };

  it('is the admin, or who owns the contract that is', async () => {
    const state = stateOf({ admin: wordOf(ADMIN) }, { 0: wordOf(TARGET) });
    assert.equal(await rulerOf(state), ADMIN);
    assert.equal(await rulerOf(state, { answer: wordOf(OWNER) as Hex }), OWNER);
    assert.equal(await rulerOf(state, { answer: ZERO as Hex }), null);
  });

  it('is the owner of a beacon, and of a token whose functions replace its code', async () => {
    const beacon = stateOf(owned, { 1: wordOf(TARGET) });
    assert.equal(await rulerOf(beacon, { answer: wordOf(ADMIN) as Hex }), ADMIN);
    const own = stateOf(owned, { 0: wordOf(TARGET) });
    assert.equal(await rulerOf(own, { selectors: [UPGRADE] }), OWNER);
  });

  it('is nobody where the code stays, its owner renounced, or nothing shows who', async () => {
    assert.equal(await rulerOf(stateOf(owned), { selectors: [UPGRADE] }), null);
    assert.equal(await rulerOf(stateOf(owned, { 0: wordOf(TARGET) })), null);
    assert.equal(await rulerOf(stateOf({}, { 1: wordOf(TARGET) })), null);
    const renounced = stateOf({ owner: ZERO }, { 0: wordOf(TARGET) });
    assert.equal(await rulerOf(renounced, { selectors: [UPGRADE] }), null);
  });
});

const TARGET: Hex = '0xbebebebebebebebebebebebebebebebebebebebe';
const digits = TARGET.slice(2);

describe('minimalProxyTarget', () => {
  for (const [name, code] of [
    ['EIP-1167', `0x363d3d373d3d3d363d73${digits}5af43d82803e903d91602b57fd5bf3`],
    ['with PUSH0', `0x365f5f375f5f365f73${digits}5af43d5f5f3e5f3d91602a57fd5bf3`],
    ['with arguments behind', `0x363d3d373d3d3d363d73${digits}5af43d82803e903d91602b57fd5bf3cafe`],
  ] as const) {
    it(`names the target: ${name}`, () => {
      assert.equal(minimalProxyTarget(code), TARGET);
    });
  }

  it('takes no other code for a proxy', () => {
    assert.equal(minimalProxyTarget('0x6080604052'), undefined);
    assert.equal(minimalProxyTarget(`0x73${digits}5af4`), undefined);
  });
});

describe('the slots of proxies', () => {
  it('are those of the standards', () => {
    assert.deepEqual(
      IMPLEMENTATION_SLOTS.map(({ slot }) => slot),
      [
        '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
        '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
        '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
        '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
      ],
    );
    assert.equal(ADMIN_SLOT, '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103');
  });
});
