import autocannon from 'autocannon';
import { CLUSTER_SORTS } from '../../api/clusters/queries.ts';
import { WALLET_SORTS } from '../../api/search/search.ts';
import { WALLET_ROLES } from '../../shared/rules/walletRoles.ts';
import { birthOf, creatorAt, FAILING, tokenAt } from './manyTokens.ts';

// Reads of the API, and how they are asked.

/**
 * Concurrent connections. The API answers at most 16 expensive requests of one key, so as many keys take turns.
 */
export const CONNECTIONS = 32;
const TIMEOUT_S = 30;

/** What requests took, milliseconds. */
export interface Measured {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
  /** 503 responses: the API accepts no more than it can do. */
  readonly shed: number;
}

/** A path, or a body for `POST /api/search/advanced`. */
export type Read = () => string | object;

/** The request of a read. */
export const requestOf = (asked: ReturnType<Read>) => {
  if (typeof asked === 'string') return { method: 'GET' as const, path: asked };
  return { method: 'POST' as const, path: '/api/search/advanced', body: JSON.stringify(asked) };
};

type Headers = Readonly<Record<string, string>>;

/** Target of the requests, and for how long. */
export interface Target {
  readonly baseUrl: string;
  /** Headers of the callers, used in turns; with a single path only the first. */
  readonly callers: readonly Headers[];
  readonly seconds: number;
  /** Concurrent callers; `CONNECTIONS` if absent. */
  readonly connections?: number;
}

/**
 * Sends requests over all connections at once.
 * @param read one path for all requests, or a new one for each, which costs this process as much as the request.
 * @throws Error for a response that is neither a success nor 503
 */
export const hammer = async (
  { baseUrl, callers, seconds, connections = CONNECTIONS }: Target,
  read: string | Read,
): Promise<Measured> => {
  let asked = 0;
  const nextCaller = (): Headers => callers[asked++ % callers.length] ?? {};
  const result = await autocannon({
    url: typeof read === 'string' ? `${baseUrl}${read}` : baseUrl,
    connections,
    duration: seconds,
    timeout: TIMEOUT_S,
    headers: { 'content-type': 'application/json', ...callers[0] },
    ...(typeof read === 'string'
      ? {}
      : {
          requests: [
            {
              setupRequest: (request) => ({
                ...request,
                headers: { ...request.headers, ...nextCaller() },
                ...requestOf(read()),
              }),
            },
          ],
        }),
  });
  const shed = result.statusCodeStats?.['503']?.count ?? 0;
  if (result.non2xx > shed || result.errors > 0) {
    const example = JSON.stringify(typeof read === 'string' ? read : read());
    throw new Error(`${example}: ${result.non2xx} refusals, ${result.errors} errors`);
  }
  const { p50, p99 } = result.latency;
  return { p50, p99, perSecond: result['2xx'] / seconds, shed };
};

/** Sends one request and waits for the response, whatever it is. */
export const askOnce = async ({ baseUrl, callers }: Target, read: string | Read): Promise<void> => {
  const { path, ...request } = requestOf(typeof read === 'string' ? read : read());
  const headers = { 'content-type': 'application/json', ...callers[0] };
  const answer = await fetch(`${baseUrl}${path}`, { ...request, headers });
  await answer.arrayBuffer();
};

const random = (below: number): number => Math.floor(Math.random() * below);
const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;

const SORTS_A = ['created_at', 'confidence', 'risk_score'];
const SORTS_B = [...SORTS_A, 'analyzed_at', 'symbol'];
const ORDERS = ['asc', 'desc'];
const LEVELS = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];
const iso = (atS: number): string => new Date(atS * 1000).toISOString();

/** One of a million lists of style A, so that hardly any is requested twice. */
const anyListA = (): string => {
  const only = pick(['', '', '&prediction=SCAM', '&prediction=LEGIT']);
  const confident = pick(['', `&min_confidence=${50 + random(50)}`]);
  return `/tokens?limit=${20 + random(81)}&offset=${random(1_000)}&sort=${pick(SORTS_A)}&order=${pick(ORDERS)}${only}${confident}`;
};

/** A list of style B with random sort order and filters, including months of creation. */
const anyListB = (size: number) => (): string => {
  const firstSyncS = birthOf(random(size));
  const filters = [
    pick(['', '', '&is_rug=true', '&is_rug=false']),
    pick(['', '', `&risk_level=${pick(LEVELS)}`]),
    pick(['', '', `&confidence_min=${(0.5 + random(49) / 100).toFixed(2)}`]),
    pick(['', '', `&created_after=${iso(firstSyncS)}`, `&created_before=${iso(firstSyncS)}`]),
  ];
  return `/api/tokens?limit=${20 + random(81)}&offset=${random(1_000)}&sort_by=${pick(SORTS_B)}&sort_order=${pick(ORDERS)}${filters.join('')}`;
};

/** A check that never fails. */
const CHECKS = [...Object.keys(FAILING), 'proxy'];

/** One token of all. */
export const HOT_PATH = `/tokens/${tokenAt(7)}`;
/** Reads by name; `size` is the number of tokens there are. */
export const READS: Record<string, (size: number) => string | Read> = {
  'token, always the same': () => HOT_PATH,
  'token, any (cold)': (size) => () => `/tokens/${tokenAt(random(size))}`,
  'list, newest': () => () => '/tokens?limit=50',
  'list, by risk': () => () => '/tokens?limit=50&sort=risk_score',
  'list, by confidence': () => () => '/tokens?limit=50&sort=confidence&order=asc',
  'list, scams only': () => () => '/tokens?limit=50&prediction=SCAM',
  'list, confident only': () => () => '/tokens?limit=50&min_confidence=90',
  'list, page 20': () => () => '/tokens?limit=50&offset=1000',
  'list B, high risk': () => () => '/api/tokens?limit=50&risk_level=HIGH',
  'list B, by symbol': () => () => '/api/tokens?limit=50&sort_by=symbol&sort_order=asc',
  'list, first pages by turns': () => () =>
    `/tokens?limit=50&sort=${pick(SORTS_A)}&order=${pick(ORDERS)}&prediction=${pick(['SCAM', 'LEGIT'])}`,
  'list, any page, any filter': () => anyListA,
  'list B, any page, any filter': anyListB,
  'search, a symbol': () => () => `/api/search?q=S${100 + random(900)}`,
  'search, a word': () => () => `/api/search?q=word${random(100)}`,
  'search, inside names': () => () => `/api/search?q=oin${random(100)}`,
  'search, inside names, few hits': () => () =>
    `/api/search?q=ord${random(100)}%20coin${random(100)}`,
  'search, mistyped': () => () => `/api/search?q=wrod${10 + random(90)}`,
  'search, start of an address': (size) => () =>
    `/api/search?q=${tokenAt(random(Math.min(size, 100_000))).slice(0, 8)}`,
  'search, filters': () => () => ({
    filters: { risk_level: [pick(LEVELS)], risk_score: { min: random(50) } },
    sort_by: pick(SORTS_B),
    limit: 50,
  }),
  'search, by a check': () => () => ({
    filters: { risk_level: [pick(LEVELS)], checks: { all: [pick(CHECKS)] } },
    limit: 10,
  }),
  'search, by checks': () => () => ({
    filters: { checks: { any: [pick(CHECKS), pick(CHECKS)], none: [pick(CHECKS)] } },
    sort_by: pick(SORTS_B),
    limit: 10,
  }),
  'search, by a feature': () => () => ({
    filters: { features: { holder_count: { min: 100 + random(1_000) } } },
    limit: 10,
  }),
  'search, by text and filter': () => () => ({
    query: `word${random(100)}`,
    filters: { risk_level: [pick(LEVELS)] },
    limit: 10,
  }),
  'search, of a creator': (size) => () => ({ filters: { creator: creatorAt(random(size)) } }),
  'rings, any page': () => () =>
    `/clusters?limit=50&offset=${random(100)}&sort=${pick(CLUSTER_SORTS)}&order=${pick(ORDERS)}&min_size=${3 + random(20)}`,
  'rings, filters': () => () => ({
    entity: 'cluster',
    query: `ring ${random(10)}`,
    filters: { risk_score: { min: random(50) }, size: { min: random(20) } },
    sort_by: pick(CLUSTER_SORTS),
    limit: 50,
  }),
  'wallets, any page': () => () => ({
    entity: 'wallet',
    sort_by: pick(WALLET_SORTS),
    sort_order: pick(ORDERS),
    page: 1 + random(20),
    limit: 50,
  }),
  'wallets, filters': () => () => ({
    entity: 'wallet',
    filters: { role: [pick(WALLET_ROLES)], risk_score: { min: random(50) } },
    sort_by: pick(WALLET_SORTS),
    limit: 50,
  }),
  statistics: () => () => '/stats',
  'network of a token': (size) => () => `/tokens/${tokenAt(random(size))}/network`,
};
