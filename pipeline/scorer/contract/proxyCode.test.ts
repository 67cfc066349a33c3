import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { ADMIN_SLOT, IMPLEMENTATION_SLOTS, minimalProxyTarget } from './contractState.ts';

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
