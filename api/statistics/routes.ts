import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { EXAMPLE_TIME } from '../server/examples.ts';
import { successA } from '../server/present.ts';
import { envelopeA } from '../server/schema.ts';
import type { Stats } from './createStats.ts';
import { globalStatsSchema } from './queries.ts';

/** GET /stats */
export const getStats = ({ stats }: { stats: Stats }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/stats',
    id: 'getStats',
    tag: 'Statistics',
    summary: 'Global statistics',
    description: 'Computed at most once in 60 seconds.',
    response: envelopeA(globalStatsSchema),
    successes: { 200: 'The statistics' },
    example: {
      success: true,
      data: {
        tokens_analyzed: 128_840,
        scam_rate: 0.61,
        accuracy: 0.958,
        accuracy_source: 'measured',
        accuracy_samples: 51_204,
        wallets_tracked: 301_221,
        clusters_detected: 1840,
        total_saved: 12_400_000,
      },
      timestamp: EXAMPLE_TIME,
    },
    handle: async ({ nowMs }) => ({ body: successA(await stats.read(), nowMs) }),
  });
