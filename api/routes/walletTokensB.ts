import type { Hex } from '../../shared/chain/block.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { tokenListEntryB } from '../present/tokenB.ts';
import { listEnvelopeB } from '../schema/envelope.ts';
import { addressInput } from '../schema/fields.ts';
import { tokenListEntryBSchema } from '../schema/tokenB.ts';
import { z } from '../schema/zod.ts';
import type { Wallets } from '../wallets/wallet.ts';
import { answerPageB } from './answerPageB.ts';
import { EXAMPLE_ADDRESS } from './examples.ts';
import { walletAt } from './getWallet.ts';
import { PAGING_RULES, pagingFieldsB } from './pagingB.ts';
import { decodePlace, encodePlace } from './placeCursor.ts';

const LIST = 'wallet-tokens';
const ID = /^0x[0-9a-f]{40}$/;

const querySchema = z.object(pagingFieldsB).strict();

const list = (wallets: Wallets, address: Hex, query: z.output<typeof querySchema>, url: string) =>
  answerPageB({
    query,
    filters: {},
    url,
    load: async ({ limit, offset, cursor }) => {
      const after = decodePlace(LIST, cursor, ID);
      const { tokens, total } = await wallets.tokens(address, { limit, offset, after });
      if (total === 0) await walletAt(wallets, address);
      return { entries: tokens, total };
    },
    cursorOf: ({ createdAtS, token }) => encodePlace(LIST, { value: createdAtS, id: token }),
    present: tokenListEntryB,
  });

/** GET /api/wallet/{address}/tokens */
export const listWalletTokensB = (ports: { wallets: Wallets; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/wallet/{address}/tokens',
    id: 'getTokensOfWallet',
    tag: 'Wallets',
    style: 'B',
    summary: 'Tokens created by the wallet',
    description: `Analysed tokens, newest first. A wallet that made none answers with an empty list. ${PAGING_RULES}`,
    lowestTier: 'free',
    params: z.object({ address: addressInput }).strict(),
    query: querySchema,
    response: listEnvelopeB(tokenListEntryBSchema),
    successes: { 200: 'A page of tokens' },
    errors: [400, 401, 404, 429, 500, 503],
    example: {
      data: [
        {
          address: EXAMPLE_ADDRESS,
          symbol: 'MPEPE',
          is_rug: true,
          confidence: 0.94,
          name: 'Moon Pepe',
          risk_score: 94,
          risk_level: 'CRITICAL',
          created_at: '2026-11-20T18:02:11Z',
        },
      ],
      success: true,
      pagination: {
        total: 1,
        limit: 20,
        offset: 0,
        page: null,
        has_more: false,
        next_cursor: null,
      },
    },
    handle: ({ params: { address }, query }) =>
      list(ports.wallets, address, query, `${ports.baseUrl}/api/wallet/${address}/tokens`),
  });
