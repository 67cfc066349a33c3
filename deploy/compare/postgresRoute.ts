import { json } from 'node:stream/consumers';
import Router from '@koa/router';
import Koa from 'koa';
import type { SearchHit } from '../../api/search/schema.ts';
import {
  tokenB,
  tokenDetailA,
  tokenListEntryA,
  tokenListEntryB,
} from '../../api/tokens/present.ts';
import { confidenceFilter, createdFilter } from '../../api/tokens/routesB.ts';
import type { Verdict, VerdictSummary } from '../../api/tokens/verdict.ts';
import { VERDICT_SORTS } from '../../api/tokens/verdictPage.ts';
import { foldText } from '../../shared/rules/foldText.ts';
import { RISK_LEVELS, type RiskLevel } from '../../shared/rules/riskLevel.ts';
import { LOOPBACK } from '../local/launch.ts';
import { loadPg } from './pgModule.ts';
import {
  countQuestion,
  documentQuestion,
  type Filter,
  listQuestion,
  type Question,
  searchQuestion,
} from './postgresReads.ts';

// Reads of the API as plain Koa routes over PostgreSQL: the same paths, and entries created by the same functions.
// The caller sets PORT, DB_URL and the folder with `pg`.

const { PORT, DB_URL = '', PACKAGES = '' } = process.env;
/** Connections to the database, the default of `pg`. */
const POOL_MAX = 10;
/** Settings for rows in memory, short queries, and more callers than cores. */
const SESSION = '-c random_page_cost=1.1 -c jit=off -c max_parallel_workers_per_gather=0';

const { Pool } = loadPg(PACKAGES);
const pool = new Pool({ connectionString: DB_URL, max: POOL_MAX, options: SESSION });

const names = new Map<string, string>();
/** Each form of query is prepared once per connection. */
const ask = async <T>({ text, values }: Question): Promise<T[]> => {
  const name = names.get(text) ?? `q${names.size}`;
  names.set(text, name);
  const { rows } = await pool.query({ name, text, values });
  return rows as T[];
};

interface List {
  readonly sort: string | undefined;
  readonly order: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

const readList = async (filter: Filter, { sort, order, limit, offset }: List) => {
  const page = {
    sort: VERDICT_SORTS.find((one) => one === sort) ?? 'created_at',
    order: order === 'asc' ? 'asc' : 'desc',
    limit,
    offset,
  } as const;
  const [verdicts, [counted]] = await Promise.all([
    ask<VerdictSummary>(listQuestion({ ...filter, ...page })),
    ask<{ total: number }>(countQuestion(filter)),
  ]);
  return { verdicts, total: counted?.total ?? 0 };
};

type Query = Readonly<Record<string, string | undefined>>;

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);
const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);
const levelOf = (text: string | undefined): RiskLevel[] | undefined =>
  text === undefined ? undefined : RISK_LEVELS.filter((level) => level === text);
const placeOf = (query: Query, limit: number) => ({
  limit: Number(query['limit'] ?? limit),
  offset: Number(query['offset'] ?? 0),
});

const listA = async (query: Query) => {
  const prediction = (['SCAM', 'LEGIT'] as const).find((one) => one === query['prediction']);
  const filter = { prediction, minConfidence: numberOf(query['min_confidence']) };
  const place = placeOf(query, 50);
  const { verdicts, total } = await readList(filter, {
    sort: query['sort'],
    order: query['order'],
    ...place,
  });
  const data = { tokens: verdicts.map(tokenListEntryA), total, ...place };
  return { success: true, data, timestamp: new Date() };
};

const listB = async (query: Query) => {
  const { is_rug: isRug, risk_level: level, sort_by: sort, sort_order: order } = query;
  const filter: Filter = {
    prediction: isRug === undefined ? undefined : isRug === 'true' ? 'SCAM' : 'LEGIT',
    riskLevels: levelOf(level),
    ...confidenceFilter(numberOf(query['confidence_min']), numberOf(query['confidence_max'])),
    ...createdFilter(timeOf(query['created_after']), timeOf(query['created_before'])),
  };
  const place = placeOf(query, 20);
  const { verdicts, total } = await readList(filter, { sort, order, ...place });
  return { data: verdicts.map(tokenListEntryB), success: true, pagination: { total, ...place } };
};

type Found = Pick<SearchHit, 'relevance' | 'match'>;

/** A token that was found, as searches show it. */
const hitOf = (verdict: VerdictSummary, { relevance, match }: Found) => {
  const { certainty: _certainty, advice: _advice, ...shown } = tokenB(verdict);
  return { ...shown, type: 'token', id: `token_${verdict.token}`, relevance, match };
};

type Hit = VerdictSummary & Found & { readonly total: number };

const ADDRESS = /^0x[0-9a-f]{4,40}$/;

const search = async (query: Query) => {
  const text = query['q'] ?? '';
  const address = text.toLowerCase();
  const digits = ADDRESS.test(address) ? address.slice(2) : undefined;
  const { limit, offset } = placeOf(query, 20);
  const hits = await ask<Hit>(searchQuestion(foldText(text), digits, [limit, offset]));
  const results = hits.map((hit) => hitOf(hit, hit));
  const total = hits[0]?.total ?? 0;
  return { data: { query: text, results, total, limit, offset }, success: true };
};

/** The used fields of an advanced search's body. */
interface Advanced {
  readonly filters?: {
    readonly risk_level?: readonly RiskLevel[];
    readonly risk_score?: { readonly min?: number; readonly max?: number };
    readonly checks?: NonNullable<Filter['checks']>;
    readonly creator?: string;
  };
  readonly sort_by?: string;
  readonly sort_order?: string;
  readonly limit?: number;
  readonly page?: number;
}

const FILTERED: Found = { relevance: 1, match: 'filters' };

const searchAdvanced = async (body: Advanced) => {
  const { filters = {}, sort_by: sort, sort_order: order, limit = 100, page = 1 } = body;
  const { risk_level: riskLevels, risk_score: risk, checks, creator } = filters;
  const filter = { riskLevels, minRisk: risk?.min, maxRisk: risk?.max, checks, creator };
  const { verdicts, total } = await readList(filter, {
    sort,
    order,
    limit,
    offset: (page - 1) * limit,
  });
  const results = verdicts.map((one) => hitOf(one, FILTERED));
  return { data: { results, total, page, limit }, success: true };
};

const detail = async (token: string) => {
  const [verdict] = await ask<Verdict>(documentQuestion(token));
  return verdict && { success: true, data: tokenDetailA(verdict), timestamp: new Date() };
};

const queryOf = (ctx: Koa.Context): Query => ctx.query as Query;

const router = new Router()
  .get('/tokens', async (ctx) => {
    ctx.body = await listA(queryOf(ctx));
  })
  .get('/api/tokens', async (ctx) => {
    ctx.body = await listB(queryOf(ctx));
  })
  .get('/tokens/:address', async (ctx) => {
    const found = await detail(ctx.params['address'] ?? '');
    if (found) ctx.body = found;
  })
  .get('/api/search', async (ctx) => {
    ctx.body = await search(queryOf(ctx));
  })
  .post('/api/search/advanced', async (ctx) => {
    ctx.body = await searchAdvanced((await json(ctx.req)) as Advanced);
  });

new Koa().use(router.routes()).listen(Number(PORT), LOOPBACK);
