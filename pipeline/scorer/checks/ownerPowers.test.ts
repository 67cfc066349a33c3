import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { writeSentence } from '../../../shared/sentences/writeSentence.ts';
import type { CodePower, ContractProfile, Power } from '../contract/contractProfile.ts';
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

/** A power of somebody known to the code by a hash only. */
const bySecret = (kind: Power['kind'], signature?: string): Power => ({
  ...power(kind, signature),
  caller: { address: `0x${'e'.repeat(40)}`, origin: 'secret' },
  patched: { address: `0x${'1'.repeat(40)}`, code: '0x00' },
});

/** For `checkResult.test.ts`. */
export const INPUTS = [
  bySecret('confiscate'),
  { ...power('confiscate'), times: 80 },
  { ...power('confiscate'), prepared: '0xc0ffee' },
].map((one) => checkInputOf({ contract: contractOf({ probe: probeOf([one]) }) }));

describe('ownerPowers', () => {
  for (const [name, powers, expected] of [
    ['nothing', [], []],
    ['a hidden mint', [power('mint')], ['mint_power critical']],
    ['a mint under its name', [power('mint', 'mint(address,uint256)')], ['mint_power warning']],
    ['a mint under the name of a fee', [power('mint', 'setFee(uint256)')], ['mint_power critical']],
    ['tokens taken', [power('confiscate')], ['confiscation_power critical']],
    ['tokens of the pool taken', [power('drain')], ['confiscation_power critical']],
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
    ['a pause by who is hidden', [bySecret('freeze', 'pause()')], ['pause_power critical']],
    ['a fee of who is hidden', [bySecret('tax')], ['fee_power critical']],
  ] as const) {
    it(`${name}: ${expected.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(failed({ probe: probeOf(powers) }), expected);
    });
  }

  it('names the hidden one where a power is both hidden and disclosed', () => {
    const powers = [power('mint', 'mint(address,uint256)'), power('mint')];
    assert.deepEqual(failed({ probe: probeOf(powers) }), ['mint_power critical']);
  });

  it('takes what an unused address can do as well for no hidden power', () => {
    const open = { ...power('mint'), caller: { ...OWNER_CALLER, origin: 'anyone' as const } };
    const contract = contractOf({ probe: probeOf([open]) });
    const mint = ownerPowers(checkInputOf({ contract })).find(({ id }) => id === 'mint_power');
    assert.deepEqual([mint?.severity, mint?.held_by], ['warning', 'anyone']);
    assert.match(writeSentence(mint?.reason ?? sentence('sells'), 'en'), /^Anyone can make new/);
  });

  it('is not sure of a hidden power whose holder was never used, unless that made the token', () => {
    const address = `0x${'b'.repeat(40)}` as const;
    const severityOf = (
      origin: 'code' | 'creator' | 'owner',
      kind: 'unknown' | 'wallet',
    ): string[] => {
      const found = { ...power('confiscate'), caller: { address, origin } };
      return failed({ probe: probeOf([found]), holders: [{ address, kind }] });
    };
    assert.deepEqual(severityOf('code', 'unknown'), ['confiscation_power warning']);
    assert.deepEqual(severityOf('code', 'wallet'), ['confiscation_power critical']);
    assert.deepEqual(severityOf('owner', 'unknown'), ['confiscation_power warning']);
    assert.deepEqual(severityOf('creator', 'unknown'), ['confiscation_power critical']);
  });

  it('takes a name alone for information, and for nothing once the ownership is given up', () => {
    const functions = [writing('pause()'), writing('setFees(uint256,uint256)')];
    assert.deepEqual(failed({ functions }), ['pause_power info', 'fee_power info']);
    const owner = { kind: 'renounced', address: OWNER_CALLER.address, via: 'owner()' } as const;
    assert.deepEqual(failed({ functions, owner }), []);
  });

  const inCode = (
    power: CodePower['power'],
    kind: CodePower['holder']['kind'],
    selector = '0x40c10f19',
  ): CodePower => ({
    power,
    reason: 'mintedByPrivileged',
    selector,
    holder: { kind, address: OWNER_CALLER.address, slot: `0x${'5'.repeat(64)}`, isEntry: false },
  });
  const byCode = (change: Partial<ContractProfile>) =>
    ownerPowers(checkInputOf({ contract: contractOf(change) })).flatMap((one) =>
      one.status === 'fail' ? [`${one.id} ${one.severity} ${one.shown_by} ${one.held_by}`] : [],
    );

  it('takes the code for a power that no simulation showed, with who has it', () => {
    const codePowers = [
      inCode('mint', 'multisig'),
      inCode('leak', 'wallet'),
      inCode('limit', 'unknown'),
    ];
    assert.deepEqual(byCode({ codePowers }), [
      'mint_power warning code multisig',
      'confiscation_power warning code wallet',
      'freeze_power warning code unknown',
    ]);
  });

  it('holds a power against no one who has given it up', () => {
    assert.deepEqual(byCode({ codePowers: [inCode('mint', 'nobody')] }), []);
  });

  it('believes no code that gives everyone a power by a transfer: each trade would show it', () => {
    const codePowers = [inCode('mint', 'anyone', '0xa9059cbb')];
    assert.deepEqual(byCode({ codePowers }), []);
    const other = [inCode('mint', 'anyone', '0xdeadbeef')];
    assert.deepEqual(byCode({ codePowers: other }), ['mint_power warning code anyone']);
  });

  it('counts a power once that was simulated and stands in the code', () => {
    const codePowers = [inCode('mint', 'wallet')];
    const probe = probeOf([power('mint', 'mint(address,uint256)')]);
    assert.deepEqual(byCode({ codePowers, probe }), ['mint_power warning simulation wallet']);
  });

  it('shows the code and the slot that names the holder', () => {
    const [mint] = ownerPowers(
      checkInputOf({ contract: contractOf({ codePowers: [inCode('mint', 'wallet')] }) }),
    );
    const methods = mint?.evidence?.map(({ request }) => request?.method);
    assert.deepEqual(methods, ['eth_getCode', 'eth_getStorageAt']);
  });

  it('does not know what could be neither read nor simulated', () => {
    const probe = { kind: 'unknown', reason: sentence('nodeSilent') } as const;
    for (const input of [checkInputOf(), checkInputOf({ contract: contractOf({ probe }) })]) {
      assert.ok(ownerPowers(input).every(({ status }) => status === 'unknown'));
    }
  });
});
