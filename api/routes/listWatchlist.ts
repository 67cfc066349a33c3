import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { successA } from '../present/styleA.ts';
import { watchlistEntryA } from '../present/watchlistItemA.ts';
import { envelopeA } from '../schema/envelope.ts';
import { count, nothing, OFFSET_MAX, offsetField, queryIntegerOr } from '../schema/fields.ts';
import { watchlistItemSchema } from '../schema/watchlist.ts';
import { z } from '../schema/zod.ts';
import type { Watchlist } from '../watchlist/watchlist.ts';
import { exampleWatch } from './addWatch.ts';
import { EXAMPLE_TIME } from './examples.ts';
import { offsetSteps, pageHeaders } from './pageLinks.ts';

/** GET /watchlist */
export const listWatchlist = (ports: { watchlist: Watchlist; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/watchlist',
    id: 'getWatchlist',
    tag: 'Watchlist',
    style: 'A',
    summary: 'List watchlist',
    description: 'Newest first. The list belongs to the key family.',
    lowestTier: 'free',
    params: nothing,
    query: z
      .object({
        type: z.enum(['token', 'wallet']).optional(),
        limit: queryIntegerOr(50, 1, 100),
        offset: offsetField,
      })
      .strict(),
    response: envelopeA(
      z.object({
        items: z.array(watchlistItemSchema),
        total: count,
        limit: count,
        offset: count.optional(),
      }),
    ),
    successes: { 200: 'A page of watched addresses' },
    errors: [400, 401, 429, 500, 503],
    example: {
      success: true,
      data: { items: [{ ...exampleWatch, name: 'Moon Pepe' }], total: 1, limit: 50, offset: 0 },
      timestamp: EXAMPLE_TIME,
    },
    handle: async ({ query, caller, nowMs }) => {
      const { type, limit, offset } = query;
      const page = { family: caller.family, type, limit, offset };
      const { items, total } = await ports.watchlist.list(page);
      return {
        body: successA({ items: items.map(watchlistEntryA), total, limit, offset }, nowMs),
        headers: pageHeaders({
          url: `${ports.baseUrl}/watchlist`,
          query: { type },
          total,
          ...offsetSteps({ total, limit, offset, offsetMax: OFFSET_MAX }),
        }),
      };
    },
  });
