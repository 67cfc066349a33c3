import { notFound } from '../apiError.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { successA } from '../present/styleA.ts';
import { envelopeA } from '../schema/envelope.ts';
import { nothing, pathId } from '../schema/fields.ts';
import { messageSchema } from '../schema/watchlist.ts';
import { z } from '../schema/zod.ts';
import type { Watchlist } from '../watchlist/watchlist.ts';
import { EXAMPLE_TIME } from './examples.ts';

const MESSAGE = 'Watchlist item removed';

/** DELETE /watchlist/{id} */
export const removeWatch = ({ watchlist }: { watchlist: Watchlist }): Endpoint =>
  defineEndpoint({
    method: 'delete',
    path: '/watchlist/{id}',
    id: 'removeFromWatchlist',
    tag: 'Watchlist',
    style: 'A',
    summary: 'Stop watching',
    description: 'Past alerts stay. An item of another key family does not exist for the caller.',
    lowestTier: 'free',
    params: z.object({ id: pathId }).strict(),
    query: nothing,
    response: envelopeA(messageSchema),
    successes: { 200: 'The item is gone' },
    errors: [400, 401, 404, 429, 500, 503],
    example: { success: true, data: { message: MESSAGE }, timestamp: EXAMPLE_TIME },
    handle: async ({ params, caller, nowMs }) => {
      if (!(await watchlist.remove(caller.family, params.id))) {
        throw notFound('no such watchlist item');
      }
      return { body: successA({ message: MESSAGE }, nowMs) };
    },
  });
