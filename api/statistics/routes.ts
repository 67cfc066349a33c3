import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
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
    handle: async ({ nowMs }) => ({ body: successA(await stats.read(), nowMs) }),
  });
