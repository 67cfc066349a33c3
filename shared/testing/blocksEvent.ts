import { ZERO_HASH } from '../chain/block.ts';
import type { BlockFacts, BlocksEvent } from '../chain/chainEvent.ts';

const GENESIS = { number: 0, hash: ZERO_HASH, timestampS: 0 };

/** Blocks as one message of chain 1's stream, with the last one as the head. */
export const blocksEvent = (
  blocks: readonly BlockFacts[],
  changes: Partial<BlocksEvent> = {},
): BlocksEvent => {
  const { number, hash, timestampS } = blocks.at(-1) ?? GENESIS;
  return {
    kind: 'blocks',
    chainId: 1,
    epoch: 0,
    from: blocks[0]?.number ?? number,
    to: { number, hash, parentHash: ZERO_HASH, timestampS },
    blocks,
    chunk: 0,
    last: true,
    head: number,
    readAtMs: 0,
    ...changes,
  };
};
