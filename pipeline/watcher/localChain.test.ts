import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../shared/chain/block.ts';
import {
  advance,
  emptyLocalChain,
  extend,
  finalize,
  isTipIncomplete,
  type LocalChain,
  rollBack,
  tipOf,
  withoutIncompleteTip,
} from './localChain.ts';
import { chainOf, hashAt, headerAt } from './testing/branches.ts';

const CHAIN_ID = 7;
const hash = (number: number, branch = 'a'): Hex => hashAt(branch, number);
const header = (number: number) => headerAt('a', number);
const numbersOf = (chain: LocalChain): number[] => chain.headers.map(({ number }) => number);

describe('a local chain', () => {
  it('begins with nothing published and nothing final', () => {
    assert.deepEqual(emptyLocalChain(5), {
      epoch: 0,
      next: 5,
      headers: [],
      finalNumber: -1,
      incomplete: null,
    });
    assert.equal(tipOf(emptyLocalChain(5)), undefined);
  });

  it('is extended by the next block of its tip only', () => {
    const chain = chainOf(10, 12);
    assert.deepEqual([chain.next, numbersOf(chain)], [13, [10, 11, 12]]);
    assert.throws(() => extend(chain, header(14)), /published without a gap/);
    assert.throws(
      () => extend(chain, { ...header(13), parentHash: hash(12, 'b') }),
      /a block follows the tip/,
    );
  });

  it('moves on past a range of final blocks, known by the last', () => {
    const chain = { ...chainOf(10, 12), incomplete: { chunks: 2 } };
    assert.deepEqual(advance(chain, 13, header(40)), {
      ...chain,
      headers: [header(40)],
      next: 41,
      finalNumber: 40,
      incomplete: null,
    });
    assert.equal(advance({ ...chain, finalNumber: 60 }, 13, header(40)).finalNumber, 60);
  });

  it('does not take a range of one block for final: any block may come alone', () => {
    const chain = { ...chainOf(10, 12), finalNumber: 10 };
    const next = advance(chain, 13, header(13));
    assert.deepEqual([next.next, next.finalNumber, numbersOf(next)], [14, 10, [10, 11, 12, 13]]);
    assert.deepEqual(numbersOf(advance(chain, 13, { ...header(13), parentHash: hash(0) })), [13]);
  });

  it('knows whether its tip was published in part', () => {
    const whole = chainOf(10, 12);
    const part = { ...whole, next: 12, incomplete: { chunks: 1 } };
    const range = { ...whole, incomplete: { chunks: 1 } };
    const nothing = { ...emptyLocalChain(3), incomplete: { chunks: 1 } };
    assert.deepEqual([whole, part, range, nothing].map(isTipIncomplete), [
      false,
      true,
      false,
      false,
    ]);
    assert.equal(isTipIncomplete({ ...whole, next: 12 }), false);
    assert.deepEqual(numbersOf(withoutIncompleteTip(part)), [10, 11]);
    assert.equal(withoutIncompleteTip(whole), whole);
  });
});

describe('rolling back', () => {
  it('names what is orphaned and keeps the rest', () => {
    const { chain, event } = rollBack(chainOf(10, 14), header(12), CHAIN_ID);
    assert.deepEqual([chain.epoch, chain.next, numbersOf(chain)], [1, 13, [10, 11, 12]]);
    assert.equal(event.epoch, 1);
    const { number, hash: own, timestampS } = header(12);
    assert.deepEqual(event.ancestor, { number, hash: own, timestampS });
    assert.deepEqual(new Set(event.orphaned.map((one) => one.number)), new Set([13, 14]));
  });

  it('may go to the parent of all that is kept', () => {
    const { chain } = rollBack(chainOf(10, 11), header(9), CHAIN_ID);
    assert.deepEqual([chain.next, chain.headers], [10, [header(9)]]);
  });

  it('orphans something, and nothing final', () => {
    const chain = chainOf(10, 14);
    assert.throws(() => rollBack(chain, header(14), CHAIN_ID), /orphans at least one block/);
    const final = { ...chain, finalNumber: 13 };
    assert.throws(() => rollBack(final, header(12), CHAIN_ID), /no final block is orphaned/);
    assert.equal(rollBack(final, header(13), CHAIN_ID).chain.next, 14);
  });
});

describe('finality', () => {
  const finalized = (number: number, own: Hex | null = hash(number)) => ({ number, hash: own });

  it('is published once it advanced far enough, and never above the tip', () => {
    const chain = chainOf(10, 30);
    const none = finalize(chain, finalized(14), 16, CHAIN_ID);
    assert.deepEqual(none, { chain, event: undefined }, 'the first 16 blocks from -1 on end at 15');
    const first = finalize(chain, finalized(15), 16, CHAIN_ID);
    assert.deepEqual(first.event, {
      kind: 'finalize',
      chainId: CHAIN_ID,
      epoch: 0,
      block: { number: 15, hash: hash(15) },
    });
    assert.deepEqual([first.chain.finalNumber, numbersOf(first.chain)[0]], [15, 15]);
    const above = finalize(first.chain, finalized(1_000), 16, CHAIN_ID);
    assert.deepEqual(above, { chain: first.chain, event: undefined });
    const enough = finalize(first.chain, finalized(1_000), 15, CHAIN_ID);
    assert.deepEqual([enough.event?.block.number, enough.chain.finalNumber], [30, 30]);
  });

  it('is what was published, not what a node calls final', () => {
    const { chain } = finalize(chainOf(10, 40), finalized(15), 16, CHAIN_ID);
    const later = finalize(chain, finalized(30), 16, CHAIN_ID).chain;
    assert.equal(later.finalNumber, 15);
    assert.equal(rollBack(later, header(16), CHAIN_ID).chain.next, 17);
  });

  it('does not go back, and says nothing of blocks that are not kept', () => {
    const chain = { ...chainOf(10, 30), finalNumber: 20 };
    assert.deepEqual(finalize(chain, finalized(12), 1, CHAIN_ID), { chain, event: undefined });
    const young = chainOf(10, 30);
    assert.deepEqual(finalize(young, finalized(5), 1, CHAIN_ID), {
      chain: young,
      event: undefined,
    });
  });

  it('is not published from a node that shows another block there', () => {
    const chain = chainOf(10, 30);
    assert.equal(finalize(chain, finalized(20, hash(20, 'b')), 1, CHAIN_ID).event, undefined);
    assert.equal(finalize(chain, finalized(20, null), 1, CHAIN_ID).event?.block.number, 20);
  });

  it('waits while the tip is missing or published in part', () => {
    const empty = emptyLocalChain(5);
    assert.deepEqual(finalize(empty, finalized(9), 1, CHAIN_ID), {
      chain: empty,
      event: undefined,
    });
    const part = { ...chainOf(10, 12), next: 12, incomplete: { chunks: 1 } };
    assert.deepEqual(finalize(part, finalized(12), 1, CHAIN_ID), { chain: part, event: undefined });
  });
});
