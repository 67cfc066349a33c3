import { once } from 'node:events';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { createListIndex, type ListIndex } from '../index/createListIndex.ts';

/** An index of a database that applies all stored rows before it answers. */
export const startTestIndex = async (
  database: Clickhouse,
  chainId: number,
): Promise<{ index: ListIndex; close: () => Promise<void> }> => {
  const index = createListIndex({ database, chainId, clock: systemClock, logger: silentLogger });
  const end = new AbortController();
  const running = index.run(end.signal);
  while (!index.state().isReady) await once(AbortSignal.timeout(10), 'abort');
  return {
    index: {
      ask: async (method, question) => {
        await index.followNow();
        return index.ask(method, question);
      },
      know: index.know,
    },
    close: async () => {
      end.abort();
      await running;
    },
  };
};
