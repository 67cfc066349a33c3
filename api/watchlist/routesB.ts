import { SENSITIVITIES, type WatchItem } from '../../shared/messages/watchMessage.ts';
import { notFound } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import {
  answerPageB,
  decodePlace,
  encodePlace,
  PAGING_RULES,
  pageOf,
  pagingFieldsB,
} from '../server/paging.ts';
import { successB } from '../server/present.ts';
import { addressInput, envelopeB, listEnvelopeB, z } from '../server/schema.ts';
import type { Watchlist } from './createWatchlist.ts';
import { type AdditionPorts, addToWatchlist, watchedAlerts } from './routes.ts';
import { messageSchema, watchlistEntryA, watchlistItemA, watchlistItemSchema } from './schema.ts';

const LIST = 'watchlist';
const ID = /^\d{1,16}$/;
const REMOVED = 'Removed from watchlist';

const kindField = z.enum(['wallet', 'token', 'all']).default('wallet');
const typesOf = (kind: z.output<typeof kindField>): WatchItem['type'][] =>
  kind === 'all' ? ['wallet', 'token'] : [kind];

const listQuery = z.object({ type: kindField, ...pagingFieldsB }).strict();

const list = (
  watchlist: Watchlist,
  family: string,
  query: z.output<typeof listQuery>,
  url: string,
) =>
  answerPageB({
    page: pageOf(query),
    filters: { type: query.type },
    url,
    load: async ({ limit, offset, cursor }) => {
      const type = query.type === 'all' ? undefined : query.type;
      const after = decodePlace(LIST, cursor, ID);
      const before = after && { createdAtMs: after.value, id: Number(after.id) };
      const { items, total } = await watchlist.list({ family, type, limit, offset, before });
      return { entries: items, total };
    },
    cursorOf: ({ createdAtMs, id }) => encodePlace(LIST, { value: createdAtMs, id: String(id) }),
    present: watchlistEntryA,
  });

/** GET /api/watchlist */
export const listWatchedWallets = (ports: { watchlist: Watchlist; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/watchlist',
    id: 'getWatchedWallets',
    tag: 'Watchlist',
    summary: 'Watched wallets',
    description: `Newest first. The same list as /watchlist: \`type\` shows tokens, or all. ${PAGING_RULES}`,
    query: listQuery,
    response: listEnvelopeB(watchlistItemSchema),
    successes: { 200: 'A page of watched addresses' },
    handle: ({ query, caller }) =>
      list(ports.watchlist, caller.family, query, `${ports.baseUrl}/api/watchlist`),
  });

/** POST /api/watchlist */
export const addWatchedWallet = (ports: AdditionPorts): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/api/watchlist',
    id: 'watchWallet',
    tag: 'Watchlist',
    summary: 'Watch a wallet',
    description: 'As POST /watchlist, except that `type` is wallet by default.',
    isIdempotent: true,
    body: z
      .object({
        address: addressInput,
        type: z.enum(['wallet', 'token']).default('wallet'),
        alerts: watchedAlerts,
        sensitivity: z.enum(SENSITIVITIES).optional(),
      })
      .strict(),
    response: envelopeB(watchlistItemSchema),
    successes: { 201: 'The new item' },
    errors: [403],
    handle: async ({ body, caller }) => ({
      status: 201,
      body: successB(watchlistItemA(await addToWatchlist(ports, body, caller))),
    }),
  });

/** DELETE /api/watchlist/{address} */
export const removeWatchedWallet = ({ watchlist }: { watchlist: Watchlist }): Endpoint =>
  defineEndpoint({
    method: 'delete',
    path: '/api/watchlist/{address}',
    id: 'unwatchWallet',
    tag: 'Watchlist',
    summary: 'Stop watching (by address)',
    description: 'Removes the wallet item of the address; `type` widens it to the token, or both.',
    params: z.object({ address: addressInput }).strict(),
    query: z.object({ type: kindField }).strict(),
    response: envelopeB(messageSchema),
    successes: { 200: 'No longer watched' },
    errors: [404],
    handle: async ({ params, query, caller }) => {
      const types = typesOf(query.type);
      const removed = await watchlist.removeAddress(caller.family, params.address, types);
      if (removed === 0) throw notFound('no such watchlist item');
      return { body: successB({ message: REMOVED }) };
    },
  });
