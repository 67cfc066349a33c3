import { notFound } from '../apiError.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import type { Alerts } from '../ports.ts';
import { successA } from '../present/styleA.ts';
import { envelopeA } from '../schema/envelope.ts';
import { nothing, pathId } from '../schema/fields.ts';
import { messageSchema } from '../schema/watchlist.ts';
import { z } from '../schema/zod.ts';
import { EXAMPLE_TIME } from './examples.ts';

const MESSAGE = 'Alert marked as read';

/** POST /alerts/{id}/read */
export const readAlert = ({ alerts }: { alerts: Alerts }): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/alerts/{id}/read',
    id: 'readAlert',
    tag: 'Alerts',
    style: 'A',
    summary: 'Mark an alert read',
    description: 'Takes no body. Doing it again changes nothing.',
    lowestTier: 'free',
    params: z.object({ id: pathId }).strict(),
    query: nothing,
    response: envelopeA(messageSchema),
    successes: { 200: 'The alert is read' },
    errors: [400, 401, 404, 429, 500, 503],
    example: { success: true, data: { message: MESSAGE }, timestamp: EXAMPLE_TIME },
    handle: async ({ params, caller, nowMs }) => {
      if (!(await alerts.markRead(caller.family, params.id))) throw notFound('no such alert');
      return { body: successA({ message: MESSAGE }, nowMs) };
    },
  });
