import type { AlertType } from '../../shared/messages/watchMessage.ts';
import { SENSITIVITIES } from '../../shared/messages/watchMessage.ts';
import { errorMessage } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Caller } from '../accounts/admission.ts';
import { nextTier, type Plans } from '../accounts/plans.ts';
import { conflict, insufficientTier } from '../apiError.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Tokens } from '../ports.ts';
import { successA } from '../present/styleA.ts';
import { watchlistItemA } from '../present/watchlistItemA.ts';
import { envelopeA } from '../schema/envelope.ts';
import { addressInput, alertType, nothing } from '../schema/fields.ts';
import { type WatchlistItem, watchlistItemSchema } from '../schema/watchlist.ts';
import { z } from '../schema/zod.ts';
import type { Watchlist } from '../watchlist/watchlist.ts';
import { EXAMPLE_ADDRESS, EXAMPLE_TIME } from './examples.ts';

const ALERTS_MAX = 20;
const DEFAULT_ALERTS: Record<'token' | 'wallet', AlertType[]> = {
  token: ['rug_pull', 'price_drop'],
  wallet: ['new_token', 'rug_pull'],
};

export const exampleWatch: WatchlistItem = {
  id: 41,
  type: 'token',
  address: EXAMPLE_ADDRESS,
  alerts: ['rug_pull', 'price_drop'],
  sensitivity: 'high',
  created_at: EXAMPLE_TIME,
};

const bodySchema = z
  .object({
    type: z.enum(['token', 'wallet']),
    address: addressInput,
    alerts: z
      .array(alertType)
      .max(ALERTS_MAX, `must have at most ${ALERTS_MAX} items`)
      .optional()
      .openapi({
        description: 'default: token [rug_pull, price_drop]; wallet [new_token, rug_pull]',
      }),
    sensitivity: z.enum(SENSITIVITIES).default('medium'),
  })
  .strict();

interface Ports {
  readonly watchlist: Watchlist;
  readonly tokens: Tokens;
  readonly jobs: Jobs;
  readonly plans: Plans;
  readonly baseUrl: string;
  readonly logger: Logger;
}

/** The watch stands whether or not the analysis can be queued: a failure is only logged. */
const queueAnalysis = async (ports: Ports, family: string, token: `0x${string}`): Promise<void> => {
  try {
    if (await ports.tokens.find(token)) return;
    await ports.jobs.start({ family, token, force: false });
  } catch (error) {
    ports.logger.warn({ token }, `analysis of a watched token not queued: ${errorMessage(error)}`);
  }
};

const add = async (ports: Ports, body: z.output<typeof bodySchema>, caller: Caller) => {
  const { type, address, sensitivity } = body;
  const alerts = [...new Set(body.alerts ?? DEFAULT_ALERTS[type])];
  const itemsMax = ports.plans[caller.tier].watchlistItems;
  const watch = { family: caller.family, type, address, alerts, sensitivity };
  const outcome = await ports.watchlist.add(watch, itemsMax);
  if (outcome.kind === 'exists') {
    const { id } = outcome.item;
    throw conflict(`already watched as item ${id}`, [
      { in: 'body', path: 'address', message: 'is already watched', id },
    ]);
  }
  if (outcome.kind === 'full') {
    throw insufficientTier({
      message: `The watchlist of tier ${caller.tier} holds ${itemsMax} items`,
      tier: caller.tier,
      requiredTier: nextTier(caller.tier),
      upgradeUrl: `${ports.baseUrl}/dashboard/plans`,
    });
  }
  if (type === 'token') await queueAnalysis(ports, caller.family, address);
  return outcome.item;
};

/** POST /watchlist */
export const addWatch = (ports: Ports): Endpoint =>
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
    body: bodySchema,
    response: envelopeA(watchlistItemSchema),
    successes: { 201: 'The new item' },
    errors: [400, 401, 403, 409, 413, 415, 422, 429, 500, 503],
    example: { success: true, data: exampleWatch, timestamp: EXAMPLE_TIME },
    handle: async ({ body, caller, nowMs }) => ({
      status: 201,
      body: successA(watchlistItemA(await add(ports, body, caller)), nowMs),
    }),
  });
