import type { Hex } from '../../shared/chain/block.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { foldText } from '../../shared/rules/foldText.ts';
import type { Clusters } from '../clusters/queries.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { offsetHeaders } from '../server/paging.ts';
import { successB } from '../server/present.ts';
import { count, envelopeB, queryIntegerOr, z } from '../server/schema.ts';
import type { Tokens } from '../tokens/createTokens.ts';
import type { Wallets } from '../wallets/wallet.ts';
import { clusterHit, tokenHit, walletHit } from './present.ts';
import { ENTITIES, type SearchHit, searchHitSchema, searchText } from './schema.ts';
import type { Search, TermHit } from './search.ts';

/** A token that was found, and why. */
export interface RankedHit {
  readonly token: Hex;
  /** 0 to 1. */
  readonly relevance: number;
  readonly match: 'address' | 'pool' | 'symbol' | 'name';
}

/** Exact before prefix before inside; symbol before name; the rest of the range by closeness. */
const BASE: Record<TermHit['place'], Record<TermHit['field'], number>> = {
  exact: { symbol: 0.98, name: 0.95 },
  prefix: { symbol: 0.8, name: 0.7 },
  inside: { symbol: 0.5, name: 0.4 },
};
/** Added for a text that covers nearly the whole name. */
const CLOSENESS_MAX = 0.09;
const DIGITS = 4;

const relevanceOf = (hit: TermHit, length: number): number => {
  const closeness = hit.place === 'exact' ? 0 : CLOSENESS_MAX * (length / Math.max(1, hit.length));
  return Number((BASE[hit.place][hit.field] + closeness).toFixed(DIGITS));
};

const byRelevance = (a: RankedHit, b: RankedHit): number =>
  b.relevance - a.relevance || (a.token < b.token ? -1 : 1);

/**
 * Each token once, the most relevant first; equals by address.
 * @param found.addresses tokens whose address begins with what was searched.
 * @param found.length letters of the folded text.
 */
const rankHits = (found: {
  addresses: readonly Hex[];
  isWholeAddress: boolean;
  terms: readonly TermHit[];
  length: number;
}): RankedHit[] => {
  const best = new Map<Hex, RankedHit>();
  const offer = (hit: RankedHit): void => {
    const known = best.get(hit.token);
    if (!known || known.relevance < hit.relevance) best.set(hit.token, hit);
  };
  const relevance = found.isWholeAddress ? 1 : BASE.prefix.symbol + CLOSENESS_MAX;
  for (const token of found.addresses) offer({ token, relevance, match: 'address' });
  for (const term of found.terms) {
    offer({
      token: term.token,
      relevance: relevanceOf(term, found.length),
      match: term.field,
    });
  }
  return [...best.values()].toSorted(byRelevance);
};

const QUERY_LENGTH_MIN = 2;
const QUERY_LENGTH_MAX = 128;
const LIMIT_MAX = 50;
/** Results a search is willing to show, page by page. */
const OFFSET_MAX = 1_000;
const ADDRESS_PREFIX = /^0x[0-9a-f]{4,40}$/;
const ADDRESS_LENGTH = 42;
const POOL = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** All ids of rings begin so: most texts are none. */
const CLUSTER_ID = /^cl_[0-9a-f]+$/;

const querySchema = z
  .object({
    q: searchText(QUERY_LENGTH_MIN, QUERY_LENGTH_MAX).openapi({
      description:
        'address, beginning of an address (0x and 4 digits), name, symbol, cluster id, address or id of a pool',
    }),
    type: z.enum(['all', ...ENTITIES]).default('all'),
    limit: queryIntegerOr(20, 1, LIMIT_MAX),
    offset: queryIntegerOr(0, 0, OFFSET_MAX),
  })
  .strict();
type Query = z.output<typeof querySchema>;

/** What a search looks into. */
export interface SearchPorts {
  readonly search: Search;
  readonly tokens: Tokens;
  readonly wallets: Wallets;
  readonly clusters: Clusters;
  readonly clock: Clock;
  readonly baseUrl: string;
}

const WHOLE = { relevance: 1, match: 'address' } as const;

const rankedTokens = async ({ search }: SearchPorts, text: string): Promise<RankedHit[]> => {
  const address = text.toLowerCase();
  const isAddress = ADDRESS_PREFIX.test(address);
  const isWholeAddress = address.length === ADDRESS_LENGTH;
  const folded = foldText(text);
  const [addresses, terms] = await Promise.all([
    isAddress ? search.tokensAt(address.slice(2)) : [],
    isAddress && isWholeAddress ? [] : search.terms(folded),
  ]);
  return rankHits({ addresses, isWholeAddress, terms, length: Array.from(folded).length });
};

/** The address of a pool, or its id in a manager, in lower case; undefined for another text. */
export const poolOf = (text: string): Hex | undefined => {
  const pool = text.toLowerCase();
  return POOL.test(pool) ? (pool as Hex) : undefined;
};

/** Tokens with a verdict that are traded in a pool. */
const tokensOfPool = async (
  { search, tokens }: SearchPorts,
  text: string,
): Promise<RankedHit[]> => {
  const pool = poolOf(text);
  const verdicts = pool ? await tokens.findMany(await search.poolTokens(pool)) : [];
  return verdicts.map(({ token }) => ({ token, relevance: 1, match: 'pool' }));
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
  const [matching, traded, wallets, clusters] = await Promise.all([
    wants('token') ? rankedTokens(ports, q) : [],
    wants('token') ? tokensOfPool(ports, q) : [],
    wants('wallet') ? foundWallet(ports, q) : [],
    wants('cluster') ? foundCluster(ports, q) : [],
  ]);
  const others = [...clusters, ...wallets];
  // Shares of a pool can be a token themselves.
  const found = new Set(matching.map(({ token }) => token));
  const ranked = [...matching, ...traded.filter(({ token }) => !found.has(token))];
  const shown = ranked.slice(
    Math.max(0, offset - others.length),
    Math.max(0, offset + limit - others.length),
  );
  const verdicts = await ports.tokens.findMany(shown.map(({ token }) => token));
  const byToken = new Map(verdicts.map((verdict) => [verdict.token, verdict]));
  const tokens = shown.flatMap(({ token, relevance, match }) => {
    const verdict = byToken.get(token);
    return verdict ? [tokenHit(verdict, { relevance, match })] : [];
  });
  return {
    query: q,
    results: [...others.slice(offset, offset + limit), ...tokens],
    total: others.length + ranked.length,
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
      'Exact address first, then exact symbol, exact name, beginnings, parts of three letters or more. The address of a pool, or its id of 32 bytes, finds the tokens traded there that have a verdict, without the wrapped native token and stable ones where there is another. Letter case, compatibility forms, invisible characters and letters that look alike do not matter: a Cyrillic “USDТ” is found with the real one. Parts are searched only if fewer than 100 names begin with the text. `total` counts up to 1,000 hits of a kind.',
    isHeavy: true,
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
