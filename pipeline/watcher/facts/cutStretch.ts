import type { BlockFacts, BlocksEvent } from '../../../shared/chain/chainEvent.ts';
import { FACTS_PER_MESSAGE_MAX } from '../../../shared/messages/chainMessage.ts';
import type { Stretch } from './stretch.ts';

/** What the events of a stretch carry beside its facts. */
export interface StretchContext {
  readonly chainId: number;
  readonly epoch: number;
  readonly head: number;
  /** Unix milliseconds. */
  readonly readAtMs: number;
  /** Pieces of this stretch that an earlier attempt published: their numbers are not used again. */
  readonly chunksBefore: number;
}

/** Cuts facts into groups of at most FACTS_PER_MESSAGE_MAX, through blocks where need be. */
const groupsOf = (blocks: readonly BlockFacts[]): BlockFacts[][] => {
  const groups: BlockFacts[][] = [[]];
  let room = FACTS_PER_MESSAGE_MAX;
  for (const block of blocks) {
    for (let at = 0; at < block.facts.length; ) {
      if (room === 0) {
        groups.push([]);
        room = FACTS_PER_MESSAGE_MAX;
      }
      const part = block.facts.slice(at, at + room);
      groups.at(-1)?.push(part.length === block.facts.length ? block : { ...block, facts: part });
      at += part.length;
      room -= part.length;
    }
  }
  return groups;
};

/**
 * The events of one stretch, the last of which completes it. A full message stays below
 * CHAIN_MESSAGE_BYTES_MAX: the longest fact (a swap) has some 650 bytes, a block's heading 130.
 */
export const cutStretch = (stretch: Stretch, context: StretchContext): BlocksEvent[] => {
  const { chainId, epoch, head, readAtMs, chunksBefore } = context;
  const { number, hash, parentHash, timestampS } = stretch.to;
  const groups = groupsOf(stretch.blocks);
  return groups.map((blocks, i) => ({
    kind: 'blocks',
    chainId,
    epoch,
    from: stretch.from,
    to: { number, hash, parentHash, timestampS },
    blocks,
    chunk: chunksBefore + i,
    last: i === groups.length - 1,
    head: Math.max(head, number),
    readAtMs,
  }));
};
