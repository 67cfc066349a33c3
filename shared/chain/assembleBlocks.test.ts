import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { block, blocksEvent, sync } from '../../pipeline/alerts/testing/chainBuilder.ts';
import { assembleBlocks } from './assembleBlocks.ts';

const [a, b] = [sync('a', 1, 1), sync('b', 2, 2)];

describe('assembleBlocks', () => {
  it('passes on the blocks of a message that ends its range', () => {
    const blocks = [block(1, [a]), block(2, [b])];
    assert.deepEqual(assembleBlocks(null, blocksEvent(blocks)), { complete: blocks, open: null });
  });

  it('holds back the last block of a message that does not', () => {
    const blocks = [block(1, [a]), block(2, [b])];
    const event = blocksEvent(blocks, { last: false });
    assert.deepEqual(assembleBlocks(null, event), { complete: [blocks[0]], open: blocks[1] });
  });

  it('joins the parts of a block', () => {
    const { complete, open } = assembleBlocks(
      block(1, [a]),
      blocksEvent([block(1, [b]), block(2)]),
    );
    assert.equal(open, null);
    assert.deepEqual(
      complete.map(({ number, facts }) => [number, facts.length]),
      [
        [1, 2],
        [2, 0],
      ],
    );
  });

  it('lets a block go when the next message begins with another', () => {
    const held = block(1, [a]);
    const event = blocksEvent([block(2, [b])], { last: false });
    assert.deepEqual(assembleBlocks(held, event), { complete: [held], open: block(2, [b]) });
  });

  it('lets a block go when the range ends without another', () => {
    const held = block(1, [a]);
    assert.deepEqual(assembleBlocks(held, blocksEvent([])), { complete: [held], open: null });
  });
});
