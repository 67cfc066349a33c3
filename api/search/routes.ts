import type { Hex } from '../../shared/chain/block.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { foldText } from '../../shared/rules/foldText.ts';
import type { Clusters } from '../clusters/queries.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { offsetHeaders } from '../server/paging.ts';
import { successB } from '../server/present.ts';
import { count, envelopeB, queryIntegerOr, z } from '../server/schema.ts';
import type { Wallets } from '../wallets/wallet.ts';
import { clusterHit, tokenHit, walletHit } from './present.ts';
import { ENTITIES, type SearchHit, searchHitSchema, searchText } from './schema.ts';
import type { NameQuestion, Search } from './search.ts';

const QUERY_LENGTH_MIN = 2;
const QUERY_LENGTH_MAX = 128;
const LIMIT_MAX = 50;
/** Results that a search offers, over all pages. */
const OFFSET_MAX = 1_000;
const ADDRESS_PREFIX = /^0x[0-9a-f]{4,40}$/;
const ADDRESS_LENGTH = 42;
const POOL = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** All ring ids have this prefix, which most texts do not. */
const CLUSTER_ID = /^cl_[0-9a-f]+$/;

const querySchema = z
  .object({
    q: searchText(QUERY_LENGTH_MIN, QUERY_LENGTH_MAX).openapi({
      description:
        'address, beginning of the address of a token (0x and 4 digits), name, symbol, cluster id, address or id of a pool; where no token is found, names and symbols with a mistake in typing (two from nine letters on) are',
    }),
    type: z.enum(['all', ...ENTITIES]).default('all'),
    limit: queryIntegerOr(20, 1, LIMIT_MAX),
    offset: queryIntegerOr(0, 0, OFFSET_MAX),
  })
  .strict();
type Query = z.output<typeof querySchema>;

/** Dependencies of a search. */
export interface SearchPorts {
  readonly search: Search;
  readonly wallets: Wallets;
  readonly clusters: Clusters;
  readonly clock: Clock;
  readonly baseUrl: string;
}

const WHOLE = { relevance: 1, match: 'address' } as const;

/** The address of a pool, or its id in a manager, in lower case; undefined for any other text. */
export const poolOf = (text: string): Hex | undefined => {
  const pool = text.toLowerCase();
  return POOL.test(pool) ? (pool as Hex) : undefined;
};

/** Tokens traded in the pool that a text names. */
const tradedTokens = ({ search }: SearchPorts, text: string): Promise<Hex[]> | Hex[] => {
  const pool = poolOf(text);
  return pool ? search.poolTokens(pool) : [];
};

/** Tokens that a text finds: by address, symbol, name or pool. */
const foundTokens = (
  { search }: SearchPorts,
  text: string,
  page: Pick<NameQuestion, 'traded' | 'limit' | 'offset'>,
) => {
  const address = text.toLowerCase();
  const isWhole = address.length === ADDRESS_LENGTH;
  const digits = ADDRESS_PREFIX.test(address) ? address.slice(2) : undefined;
  return search.tokens({
    folded: digits !== undefined && isWhole ? undefined : foldText(text),
    digits,
    ...page,
  });
};

const foundWallet = async ({ wallets }: SearchPorts, text: string): Promise<SearchHit[]> => {
  const address = text.toLowerCase();
  if (address.length !== ADDRESS_LENGTH || !ADDRESS_PREFIX.test(address)) return [];
  const wallet = await wallets.find(address as Hex);
  return wallet ? [walletHit(wallet, WHOLE)] : [];
};

const foundCluster = async ({ clusters }: SearchPorts, text: string): Promise<SearchHit[]> => {
  if (!CLUSTER_ID.test(text)) return [];
  const found = await clusters.find(text);
  return found?.kind === 'found'
    ? [clusterHit(found.cluster, { relevance: 1, match: 'cluster' })]
    : [];
};

/** What a text finds, the most relevant first. */
export const findAll = async (ports: SearchPorts, { q, type, limit, offset }: Query) => {
  const startMs = ports.clock.now();
  const wants = (entity: (typeof ENTITIES)[number]): boolean => type === 'all' || type === entity;
  const [traded, wallets, clusters] = await Promise.all([
    wants('token') ? tradedTokens(ports, q) : [],
    wants('wallet') ? foundWallet(ports, q) : [],
    wants('cluster') ? foundCluster(ports, q) : [],
  ]);
  const others = [...clusters, ...wallets];
  const shown = others.slice(offset, offset + limit);
  const tokens = wants('token')
    ? await foundTokens(ports, q, {
        traded,
        limit: limit - shown.length,
        offset: Math.max(0, offset - others.length),
      })
    : { total: 0, hits: [] };
  return {
    query: q,
    results: [...shown, ...tokens.hits.map(({ verdict, ...found }) => tokenHit(verdict, found))],
    total: others.length + tokens.total,
    limit,
    offset,
    took_ms: Math.max(0, Math.round(ports.clock.now() - startMs)),
  };
};

/** GET /api/search */
export const searchAll = (ports: SearchPorts): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/search',
    id: 'search',
    tag: 'Search',
    summary: 'Global search',
    description:
      'Exact address first, then exact symbol, exact name, beginnings, parts of three letters or more. The address of a pool, or its id of 32 bytes, finds the tokens traded there that have a verdict, without the wrapped native token and stable ones where there is another. Letter case, compatibility forms, invisible characters and look-alike letters are ignored: a Cyrillic “USDТ” is found with the real one. Parts are searched only if fewer than 100 names begin with the text. `total` counts up to 1,000 hits of a kind.',
    query: querySchema,
    response: envelopeB(
      z.object({
        query: z.string(),
        results: z.array(searchHitSchema),
        total: count,
        limit: count,
        offset: count,
        took_ms: count,
      }),
    ),
    successes: { 200: 'What was found, the most relevant first' },
    handle: async ({ query }) => {
      const { q, type, limit, offset } = query;
      const found = await findAll(ports, query);
      return {
        body: successB(found),
        headers: offsetHeaders({
          url: `${ports.baseUrl}/api/search`,
          query: { q, type },
          total: found.total,
          limit,
          offset,
          offsetMax: OFFSET_MAX,
        }),
      };
    },
  });
