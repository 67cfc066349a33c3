import type {
  BlocksEvent,
  ChainEvent,
  FinalizeEvent,
  ReorgEvent,
} from '../../../shared/chain/chainEvent.ts';

/** Consecutive events of blocks, which always are of one epoch, and what stands between them. */
export type ChainStep =
  | { readonly kind: 'blocks'; readonly events: BlocksEvent[] }
  | { readonly kind: 'reorg'; readonly event: ReorgEvent }
  | { readonly kind: 'finalize'; readonly event: FinalizeEvent };

/** A batch of events as steps, in order: blocks are taken together, which costs little more than one. */
export const chainSteps = (batch: readonly { readonly event: ChainEvent }[]): ChainStep[] => {
  const steps: ChainStep[] = [];
  for (const { event } of batch) {
    const last = steps.at(-1);
    if (event.kind === 'reorg') steps.push({ kind: 'reorg', event });
    else if (event.kind === 'finalize') steps.push({ kind: 'finalize', event });
    else if (last?.kind === 'blocks') last.events.push(event);
    else steps.push({ kind: 'blocks', events: [event] });
  }
  return steps;
};
