import type { Hex } from '../../shared/chain/block.ts';
import { notFound } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { offsetHeaders } from '../server/paging.ts';
import { successA } from '../server/present.ts';
import {
  addressInput,
  count,
  envelopeA,
  offsetField,
  queryIntegerOr,
  z,
} from '../server/schema.ts';
import { walletEntry, walletTokenA, walletVersion } from './present.ts';
import { walletSchema, walletTokenSchema } from './schema.ts';
import type { Wallet, Wallets, WalletTokensPage } from './wallet.ts';

/**
 * The wallet at an address.
 * @throws ApiError 404 for an address unknown to the index.
 */
export const walletAt = async (wallets: Wallets, address: Hex): Promise<Wallet> => {
  const wallet = await wallets.find(address);
  if (!wallet) throw notFound('no such wallet in the index');
  return wallet;
};

/**
 * A page of the tokens that a wallet created.
 * @throws ApiError 404 if there are none and the index does not know the address.
 */
export const tokensAt = async (
  wallets: Wallets,
  address: Hex,
  page: WalletTokensPage,
): ReturnType<Wallets['tokens']> => {
  const found = await wallets.tokens(address, page);
  if (found.total === 0) await walletAt(wallets, address);
  return found;
};

/** Properties shared by all endpoints of one wallet. */
export const WALLET_READ = {
  method: 'get',
  tag: 'Wallets',
  params: z.object({ address: addressInput }).strict(),
  errors: [404],
} as const;

/** GET /wallets/{address} */
export const getWallet = ({ wallets }: { wallets: Wallets }): Endpoint =>
  defineEndpoint({
    ...WALLET_READ,
    path: '/wallets/{address}',
    id: 'getWallet',
    summary: 'Wallet',
    description:
      'What a wallet created, who funded it and which ring it belongs to. `cluster_id` is null when it is in none.',
    response: envelopeA(walletSchema),
    successes: { 200: 'The wallet' },
    handle: async ({ params, nowMs }) => {
      const wallet = await walletAt(wallets, params.address);
      return { body: successA(walletEntry(wallet), nowMs), version: walletVersion(wallet) };
    },
  });

/** GET /wallets/{address}/tokens */
export const listWalletTokens = (ports: { wallets: Wallets; baseUrl: string }): Endpoint =>
  defineEndpoint({
    ...WALLET_READ,
    path: '/wallets/{address}/tokens',
    id: 'getWalletTokens',
    summary: 'Tokens created by a wallet',
    description: 'Analysed tokens, newest first. For a wallet that created none the list is empty.',
    query: z.object({ limit: queryIntegerOr(50, 1, 100), offset: offsetField }).strict(),
    response: envelopeA(
      z.object({ tokens: z.array(walletTokenSchema), total: count, limit: count, offset: count }),
    ),
    successes: { 200: 'A page of tokens' },
    handle: async ({ params, query, nowMs }) => {
      const { limit, offset } = query;
      const { tokens, total } = await tokensAt(ports.wallets, params.address, { limit, offset });
      return {
        body: successA({ tokens: tokens.map(walletTokenA), total, limit, offset }, nowMs),
        headers: offsetHeaders({
          url: `${ports.baseUrl}/wallets/${params.address}/tokens`,
          query: {},
          total,
          limit,
          offset,
        }),
      };
    },
  });
