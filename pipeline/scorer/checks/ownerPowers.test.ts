import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sentence } from '../../../shared/sentences/sentence.ts';
import type { ContractProfile, Power } from '../contract/contractProfile.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import { checkInputOf, contractOf, OWNER_CALLER, probeOf } from '../testing/checkInputOf.ts';
import { ownerPowers } from './ownerPowers.ts';

const HIDDEN = '0xdeadbeef';
const power = (kind: Power['kind'], signature?: string): Power => ({
  kind,
  caller: OWNER_CALLER,
  selector: signature ? selectorOf(signature) : HIDDEN,
  data: '0x',
  value: 1,
});
const writing = (signature: string) => ({
  selector: selectorOf(signature),
  arguments: '',
  writes: true,
});
const failed = (change: Partial<ContractProfile>): string[] =>
  ownerPowers(checkInputOf({ contract: contractOf(change) })).flatMap(
    ({ id, status, severity, evidence }) => {
      if (status !== 'fail') return [];
      assert.ok(evidence?.length, `${id} shows evidence`);
      return [`${id} ${severity}`];
    },
  );

describe('ownerPowers', () => {
  for (const [name, powers, expected] of [
    ['nothing', [], []],
    ['a hidden mint', [power('mint')], ['mint_power critical']],
    ['a mint under its name', [power('mint', 'mint(address,uint256)')], ['mint_power warning']],
    ['a mint under the name of a fee', [power('mint', 'setFee(uint256)')], ['mint_power critical']],
    ['tokens taken', [power('confiscate')], ['confiscation_power critical']],
    [
      'tokens taken by a function that says so',
      [power('confiscate', 'destroyBlackFunds(address)')],
      ['confiscation_power warning'],
    ],
    ['a pause', [power('freeze', 'pause()')], ['pause_power warning']],
    ['a blacklist', [power('freeze', 'addBot(address)')], ['blacklist_power warning']],
    ['a gate', [power('freeze', 'setTrading(bool)')], ['trading_gate warning']],
    ['a limit', [power('freeze', 'setMaxTxAmount(uint256)')], ['transfer_limits warning']],
    ['a freeze without a name', [power('freeze')], ['freeze_power warning']],
    ['a fee without a cap', [power('tax', 'setSellFee(uint256)')], ['fee_power warning']],
    ['a fee without a name', [power('tax')], ['fee_power warning']],
  ] as const) {
    it(`${name}: ${expected.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(failed({ probe: probeOf(powers) }), expected);
    });
  }

  it('names the hidden one where a power is both hidden and disclosed', () => {
    const powers = [power('mint', 'mint(address,uint256)'), power('mint')];
    assert.deepEqual(failed({ probe: probeOf(powers) }), ['mint_power critical']);
  });

  it('takes a name alone for information, and for nothing once the ownership is given up', () => {
    const functions = [writing('pause()'), writing('setFees(uint256,uint256)')];
    assert.deepEqual(failed({ functions }), ['pause_power info', 'fee_power info']);
    const owner = { kind: 'renounced', address: OWNER_CALLER.address, via: 'owner()' } as const;
    assert.deepEqual(failed({ functions, owner }), []);
  });

  it('does not know what could be neither read nor simulated', () => {
    const probe = { kind: 'unknown', reason: sentence('nodeSilent') } as const;
    for (const input of [checkInputOf(), checkInputOf({ contract: contractOf({ probe }) })]) {
      assert.ok(ownerPowers(input).every(({ status }) => status === 'unknown'));
    }
  });
});
