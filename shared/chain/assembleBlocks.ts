import type { BlockFacts, BlocksEvent } from './chainEvent.ts';

/** Complete blocks, and the last one, whose facts may continue in the next message. */
export interface Assembled {
  readonly complete: readonly BlockFacts[];
  readonly open: BlockFacts | null;
}

/** Reassembles blocks that were split over several messages: a rule must see a block as a whole. */
export const assembleBlocks = (open: BlockFacts | null, event: BlocksEvent): Assembled => {
  const blocks: BlockFacts[] = open ? [open] : [];
  for (const block of event.blocks) {
    const last = blocks.at(-1);
    if (last?.hash !== block.hash) blocks.push(block);
    else blocks.splice(-1, 1, { ...block, facts: [...last.facts, ...block.facts] });
  }
  if (event.last) return { complete: blocks, open: null };
  return { complete: blocks.slice(0, -1), open: blocks.at(-1) ?? null };
};
