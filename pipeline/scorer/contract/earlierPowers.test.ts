import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { contractOf, probeOf } from '../testing/checkInputOf.ts';
import type { ContractProfile, Power } from './contractProfile.ts';
import { withEarlierPowers } from './earlierPowers.ts';

const KEEPER: Hex = `0x${'7'.repeat(40)}`;
const powerOf = (caller: Power['caller']): Power => {
  return { kind: 'freeze', caller, selector: '0x12345678', data: '0x12345678', value: 1 };
};
const OF_KEEPER = powerOf({ address: KEEPER, origin: 'code' });
const { owner } = contractOf();
const OF_OWNER = powerOf({ address: owner.address ?? KEEPER, origin: 'owner' });

const OPEN = contractOf({
  holders: [{ address: KEEPER, kind: 'wallet' }],
  probe: probeOf([OF_KEEPER, OF_OWNER]),
});
/** A profile read later, when nothing can be sold. */
const closed = (change: Partial<ContractProfile> = {}): ContractProfile =>
  contractOf({
    blockNumber: 99,
    probe: { kind: 'done', blockNumber: 99, trade: null, powers: [] },
    ...change,
  });
const powersOf = ({ probe }: ContractProfile): readonly Power[] =>
  probe.kind === 'done' ? probe.powers : [];

describe('powers that were shown before a token was closed', () => {
  it('stay, with the block that they were shown at, and who has them', () => {
    const { probe, holders } = withEarlierPowers(closed(), OPEN);
    assert.deepEqual(powersOf({ ...OPEN, probe }), [OF_KEEPER, OF_OWNER]);
    assert.equal(probe.kind === 'done' && probe.blockNumber, 7);
    assert.deepEqual(
      holders.map(({ address }) => address),
      [owner.address, KEEPER],
    );
  });

  it('stay where a purchase works and no sale', () => {
    const trade = { delivered: 1, sells: false, saleGas: 0, sellsLater: true, laterReason: null };
    const probe = { kind: 'done', blockNumber: 99, trade, powers: [] } as const;
    assert.equal(
      powersOf(withEarlierPowers(closed({ probe: { ...probe, powers: [] } }), OPEN)).length,
      2,
    );
  });

  it('are gone with the owner who had them, with the code, and where the token shows its own', () => {
    const renounced = closed({ owner: { kind: 'renounced', address: null, via: 'owner()' } });
    assert.deepEqual(powersOf(withEarlierPowers(renounced, OPEN)), [OF_KEEPER]);
    const other = closed({ codeHash: `0x${'d'.repeat(64)}` });
    assert.deepEqual(powersOf(withEarlierPowers(other, OPEN)), []);
    const sold = contractOf({ blockNumber: 99 });
    assert.equal(withEarlierPowers(sold, OPEN), sold);
    assert.deepEqual(powersOf(withEarlierPowers(closed(), undefined)), []);
  });
});
