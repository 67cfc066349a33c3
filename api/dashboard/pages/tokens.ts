import type { Hex } from '../../../shared/chain/block.ts';
import { riskLevel } from '../../../shared/rules/riskLevel.ts';
import { safeText } from '../../../shared/rules/safeText.ts';
import { findAll, poolOf, type SearchPorts } from '../../search/routes.ts';
import type { Stats } from '../../statistics/createStats.ts';
import type { Tokens } from '../../tokens/createTokens.ts';
import type { VerdictSummary } from '../../tokens/verdict.ts';
import type { VerdictSort } from '../../tokens/verdictPage.ts';
import { type AccountVisit, type Answer, definePages, goTo, show, type Visit } from '../page.ts';
import type { Form } from '../readForm.ts';
import { addressField } from './fields.ts';

/** Dependencies of token lists and searches. */
export interface ListPorts extends SearchPorts {
  readonly tokens: Tokens;
  readonly stats: Stats;
}

const NEWEST_SHOWN = 20;
const PAGE_SIZE = 50;
const OFFSET_MAX = 10_000;
const FOUND_SHOWN = 30;
const QUERY_LENGTH_MAX = 128;
const SORTS: readonly VerdictSort[] = ['created_at', 'analyzed_at', 'risk_score', 'confidence'];

/** A verdict as a row of a list. */
export const tokenRow = (verdict: VerdictSummary) => ({
  ...verdict,
  level: riskLevel(verdict.riskScore),
});

/** The address in the path, in lower case; undefined if it is not one. */
export const addressOf = ({ params }: Visit): Hex | undefined =>
  addressField.safeParse(params['address']).data;

/** The page for an unknown address or id; `pool`: where the token is traded, if that was looked up. */
export const notKnown = (what: string, visit: Visit, pool?: Hex): Answer =>
  show('unknown', 'notFound', { what, address: addressOf(visit), pool }, { status: 404 });

/** The token page for a user who looked up its pool. */
export const pathInPool = (token: Hex, pool: Hex): string => `/token/${token}?pool=${pool}`;

const overview = async (ports: ListPorts, { nowMs }: AccountVisit): Promise<Answer> => {
  const [newest, stats] = await Promise.all([
    ports.tokens.list({ sort: 'analyzed_at', order: 'desc', limit: NEWEST_SHOWN, offset: 0 }),
    ports.stats.read(),
  ]);
  return show('overview', 'feed', { tokens: newest.map(tokenRow), stats, nowMs });
};

const PREDICTIONS = ['SCAM', 'LEGIT'] as const;

const choiceOf = (query: Form) => {
  const sort = SORTS.find((each) => each === query.text('sort')) ?? 'created_at';
  const order = query.text('order') === 'asc' ? ('asc' as const) : ('desc' as const);
  const prediction = PREDICTIONS.find((each) => each === query.text('prediction'));
  const offset = Math.min(OFFSET_MAX, Math.max(0, Math.trunc(Number(query.text('offset'))) || 0));
  return { sort, order, prediction, offset };
};

const list = async (ports: ListPorts, { query, nowMs }: AccountVisit): Promise<Answer> => {
  const choice = choiceOf(query);
  const { prediction } = choice;
  const [tokens, total] = await Promise.all([
    ports.tokens.list({ ...choice, limit: PAGE_SIZE }),
    ports.tokens.count({ prediction }),
  ]);
  const { offset } = choice;
  const next = offset + PAGE_SIZE < Math.min(total, OFFSET_MAX) ? offset + PAGE_SIZE : undefined;
  const previous = offset > 0 ? Math.max(0, offset - PAGE_SIZE) : undefined;
  const data = {
    tokens: tokens.map(tokenRow),
    total,
    choice,
    next,
    previous,
    sorts: SORTS,
    nowMs,
  };
  return show('tokens', 'tokens', data);
};

/** The page that shows a search hit. */
const PLACES = { token: 'token', wallet: 'wallet', cluster: 'ring' } as const;

const search = async (ports: ListPorts, visit: Visit): Promise<Answer> => {
  const { query, wantsPart } = visit;
  const q = safeText(query.text('q'), QUERY_LENGTH_MAX);
  const found =
    q.length < 2
      ? undefined
      : await findAll(ports, { q, type: 'all', limit: FOUND_SHOWN, offset: 0 });
  const only = found?.results.length === 1 ? found.results[0] : undefined;
  if (only && !wantsPart) {
    const pool = only.match === 'pool' ? poolOf(q) : undefined;
    if (pool && only.address) return goTo(pathInPool(only.address as Hex, pool));
    const id = only.type === 'cluster' ? only.id : only.address;
    return goTo(`/${PLACES[only.type]}/${id}`);
  }
  const address = addressField.safeParse(q).data;
  // An unknown token can be analysed there.
  if (address && found?.results.length === 0 && !wantsPart) return goTo(`/token/${address}`);
  return show('search', 'search', { q, found, place: PLACES });
};

/** Lists of tokens, and the search. */
export const listPages = definePages<ListPorts>([
  ['account', 'get', '/dashboard', overview, { section: 'feed' }],
  ['account', 'get', '/dashboard/tokens', list, { section: 'tokens' }],
  ['public', 'get', '/search', search, { isLookUp: true }],
]);
