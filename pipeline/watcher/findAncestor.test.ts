import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BlockHeader, Hex } from '../../shared/chain/block.ts';
import { FatalError, RetryableError } from '../../shared/platform/errors.ts';
import { findAncestor } from './reconcile.ts';
import { chainOf, hashAt as hash, headerAt } from './testing/branches.ts';

/** Branch b leaves branch a after block `FORK`. */
const FORK = 13;
const header = (branch: string, number: number) => headerAt(branch, number, FORK);

/** A node with both branches, which counts requests. */
const createNode = (lie?: (header: BlockHeader) => BlockHeader) => {
  const asked: (Hex | number)[] = [];
  const all = ['a', 'b'].flatMap((branch) =>
    Array.from({ length: 30 }, (_, number) => header(number <= FORK ? 'a' : branch, number)),
  );
  return {
    asked,
    header: async (id: Hex | number): Promise<BlockHeader> => {
      asked.push(id);
      const found = all.findLast((one) => one.hash === id || one.number === id);
      if (!found) throw new RetryableError(`no block ${id}`);
      return lie ? lie(found) : found;
    },
  };
};

describe('the common ancestor', () => {
  const chain = chainOf(10, 20);

  it('is found parent by parent', async () => {
    const node = createNode();
    const walked = new Map<Hex, BlockHeader>();
    assert.deepEqual(await findAncestor(chain, header('b', 17), node, walked), header('a', FORK));
    assert.deepEqual(node.asked, [hash('b', 16), hash('b', 15), hash('b', 14)]);
    assert.deepEqual([...walked.keys()], node.asked);
    await findAncestor(chain, header('b', 18), node, walked);
    assert.deepEqual(node.asked.slice(3), [hash('b', 17)], 'what was walked is not asked again');
  });

  it('may be the parent of the first block', async () => {
    const young = chainOf(14, 15);
    const found = await findAncestor(young, header('b', 15), createNode(), new Map());
    assert.deepEqual(found, header('a', FORK));
  });

  it('is not looked for below a parent of another height', async () => {
    const node = createNode((one) => ({ ...one, number: one.number - 1 }));
    await assert.rejects(findAncestor(chain, header('b', 17), node, new Map()), (error) => {
      assert.ok(error instanceof RetryableError);
      assert.match(error.message, /has height 15, below 17/);
      return true;
    });
  });

  it('at or below a final block stops everything and says what to do', async () => {
    const final = { ...chain, finalNumber: 15 };
    await assert.rejects(findAncestor(final, header('b', 18), createNode(), new Map()), (error) => {
      assert.ok(error instanceof FatalError);
      assert.match(
        error.message,
        /block 18 .* does not descend from block 15, which was published as final/,
      );
      assert.match(error.message, /RPC_URL.*start over/);
      return true;
    });
    const unknown = { ...chainOf(16, 20), finalNumber: 2 };
    await assert.rejects(
      findAncestor(unknown, header('b', 18), createNode(), new Map()),
      /from block 16, which/,
    );
  });

  it('is looked for again where the node still has the final block: one answer was a lie', async () => {
    const final = { ...chain, finalNumber: FORK - 1 };
    const lie = { ...header('b', FORK), hash: hash('c', FORK), parentHash: hash('c', FORK - 1) };
    await assert.rejects(findAncestor(final, lie, createNode(), new Map()), (error) => {
      assert.ok(error instanceof RetryableError);
      assert.match(error.message, /does not descend from 12, which the node's chain still has/);
      return true;
    });
  });

  it('forgets other branches when there are too many', async () => {
    const walked = new Map<Hex, BlockHeader>(
      Array.from({ length: 10_001 }, (_, n) => [hash('c', n), header('b', 14)]),
    );
    await findAncestor(chain, header('b', 15), createNode(), walked);
    assert.deepEqual([...walked.keys()], [hash('b', 14)]);
  });
});
