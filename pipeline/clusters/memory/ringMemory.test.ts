import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressesOf } from '../../../shared/testing/evmData.ts';
import { type BlockGraph, createdFact, movement } from '../facts/graphFact.ts';
import type { RingDetector } from '../graph/createRingDetector.ts';
import { RingMemory } from './ringMemory.ts';

const HASH: Hex = `0x${'1'.repeat(64)}`;
const wallet = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [A, B, C, D, E] = addressesOf(0xa, 0xb, 0xc, 0xd, 0xe);

describe('RingMemory after a start', () => {
  /** A memory whose detector knows one ring with these wallets. */
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

describe('RingMemory, of the liquidity of a token that A created', () => {
  const TOKEN = wallet('f');
  /** What is recorded for a sale by a wallet, where A and B are in one ring, D is in another and C in none. */
  const notedOf = (seller: Hex, kind: 'sold' | 'bought' = 'sold'): Hex[] => {
    const rings = new Map([
      [A, 'cl_1'],
      [B, 'cl_1'],
      [D, 'cl_2'],
    ]);
    const none = { changed: [], removed: [] };
    const detector = {
      apply: () => none,
      undo: () => none,
      isCreator: () => false,
      isHub: () => false,
      funderOf: () => undefined,
      ringOf: (one: Hex) => (rings.has(one) ? { id: rings.get(one) } : undefined),
    } as unknown as RingDetector;
    const memory = new RingMemory(detector, { weth: E, all: new Set([E]) });
    const created = createdFact({ token: TOKEN, creator: A, txHash: HASH, codeHash: HASH });
    const sale = movement({
      kind,
      from: seller,
      to: TOKEN,
      token: TOKEN,
      value: 1,
      place: 2,
      txHash: HASH,
    });
    const blocks: BlockGraph[] = [
      { number: 1, hash: HASH, timestampS: 100, facts: [created] },
      { number: 2, hash: `0x${'2'.repeat(64)}`, timestampS: 112, facts: [sale] },
    ];
    for (const each of blocks) memory.learn(each);
    return [...memory.dirty.tokens];
  };

  it('looks at what was lost again after a sale by the creator or by a wallet of the same ring', () => {
    assert.deepEqual(notedOf(A), [TOKEN]);
    assert.deepEqual(notedOf(B), [TOKEN]);
  });

  it('does not for a sale by anyone else, or a purchase', () => {
    assert.deepEqual(notedOf(C), []);
    assert.deepEqual(notedOf(D), []);
    assert.deepEqual(notedOf(A, 'bought'), []);
  });
});
