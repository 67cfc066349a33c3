import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Hex, ZERO_HASH } from '../../shared/chain/block.ts';
import { topicOf as hash } from '../../shared/testing/evmData.ts';
import { rangeOfBlocks } from './blockRange.ts';

const wide = (digit: string): Hex => `0x${digit.repeat(40)}`;
const word = (address: Hex): string => address.slice(2).padStart(64, '0');

describe('a block', () => {
  it('has at most 200 failed sales as facts; the rest is counted', () => {
    const header = { number: 1, hash: ZERO_HASH, parentHash: ZERO_HASH, timestampS: 0 };
    const transactions = Array.from({ length: 203 }, (_, index) => ({
      hash: hash(index),
      index,
      from: wide('a'),
      to: wide('b'),
      value: '0x0' as const,
      succeeded: false,
      failedInput: `0x12345678${word(wide('c'))}${word(wide('d'))}` as const,
      contractAddress: null,
    }));
    const { facts, failedSalesSkipped, blocks } = rangeOfBlocks([
      { header, transactions, logs: [] },
    ]);
    assert.deepEqual([facts, failedSalesSkipped], [200, 3]);
    assert.equal(blocks[0]?.facts.at(-1)?.txHash, hash(199));
  });
});
