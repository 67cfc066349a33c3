import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Hex, ZERO_HASH } from '../../shared/chain/block.ts';
import { emptyLocalChain, type LocalChain } from './localChain.ts';
import type { MessageHeaders } from './messageHeaders.ts';
import { rebuildLocalChain } from './resume.ts';
import { hashAt } from './testing/branches.ts';

type Blocks = Extract<MessageHeaders, { kind: 'blocks' }>;

const hash = (number: number, branch = 'a'): Hex => hashAt(branch, number);
const blocks = (number: number, changes: Partial<Blocks> = {}): Blocks => ({
  kind: 'blocks',
  epoch: 0,
  from: number,
  number,
  hash: hash(number),
  parentHash: hash(number - 1),
  timestampS: 100 + number,
  chunk: 0,
  last: true,
  ...changes,
});
const reorg = (number: number, epoch = 1): MessageHeaders => ({
  kind: 'reorg',
  epoch,
  number,
  hash: hash(number),
  timestampS: 100 + number,
});
const heightsOf = ({ headers }: LocalChain): number[] => headers.map(({ number }) => number);
const numbersOf = (messages: readonly MessageHeaders[]): number[] =>
  heightsOf(rebuildLocalChain(messages));

describe('a chain rebuilt from its messages', () => {
  it('is empty without any', () => assert.deepEqual(rebuildLocalChain([]), emptyLocalChain(0)));

  it('holds the blocks that follow one another', () => {
    assert.deepEqual(numbersOf([blocks(5), blocks(6), blocks(7)]), [5, 6, 7]);
    assert.deepEqual(numbersOf([blocks(5), blocks(7)]), [7], 'a gap');
    const other = blocks(6, { parentHash: hash(5, 'b') });
    assert.deepEqual(numbersOf([blocks(5), other]), [6], 'another parent');
  });

  it('knows the last block of a range only', () => {
    const rebuilt = rebuildLocalChain([blocks(4), blocks(9, { from: 5, parentHash: hash(4) })]);
    assert.deepEqual(rebuilt.headers, [
      { number: 9, hash: hash(9), parentHash: hash(4), timestampS: 109 },
    ]);
    assert.equal(rebuilt.next, 10);
    const linked = blocks(5, { from: 4 });
    assert.deepEqual(numbersOf([blocks(3), blocks(4), linked]), [5]);
  });

  it('goes back to the ancestor of a reorg, kept or not', () => {
    const rebuilt = rebuildLocalChain([blocks(5), blocks(6), blocks(7), reorg(6)]);
    assert.deepEqual([rebuilt.epoch, rebuilt.next], [1, 7]);
    assert.deepEqual(heightsOf(rebuilt), [5, 6]);
    const below = rebuildLocalChain([blocks(5), reorg(4)]);
    assert.deepEqual(below.headers, [
      { number: 4, hash: hash(4), parentHash: ZERO_HASH, timestampS: 104 },
    ]);
    const unknown = rebuildLocalChain([blocks(5), blocks(6, { hash: hash(6, 'b') }), reorg(6)]);
    assert.deepEqual(
      unknown.headers.map(({ hash: own }) => own),
      [hash(6)],
    );
  });

  it('remembers what was published as final, and nothing below it', () => {
    const rebuilt = rebuildLocalChain([
      blocks(4),
      blocks(5),
      blocks(6),
      { kind: 'finalize', epoch: 3, number: 5, hash: hash(5) },
    ]);
    assert.deepEqual([rebuilt.epoch, rebuilt.finalNumber, rebuilt.next], [3, 5, 7]);
    assert.deepEqual(heightsOf(rebuilt), [5, 6]);
    const range = rebuildLocalChain([blocks(5), blocks(9, { from: 6, parentHash: hash(8) })]);
    assert.equal(range.finalNumber, 9, 'several blocks at once are final ones');
  });

  it('recognises what was published in part: a block is the tip, a range is not', () => {
    const block = rebuildLocalChain([blocks(5), blocks(6, { last: false, chunk: 2, epoch: 4 })]);
    assert.deepEqual([block.next, block.incomplete, block.epoch], [6, { chunks: 3 }, 4]);
    assert.deepEqual(heightsOf(block), [5, 6]);
    const range = rebuildLocalChain([blocks(5), blocks(9, { from: 6, last: false })]);
    assert.deepEqual([range.next, range.incomplete], [6, { chunks: 1 }]);
    assert.deepEqual(heightsOf(range), [5]);
  });

  it('forgets the part once it was completed or taken back', () => {
    const part = blocks(6, { last: false });
    const whole = rebuildLocalChain([blocks(5), part, blocks(6, { chunk: 1 })]);
    assert.deepEqual([whole.incomplete, whole.next], [null, 7]);
    const back = rebuildLocalChain([blocks(5), part, reorg(5)]);
    assert.deepEqual([back.incomplete, back.next], [null, 6]);
  });
});
