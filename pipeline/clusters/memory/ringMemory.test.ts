import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { RingDetector } from '../graph/ringDetector.ts';
import { RingMemory } from './ringMemory.ts';

const wallet = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [A, B, C, D, E] = ['a', 'b', 'c', 'd', 'e'].map(wallet) as [Hex, Hex, Hex, Hex, Hex];

describe('RingMemory after a start', () => {
  /** A memory whose detector knows one ring, of these wallets. */
  const memoryOf = (members: readonly Hex[]): RingMemory => {
    const ring = { id: 'cl_1', members: members.map((each) => ({ wallet: each })) };
    const detector = { rings: () => [ring] } as unknown as RingDetector;
    return new RingMemory(detector, { weth: E, all: new Set([E]) });
  };

  it('looks again at wallets whose rows name a ring that they are not in, or not theirs', () => {
    const memory = memoryOf([A, B, C]);
    memory.compareRows([
      { wallet: A, clusterId: 'cl_1' },
      { wallet: B, clusterId: '' },
      { wallet: D, clusterId: 'cl_2' },
      { wallet: E, clusterId: '' },
    ]);
    assert.deepEqual([...memory.dirty.wallets].toSorted(), [B, C, D]);
  });

  it('has nothing to store where rows and rings agree', () => {
    const memory = memoryOf([A]);
    memory.compareRows([
      { wallet: A, clusterId: 'cl_1' },
      { wallet: E, clusterId: '' },
    ]);
    assert.ok(!memory.hasChanged());
  });
});
