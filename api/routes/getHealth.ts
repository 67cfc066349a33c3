import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import type { Health } from '../ports.ts';
import { isoTime as presentTime } from '../present/isoTime.ts';
import { isoTime, nothing } from '../schema/fields.ts';
import { z } from '../schema/zod.ts';
import { EXAMPLE_TIME } from './examples.ts';

const statusSchema = z.enum(['healthy', 'unhealthy']);
/** Stands for a lag that is not known: nothing scored yet, or the database is away. */
const LAG_UNKNOWN = -1;

const responseSchema = z.object({
  status: statusSchema,
  timestamp: isoTime,
  success: z.boolean(),
  data: z.object({
    status: statusSchema,
    timestamp: isoTime,
    block_lag: z.number().int().openapi({
      description: 'blocks between the head of the chain and the last one scored; -1 when unknown',
    }),
    checks: z.record(z.enum(['up', 'down'])),
  }),
});

/** GET /api/health */
export const getHealth = ({ health }: { health: Health }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/health',
    id: 'getHealth',
    tag: 'Statistics',
    style: 'B',
    summary: 'Health',
    description: 'Needs a key like every operation, and takes nothing from the day quota.',
    lowestTier: 'free',
    dayUnits: 0,
    params: nothing,
    query: nothing,
    response: responseSchema,
    successes: { 200: 'Healthy', 503: 'Unhealthy, with the same body; or SYS_002' },
    errors: [400, 401, 429, 500],
    example: {
      status: 'healthy',
      timestamp: EXAMPLE_TIME,
      success: true,
      data: {
        status: 'healthy',
        timestamp: EXAMPLE_TIME,
        block_lag: 1,
        checks: { redis: 'up', clickhouse: 'up', nats: 'up' },
      },
    },
    handle: async ({ nowMs }) => {
      const [checks, lag] = await Promise.all([health.checks(), health.blockLag()]);
      const isHealthy = Object.values(checks).every((state) => state === 'up');
      const status = isHealthy ? ('healthy' as const) : ('unhealthy' as const);
      const timestamp = presentTime(nowMs);
      const data = { status, timestamp, block_lag: lag ?? LAG_UNKNOWN, checks };
      return {
        status: isHealthy ? 200 : 503,
        body: { status, timestamp, success: isHealthy, data },
        ...(isHealthy ? {} : { headers: { 'Retry-After': '5' } }),
      };
    },
  });
