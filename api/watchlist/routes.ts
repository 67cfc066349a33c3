import type { AlertSettings } from '../../shared/families/alertSettingsStore.ts';
import {
  type AlertType,
  SENSITIVITIES,
  type Sensitivity,
  type WatchItem,
} from '../../shared/messages/watchMessage.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { RAISED_BY } from '../../shared/rules/artifacts/alertTypes.ts';
import type { Caller } from '../accounts/admission.ts';
import { nextTier, type Plans } from '../accounts/plans.ts';
import { effectiveSettings } from '../alerts/settings.ts';
import { conflict, insufficientTier, notFound } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { offsetHeaders } from '../server/paging.ts';
import { successA } from '../server/present.ts';
import {
  addressInput,
  alertType,
  count,
  envelopeA,
  offsetField,
  pathId,
  queryIntegerOr,
  z,
} from '../server/schema.ts';
import type { Tokens } from '../tokens/createTokens.ts';
import type { Jobs } from '../tokens/jobs.ts';
import type { Watchlist } from './createWatchlist.ts';
import { messageSchema, watchlistEntryA, watchlistItemA, watchlistItemSchema } from './schema.ts';

const ALERTS_MAX = 20;

/** Alert types requested with a new item, in the body format of both styles. */
export const watchedAlerts = z
  .array(alertType)
  .max(ALERTS_MAX, `must have at most ${ALERTS_MAX} items`)
  .optional()
  .openapi({
    description: `default: as configured; at first token [rug_pull, price_drop], wallet [new_token, rug_pull]. With an empty list the address is kept on the watchlist and raises no alerts. Only wallets raise ${RAISED_BY.wallet.join(' and ')}, only tokens ${RAISED_BY.token.join(' and ')}`,
  });

/** Dependencies of adding to a watchlist. */
export interface AdditionPorts {
  readonly watchlist: Watchlist;
  readonly alertSettings: AlertSettings;
  readonly tokens: Tokens;
  readonly jobs: Jobs;
  readonly plans: Plans;
  readonly baseUrl: string;
  readonly logger: Logger;
}

/** The item is stored whether or not the analysis can be queued: a failure is only logged. */
const queueAnalysis = async (
  ports: AdditionPorts,
  family: string,
  token: `0x${string}`,
): Promise<void> => {
  try {
    if (await ports.tokens.find(token)) return;
    await ports.jobs.start({ family, token, force: false });
  } catch (error) {
    ports.logger.warn({ token }, `analysis of a watched token not queued: ${errorMessage(error)}`);
  }
};

/**
 * Adds to the caller's watchlist; fields absent from the body follow the caller's settings.
 * @throws ApiError 409 if the address is watched already, 403 if the tier's limit is reached.
 */
export const addToWatchlist = async (
  ports: AdditionPorts,
  body: {
    type: WatchItem['type'];
    address: WatchItem['address'];
    alerts?: AlertType[] | undefined;
    sensitivity?: Sensitivity | undefined;
  },
  caller: Caller,
): Promise<WatchItem> => {
  const { type, address } = body;
  const settings = effectiveSettings(await ports.alertSettings.read(caller.family), caller.tier);
  const alerts = [...new Set(body.alerts ?? settings.default_alerts[type])];
  const sensitivity = body.sensitivity ?? settings.default_sensitivity;
  const itemsMax = ports.plans[caller.tier].watchlistItems;
  const watch = { family: caller.family, type, address, alerts, sensitivity };
  const outcome = await ports.watchlist.add(watch, itemsMax);
  if (outcome.kind === 'exists') {
    const { id } = outcome.item;
    throw conflict(`already watched as item ${id}`, {
      details: [{ in: 'body', path: 'address', message: 'is already watched', id }],
    });
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
export const addWatch = (ports: AdditionPorts): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/watchlist',
    id: 'addToWatchlist',
    tag: 'Watchlist',
    summary: 'Watch a token or wallet',
    description:
      'The same type and address twice is a conflict that names the existing item in `details`. A token never analysed is queued for analysis.',
    isIdempotent: true,
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
    errors: [403],
    handle: async ({ body, caller, nowMs }) => ({
      status: 201,
      body: successA(watchlistItemA(await addToWatchlist(ports, body, caller)), nowMs),
    }),
  });

/** GET /watchlist */
export const listWatchlist = (ports: { watchlist: Watchlist; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/watchlist',
    id: 'getWatchlist',
    tag: 'Watchlist',
    summary: 'List watchlist',
    description: 'Newest first. The list belongs to the key family.',
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
    handle: async ({ query, caller, nowMs }) => {
      const { type, limit, offset } = query;
      const page = { family: caller.family, type, limit, offset };
      const { items, total } = await ports.watchlist.list(page);
      return {
        body: successA({ items: items.map(watchlistEntryA), total, limit, offset }, nowMs),
        headers: offsetHeaders({
          url: `${ports.baseUrl}/watchlist`,
          query: { type },
          total,
          limit,
          offset,
        }),
      };
    },
  });

const MESSAGE = 'Watchlist item removed';

/** DELETE /watchlist/{id} */
export const removeWatch = ({ watchlist }: { watchlist: Watchlist }): Endpoint =>
  defineEndpoint({
    method: 'delete',
    path: '/watchlist/{id}',
    id: 'removeFromWatchlist',
    tag: 'Watchlist',
    summary: 'Stop watching',
    description: 'Past alerts stay. Items of other key families answer 404.',
    params: z.object({ id: pathId }).strict(),
    response: envelopeA(messageSchema),
    successes: { 200: 'The item is gone' },
    errors: [404],
    handle: async ({ params, caller, nowMs }) => {
      if (!(await watchlist.remove(caller.family, params.id))) {
        throw notFound('no such watchlist item');
      }
      return { body: successA({ message: MESSAGE }, nowMs) };
    },
  });
