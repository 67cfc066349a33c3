import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keccak256 } from 'viem';
import type { Hex } from '../../../shared/chain/block.ts';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { topicOf as wordOf } from '../../../shared/testing/evmData.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import type { Finding } from './powers/evidence.ts';
import type { Holder } from './powers/privilege.ts';
import { type FoundPower, holdersOfPowers, kindsOfHolders } from './privilegeHolders.ts';

const TOKEN: Hex = `0x${'1'.repeat(40)}`;
const OWNER: Hex = `0x${'a'.repeat(40)}`;
const ok = (result: unknown): RpcOutcome => ({ ok: true, result });

/** A node with slots of the token by number, codes, and results of one contract. */
const nodeOf = (known: {
  slots?: Record<string, bigint>;
  codes?: Record<Hex, Hex>;
  uses?: { nonce?: number; balance?: number };
  answers?: Record<string, bigint>;
}) => ({
  batch: async (calls: readonly RpcCall[]) =>
    calls.map(({ method, params }): RpcOutcome => {
      const [first, second] = params as [Hex, Hex];
      if (method === 'eth_getStorageAt') return ok(wordOf(known.slots?.[second] ?? 0n));
      if (method === 'eth_getCode') return ok(known.codes?.[first] ?? '0x');
      if (method === 'eth_getTransactionCount') return ok(`0x${known.uses?.nonce ?? 0}`);
      if (method === 'eth_getBalance') return ok(`0x${known.uses?.balance ?? 0}`);
      const answer = known.answers?.[(params[0] as { data: string }).data];
      if (answer === undefined) return { ok: false, code: 3, message: 'execution reverted' };
      return ok(wordOf(answer));
    }),
});

const minting = (holders: readonly Holder[], reason: Finding['reason'] = 'mintedByPrivileged') => [
  { power: 'mint', finding: { reason, selector: '40c10f19', holders } } satisfies FoundPower,
];

describe('holdersOfPowers', () => {
  const stored = { kind: 'stored', slot: 5n, shift: 8 } as const;
  /** An entry of a mapping in slot 3. */
  const entered = {
    kind: 'entered',
    slotOf: (account: bigint) =>
      BigInt(keccak256(`0x${[account, 3n].map((one) => wordOf(one).slice(2)).join('')}`)),
    enteredBy: [],
  } as const;
  const enteredByOwner = { ...entered, enteredBy: [stored] } as const;
  const entryOf = `0x${entered.slotOf(BigInt(OWNER)).toString(16)}`;

  const cases = [
    ['the account in a packed slot', [stored], { '0x5': (BigInt(OWNER) << 8n) | 1n }, OWNER],
    ['nobody where the slot is zero', [stored], { '0x5': 1n }, 'nobody'],
    ['nobody where the dead address has it', [stored], { '0x5': 0xdeadn << 8n }, 'nobody'],
    ['who has an entry', [entered], { [entryOf]: 1n }, OWNER],
    ['someone not known, where no candidate has an entry', [entered], {}, 'unknown'],
    [
      'who makes the entries, where none is known',
      [enteredByOwner],
      { '0x5': BigInt(OWNER) << 8n },
      OWNER,
    ],
    ['someone not known, where nobody makes entries any more', [enteredByOwner], {}, 'unknown'],
    ['the account in the code', [{ kind: 'fixed', account: BigInt(OWNER) }], {}, OWNER],
    ['someone not known, where another contract is asked', [{ kind: 'answered' }], {}, 'unknown'],
    ['nobody where one of two is given up', [entered, stored], { [entryOf]: 1n }, 'nobody'],
  ] as const;
  for (const [name, holders, slots, expected] of cases) {
    it(`finds ${name}`, async () => {
      const node = nodeOf({ slots });
      const [found] = await holdersOfPowers(node, TOKEN, minting(holders), [OWNER]);
      assert.equal(found?.holder.kind ?? found?.holder.address, expected);
    });
  }

  it('takes a way that asks for nobody as open to everyone, and others as not known', async () => {
    const found = async (reason: Finding['reason']) => {
      const [one] = await holdersOfPowers(nodeOf({}), TOKEN, minting([], reason), []);
      return one?.holder.kind;
    };
    assert.equal(await found('mintedByAnyone'), 'anyone');
    assert.equal(await found('mintedElsewhere'), 'unknown');
  });
});

describe('kindsOfHolders', () => {
  const kind = async (code: Hex, answers: Record<string, bigint> = {}) => {
    const node = nodeOf({ codes: { [OWNER]: code }, answers, uses: { nonce: 1 } });
    const kinds = await kindsOfHolders(node, [OWNER]);
    return kinds.get(OWNER);
  };
  const cases = [
    ['an account without code', '0x', {}, 'wallet'],
    ['a wallet that runs a contract’s code (EIP-7702)', `0xef0100${'b'.repeat(40)}`, {}, 'wallet'],
    ['two signers of three', '0x60', { 'getThreshold()': 2n }, 'multisig'],
    ['a multisig of one', '0x60', { 'getThreshold()': 1n }, 'wallet'],
    ['two days of delay', '0x60', { 'delay()': 172_800n }, 'timelock'],
    ['an hour of delay', '0x60', { 'getMinDelay()': 3_600n }, 'contract'],
    ['votes', '0x60', { 'votingPeriod()': 40_320n }, 'governance'],
    ['anything else', '0x60', {}, 'contract'],
  ] as const;
  for (const [name, code, answers, expected] of cases) {
    it(`takes ${name} for: ${expected}`, async () => {
      const bySelector = Object.entries(answers).map(([one, value]) => [selectorOf(one), value]);
      assert.equal(await kind(code, Object.fromEntries(bySelector)), expected);
    });
  }

  it('takes a contract of the OP Stack for governance, also where the chain has none, and no other address', async () => {
    const bridge: Hex = `0x42${'0'.repeat(36)}28`;
    const beyond: Hex = `0x42${'0'.repeat(35)}800`;
    const kinds = await kindsOfHolders(nodeOf({}), [bridge, beyond]);
    assert.deepEqual([...kinds.values()], ['governance', 'unknown']);
  });

  it('knows an account without code as a wallet once it has sent or holds something', async () => {
    const kindOf = async (uses: { nonce?: number; balance?: number }) =>
      (await kindsOfHolders(nodeOf({ uses }), [OWNER])).get(OWNER);
    assert.equal(await kindOf({ nonce: 2 }), 'wallet');
    assert.equal(await kindOf({ balance: 1 }), 'wallet');
    assert.equal(await kindOf({}), 'unknown');
  });
});
