import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keccak256 } from 'viem';
import type { Hex } from '../../../shared/chain/block.ts';
import { TOPIC } from '../../../shared/decode/topic.ts';
import { instructionsOf } from './codePatterns.ts';
import { hashesCompared, patchesFor } from './secrets.ts';

const HASH = keccak256('0xc0ffee').slice(2);
const found = (code: string): Hex[] => hashesCompared(instructionsOf(`0x${code}`));

describe('hashes that code compares with', () => {
  for (const [name, code, expected] of [
    [
      'of the caller, put on the stack before it is hashed',
      `7f${HASH}335f5260205f2014600057`,
      true,
    ],
    ['put there afterwards', `335f5260205f207f${HASH}14156000`, true],
    ['by a difference, as optimisers compare', `335f5260205f207f${HASH}03600057`, true],
    ['that nothing is decided by', `7f${HASH}335f5260205f2014505050505000`, false],
    ['far from where anything is hashed', `7f${HASH}14600057${'5b50'.repeat(40)}5f5f20`, false],
    ['but none: a word of text', `7f${'41'.repeat(32)}335f5260205f2014600057`, false],
    ['but none: a number', `7f${'00'.repeat(31)}01335f5260205f2014600057`, false],
    [
      'but none: what a log begins with',
      `7f${TOPIC.transfer.slice(2)}335f5260205f2014600057`,
      false,
    ],
  ] as const) {
    it(`${expected ? 'are found' : 'are none'}: ${name}`, () => {
      assert.deepEqual(found(code), expected ? [`0x${HASH}`] : []);
    });
  }

  it('are two at the most', () => {
    const hashes = ['0x01', '0x02', '0x03'].map((one) => keccak256(one as Hex).slice(2));
    const code = hashes.map((one) => `7f${one}335f5260205f2014600057`).join('');
    assert.equal(found(code).length, 2);
  });

  it('are replaced by those that an account can answer: of its address, packed or not, as a key, and of nothing', () => {
    const account: Hex = `0x${'a'.repeat(40)}`;
    const code: Hex = `0x7f${HASH}00`;
    const runs: Hex = `0x${'1'.repeat(40)}`;
    const patches = patchesFor({ runs, code, hashes: [`0x${HASH}`] }, account);
    const asWord = `${'0'.repeat(24)}${'a'.repeat(40)}`;
    const own = [account, `0x${asWord}`, `0x${asWord}${'0'.repeat(64)}`, '0x'] as const;
    assert.deepEqual(
      patches,
      own.map((answer) => ({ address: runs, code: `0x7f${keccak256(answer).slice(2)}00` })),
    );
  });
});
