import type { Hex } from '../../shared/chain/block.ts';
import type { Graphs } from '../graph/graph.ts';
import { connectionsOf } from '../graph/present.ts';
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
import {
  envelopeB,
  listEnvelopeB,
  ordered,
  queryIntegerOr,
  queryTime,
  z,
} from '../server/schema.ts';
import { tokenListEntryB } from '../tokens/present.ts';
import { tokenListEntryBSchema } from '../tokens/schema.ts';
import { walletAnalysis, walletB, walletReputation, walletVersion } from './present.ts';
import { tokensAt, WALLET_READ, walletAt } from './routes.ts';
import { walletAnalysisSchema, walletBSchema, walletReputationSchema } from './schema.ts';
import type { Wallets } from './wallet.ts';

const CONNECTIONS_MAX = 25;
/** Nodes read for connections: these include tokens. */
const CONNECTION_NODES_MAX = 200;

/** GET /api/wallets/{address} */
export const getWalletB = (ports: { wallets: Wallets; graphs: Graphs }): Endpoint =>
  defineEndpoint({
    ...WALLET_READ,
    path: '/api/wallets/{address}',
    id: 'getWalletReport',
    summary: 'Wallet with reputation, scam history and connections',
    description: 'The newest 50 scams and the 25 strongest connections.',
    response: envelopeB(walletBSchema),
    successes: { 200: 'The wallet' },
    handle: async ({ params: { address } }) => {
      const wallet = await walletAt(ports.wallets, address);
      const [scams, graph] = await Promise.all([
        ports.wallets.scams(address),
        ports.graphs.around(address, {
          depth: 1,
          nodesMax: CONNECTION_NODES_MAX,
          direction: 'both',
        }),
      ]);
      const connections = graph ? connectionsOf(graph, CONNECTIONS_MAX) : [];
      return { body: successB(walletB(wallet, scams, connections)) };
    },
  });

/** GET /api/wallet/{address} */
export const getWalletAnalysis = ({ wallets }: { wallets: Wallets }): Endpoint =>
  defineEndpoint({
    ...WALLET_READ,
    path: '/api/wallet/{address}',
    id: 'getWalletAnalysis',
    summary: 'Wallet analysis',
    description: 'What the behaviour of a wallet shows: who funded it, what it did, why its score.',
    response: envelopeB(walletAnalysisSchema),
    successes: { 200: 'The wallet' },
    handle: async ({ params }) => {
      const wallet = await walletAt(wallets, params.address);
      return { body: successB(walletAnalysis(wallet)), version: walletVersion(wallet) };
    },
  });

const reputationOf = (
  path: string,
  operation: { id: string; summary: string },
  { wallets, baseUrl }: { wallets: Wallets; baseUrl: string },
): Endpoint =>
  defineEndpoint({
    ...operation,
    ...WALLET_READ,
    path,
    description:
      '`reputation_score` starts at 50; the contributions of `factors` add up to score - 50. `history` is newest first; `from` must be at most `to`.',
    query: z
      .object({ from: queryTime, to: queryTime, limit: queryIntegerOr(100, 1, 1_000) })
      .strict()
      .superRefine(ordered('from', 'to')),
    response: envelopeB(walletReputationSchema),
    successes: { 200: 'The reputation' },
    handle: async ({ params: { address }, query }) => {
      const wallet = await walletAt(wallets, address);
      const steps = await wallets.history(address, {
        fromS: query.from === undefined ? undefined : Math.ceil(query.from / 1000),
        toS: query.to === undefined ? undefined : Math.floor(query.to / 1000),
        limit: query.limit,
      });
      const canonical = `${baseUrl}/api/wallets/${address}/reputation`;
      return {
        body: successB(walletReputation(wallet, steps)),
        headers: { Link: `<${canonical}>; rel="canonical"` },
      };
    },
  });

/** GET /api/wallets/{address}/reputation */
export const getWalletReputation = (ports: { wallets: Wallets; baseUrl: string }): Endpoint =>
  reputationOf(
    '/api/wallets/{address}/reputation',
    { id: 'getWalletReputation', summary: 'Reputation score and history' },
    ports,
  );

/** GET /api/wallet/{address}/reputation */
export const getWalletReputationAlias = (ports: { wallets: Wallets; baseUrl: string }): Endpoint =>
  reputationOf(
    '/api/wallet/{address}/reputation',
    { id: 'getWalletReputationAlias', summary: 'Reputation (singular alias)' },
    ports,
  );

const LIST = 'wallet-tokens';
const ID = /^0x[0-9a-f]{40}$/;

const querySchema = z.object(pagingFieldsB).strict();

const list = (wallets: Wallets, address: Hex, query: z.output<typeof querySchema>, url: string) =>
  answerPageB({
    page: pageOf(query),
    filters: {},
    url,
    load: async ({ limit, offset, cursor }) => {
      const after = decodePlace(LIST, cursor, ID);
      const { tokens, total } = await tokensAt(wallets, address, { limit, offset, after });
      return { entries: tokens, total };
    },
    cursorOf: ({ createdAtS, token }) => encodePlace(LIST, { value: createdAtS, id: token }),
    present: tokenListEntryB,
  });

/** GET /api/wallet/{address}/tokens */
export const listWalletTokensB = (ports: { wallets: Wallets; baseUrl: string }): Endpoint =>
  defineEndpoint({
    ...WALLET_READ,
    path: '/api/wallet/{address}/tokens',
    id: 'getTokensOfWallet',
    summary: 'Tokens created by the wallet',
    description: `Analysed tokens, newest first. For a wallet that created none the list is empty. ${PAGING_RULES}`,
    query: querySchema,
    response: listEnvelopeB(tokenListEntryBSchema),
    successes: { 200: 'A page of tokens' },
    handle: ({ params: { address }, query }) =>
      list(ports.wallets, address, query, `${ports.baseUrl}/api/wallet/${address}/tokens`),
  });
