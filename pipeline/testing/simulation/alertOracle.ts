import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { Alert } from '../../../shared/messages/alertMessage.ts';
import type { WatchItem } from '../../../shared/messages/watchMessage.ts';
import { blocksEvent } from '../../../shared/testing/blocksEvent.ts';
import type { Pricing } from '../../alerts/pools/poolSides.ts';
import { createBench } from '../../alerts/testing/alerterBench.ts';
import { CHAIN_ID } from '../../alerts/testing/chainBuilder.ts';

/** Key by which two alerts count as the same. */
interface ComparableAlert {
  readonly watchId: number;
  readonly type: string;
  readonly block: string;
  readonly logIndex: number;
  readonly severity: string;
  readonly change: number | null;
}

export const comparable = (alert: Alert): ComparableAlert => {
  const { watchId, type, blockHash, logIndex, severity, details } = alert;
  const { liquidity_change: change } = details;
  return {
    watchId,
    type,
    block: blockHash,
    logIndex,
    severity,
    change: typeof change === 'number' ? change : null,
  };
};

/**
 * The alerts of watched items for some blocks, by an alerter that reads them once, in order and without failures.
 * Pools of other protocols than Uniswap V2 do not count.
 * @param repeats whether an item is alerted again about the same recent event
 */
export const expectedAlerts = async (
  blocks: readonly BlockFacts[],
  items: readonly WatchItem[],
  pricing: Pricing,
  repeats = false,
): Promise<ComparableAlert[]> => {
  const bench = createBench(undefined, { pricing, factories: new Set() });
  for (const item of items) {
    bench.watch(item);
    if (repeats) bench.set(item.family, { dedupe_window_seconds: 0 });
  }
  bench.add(...blocks.map((block) => blocksEvent([block], { chainId: CHAIN_ID })));
  await bench.start().handle(bench.stream);
  return bench.alerts().map(comparable);
};
