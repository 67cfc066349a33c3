import assert from 'node:assert/strict';
import type { BlockRef, Hex } from '../../chain/block.ts';
import type { ChainEvent } from '../../chain/chainEvent.ts';
import type { FakeChain } from '../fakeChain.ts';

/**
 * The highest block published as final in a stream: by a `finalize` event, or in a range of several blocks.
 * @throws AssertionError where what was told as final changed.
 */
export const readPublishedFinal = (events: readonly ChainEvent[]): BlockRef | undefined => {
  let final: BlockRef | undefined;
  const hashes = new Map<number, string>();
  const above = (number: number, what: string): void =>
    assert.ok(number > (final?.number ?? -1), `${what} though ${final?.number} was told as final`);
  for (const event of events) {
    if (event.kind === 'reorg') {
      above(event.ancestor.number + 1, `a reorg to ${event.ancestor.number}`);
      for (const { number } of event.orphaned) hashes.delete(number);
    } else if (event.kind === 'finalize') {
      const { block } = event;
      above(block.number + 1, `finality of ${block.number}`);
      assert.equal(hashes.get(block.number), block.hash, 'a final block is one that was told');
      final = block;
    } else {
      above(event.from, `a block ${event.from}`);
      if (!event.last) continue;
      hashes.set(event.to.number, event.to.hash);
      if (event.from < event.to.number) final = { number: event.to.number, hash: event.to.hash };
    }
  }
  return final;
};

/** Whether a branch has another block than the final one, or cannot lead to it. */
export const contradicts = (
  chain: Pick<FakeChain, 'byHash'>,
  tip: Hex,
  final: BlockRef | undefined,
): boolean => {
  if (!final) return false;
  let [a, b] = [chain.byHash(tip), chain.byHash(final.hash)];
  while (a && b && a.header.number > b.header.number) a = chain.byHash(a.header.parentHash);
  while (a && b && b.header.number > a.header.number) b = chain.byHash(b.header.parentHash);
  return a?.header.hash !== b?.header.hash;
};
