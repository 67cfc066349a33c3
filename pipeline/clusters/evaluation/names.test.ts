import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createNames } from './parseCells.ts';

describe('createNames', () => {
  it('takes an address as it is, whatever its case, and spells it as the file does', () => {
    const names = createNames();
    const upper = `0x${'AB'.repeat(20)}`;
    const address = names.addressOf(upper);
    assert.equal(address, upper.toLowerCase());
    assert.equal(names.nameOf(address), upper);
    assert.equal(names.addressOf(upper.toLowerCase()), address);
    assert.equal(names.nameOf(address), upper.toLowerCase());
  });

  it('makes an address for any other name', () => {
    const names = createNames();
    const [alice, bob] = [names.addressOf('alice'), names.addressOf('bob')];
    assert.match(alice, /^0x[0-9a-f]{40}$/);
    assert.notEqual(alice, bob);
    assert.equal(names.addressOf('ALICE'), alice);
    assert.equal(names.nameOf(bob), 'bob');
  });
});
