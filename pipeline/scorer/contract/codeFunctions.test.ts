import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { knownFunction } from './knownFunctions.ts';
import { codeFunctions } from './probeCalls.ts';

/** Dispatches on two selectors, as compilers do, and stops: `transfer` and one nobody knows. */
const CODE: Hex = `0x60003560e01c8063a9059cbb14601f578063deadbeef14602157600080fd5b005b00`;

describe('codeFunctions', () => {
  it('finds the selectors that the dispatcher compares with', () => {
    assert.deepEqual(
      codeFunctions(CODE)
        .map(({ selector }) => selector)
        .toSorted(),
      ['0xa9059cbb', '0xdeadbeef'],
    );
  });

  it('finds nothing in code that has no functions, or is none', () => {
    for (const code of ['0x', '0x00', '0xfefefe', `0x${'5b'.repeat(200)}`] as const) {
      assert.deepEqual(codeFunctions(code), []);
    }
  });
});

describe('knownFunction', () => {
  it('names what is common, and nothing else', () => {
    assert.deepEqual(knownFunction('0xa9059cbb'), {
      signature: 'transfer(address,uint256)',
      role: 'erc20',
    });
    assert.equal(knownFunction('0x40c10f19')?.role, 'mint');
    assert.equal(knownFunction('0x8456cb59')?.role, 'pause');
    assert.equal(knownFunction('0xdeadbeef'), undefined);
  });
});
