import { TIERS } from '../../shared/families/tier.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { successB } from '../server/present.ts';
import { count, envelopeB, isoDateTime, z } from '../server/schema.ts';
import type { Usage } from './usage.ts';

const HOUR_S = 3_600;
const HOURS_SHOWN = 24;

const usageSchema = z
  .object({
    tier: z.enum(TIERS),
    day: z.object({ limit: count, used: count, remaining: count, resets_at: isoDateTime }),
    minute: z.object({ limit: count, remaining: count }),
    last_24h: z
      .array(z.object({ hour: isoDateTime, requests: count, errors: count }))
      .openapi({ description: 'hours with any request, oldest first; counted within seconds' }),
  })
  .openapi('Usage');

/** GET /api/usage */
export const getUsage = ({ usage }: { usage: Usage }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/usage',
    id: 'getUsage',
    tag: 'Statistics',
    summary: 'Quota and usage of this key',
    description:
      'A key and its successors after rotation share quota and usage. Does not count towards the daily quota.',
    dayUnits: 0,
    response: envelopeB(usageSchema),
    successes: { 200: 'Quota and usage' },
    handle: async ({ caller, quota, nowMs }) => {
      const thisHourS = Math.floor(nowMs / 1000 / HOUR_S) * HOUR_S;
      const hours = await usage.hours(caller.family, thisHourS - (HOURS_SHOWN - 1) * HOUR_S);
      return {
        body: successB({
          tier: caller.tier,
          day: {
            limit: quota.dayLimit,
            used: quota.dayLimit - quota.dayRemaining,
            remaining: quota.dayRemaining,
            resets_at: isoTime(quota.dayResetS * 1000),
          },
          minute: { limit: quota.minuteLimit, remaining: quota.minuteRemaining },
          last_24h: hours.map(({ atS, requests, errors }) => ({
            hour: isoTime(atS * 1000),
            requests,
            errors,
          })),
        }),
      };
    },
  });
