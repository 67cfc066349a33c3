import { ulid } from 'ulid';
import type { Clickhouse } from '../../shared/adapters/clickhouse.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { findFeedback, saveFeedback } from '../queries/feedback.ts';
import type { Feedback } from './feedback.ts';

/** Disputed verdicts of one chain. */
export const createFeedback = (args: {
  database: Pick<Clickhouse, 'query' | 'exec'>;
  chainId: number;
  clock: Clock;
}): Feedback => {
  const { database, chainId, clock } = args;
  return {
    add: async (given) => {
      const createdAtMs = clock.now();
      const item = {
        ...given,
        id: `fb_${ulid(createdAtMs)}`,
        status: 'open',
        resolution: null,
        createdAtMs,
        resolvedAtMs: null,
      } as const;
      await saveFeedback(database, chainId, item);
      return item;
    },
    find: (family, id) => findFeedback(database, family, id),
  };
};
