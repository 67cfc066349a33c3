import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sentence } from '../../../shared/sentences/sentence.ts';
import type { Power } from '../contract/contractProfile.ts';
import { checkInputOf, contractOf, probeOf } from '../testing/checkInputOf.ts';
import { hiddenOwner, ownerRenounced } from './ownership.ts';

const KEEPER = `0x${'b'.repeat(40)}` as const;
const RENOUNCED = { kind: 'renounced', address: `0x${'0'.repeat(40)}`, via: 'owner()' } as const;
const NONE = { kind: 'none', address: null, via: null } as const;
const FREEZE: Power = {
  kind: 'freeze',
  caller: { address: KEEPER, origin: 'storage' },
  selector: '0xdeadbeef',
  data: '0xdeadbeef',
  value: 1,
};

describe('ownerRenounced', () => {
  for (const [owner, status] of [
    [RENOUNCED, 'pass'],
    [NONE, 'not_applicable'],
    [contractOf().owner, 'fail'],
  ] as const) {
    it(`${owner.kind}: ${status}, as information only`, () => {
      const check = ownerRenounced(checkInputOf({ contract: contractOf({ owner }) }));
      assert.equal(check.status, status);
      assert.equal(check.severity, 'info');
    });
  }

  it('is unknown while the contract is', () => {
    assert.equal(ownerRenounced(checkInputOf()).status, 'unknown');
  });
});

describe('hiddenOwner', () => {
  const holders = [{ address: KEEPER, kind: 'wallet' as const }];
  const checkOf = (change: Parameters<typeof contractOf>[0]) =>
    hiddenOwner(checkInputOf({ contract: contractOf({ holders, ...change }) }));

  it('is proven by a call that harms a buyer after the ownership was given up', () => {
    const check = checkOf({ owner: RENOUNCED, probe: probeOf([FREEZE]) });
    assert.equal(check.status, 'fail');
    assert.equal(check.severity, 'critical');
    assert.equal(check.value, KEEPER);
    assert.match(JSON.stringify(check.evidence?.at(-1)?.note), /0xdeadbeef/);
  });

  for (const [name, kind] of [
    ['was never used', 'unknown'],
    ['is a contract', 'contract'],
    ['is a multisig', 'multisig'],
  ] as const) {
    it(`is a warning where the address ${name}: no person is known to be behind it`, () => {
      const ruled = [{ address: KEEPER, kind }];
      const check = checkOf({ owner: RENOUNCED, probe: probeOf([FREEZE]), holders: ruled });
      assert.equal(check.status, 'fail');
      assert.equal(check.severity, 'warning');
    });
  }

  it('is proven by the wallet among several that have power', () => {
    const other = `0x${'c'.repeat(40)}` as const;
    const bridge: Power = { ...FREEZE, caller: { address: other, origin: 'code' } };
    const check = checkOf({
      owner: RENOUNCED,
      probe: probeOf([bridge, FREEZE]),
      holders: [...holders, { address: other, kind: 'contract' }],
    });
    assert.deepEqual([check.severity, check.value], ['critical', KEEPER]);
  });

  for (const [name, change, status] of [
    ['nobody has power', { owner: RENOUNCED }, 'pass'],
    [
      'an unused address can do the same',
      {
        owner: RENOUNCED,
        probe: probeOf([{ ...FREEZE, caller: { address: KEEPER, origin: 'anyone' } }]),
      },
      'pass',
    ],
    ['the owner is there to see', { probe: probeOf([FREEZE]) }, 'not_applicable'],
    [
      'roles take the place of an owner',
      { owner: NONE, probe: probeOf([FREEZE]) },
      'not_applicable',
    ],
    [
      'nothing could be simulated',
      { owner: RENOUNCED, probe: { kind: 'unknown', reason: sentence('nodeSilent') } },
      'unknown',
    ],
  ] as const) {
    it(`${status} where ${name}`, () => {
      assert.equal(checkOf(change).status, status);
    });
  }
});
