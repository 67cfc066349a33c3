import { SENSITIVITIES } from '../../shared/messages/watchMessage.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { successA } from '../present/styleA.ts';
import { watchlistItemA } from '../present/watchlistItemA.ts';
import { envelopeA } from '../schema/envelope.ts';
import { addressInput, nothing } from '../schema/fields.ts';
import { type WatchlistItem, watchlistItemSchema } from '../schema/watchlist.ts';
import { z } from '../schema/zod.ts';
import { EXAMPLE_ADDRESS, EXAMPLE_TIME } from './examples.ts';
import { type AdditionPorts, addToWatchlist, watchedAlerts } from './watchAddition.ts';

export const exampleWatch: WatchlistItem = {
  id: 41,
  type: 'token',
  address: EXAMPLE_ADDRESS,
  alerts: ['rug_pull', 'price_drop'],
  sensitivity: 'high',
  created_at: EXAMPLE_TIME,
};

/** POST /watchlist */
export const addWatch = (ports: AdditionPorts): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/watchlist',
    id: 'addToWatchlist',
    tag: 'Watchlist',
    style: 'A',
    summary: 'Watch a token or wallet',
    description:
      'The same type and address twice is a conflict that names the existing item in `details`. A token never analysed is queued for analysis.',
    lowestTier: 'free',
    isIdempotent: true,
    params: nothing,
    query: nothing,
    body: z
      .object({
        type: z.enum(['token', 'wallet']),
        address: addressInput,
        alerts: watchedAlerts,
        sensitivity: z
          .enum(SENSITIVITIES)
          .optional()
          .openapi({ description: 'default: as configured; at first medium' }),
      })
      .strict(),
    response: envelopeA(watchlistItemSchema),
    successes: { 201: 'The new item' },
    errors: [400, 401, 403, 409, 413, 415, 422, 429, 500, 503],
    example: { success: true, data: exampleWatch, timestamp: EXAMPLE_TIME },
    handle: async ({ body, caller, nowMs }) => ({
      status: 201,
      body: successA(watchlistItemA(await addToWatchlist(ports, body, caller)), nowMs),
    }),
  });
