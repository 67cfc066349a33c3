import type { Hex } from '../../../shared/chain/block.ts';
import type { VerdictDoc } from '../../../shared/messages/verdictDoc.ts';
import { adviceSentence } from '../../../shared/rules/advice.ts';
import { isoTime } from '../../../shared/rules/isoTime.ts';
import { riskLevel } from '../../../shared/rules/riskLevel.ts';
import { writeSentence } from '../../../shared/sentences/writeSentence.ts';
import type { Clusters } from '../../clusters/cluster.ts';
import { type Graphs, NODES_MAX } from '../../graph/graph.ts';
import { explanation } from '../../reports/explanation.ts';
import { findAll, type SearchPorts } from '../../search/routes.ts';
import type { Stats } from '../../statistics/createStats.ts';
import type { History, Tokens } from '../../tokens/createTokens.ts';
import type { VerdictSort } from '../../tokens/listVerdicts.ts';
import type { MarketHistory } from '../../tokens/market.ts';
import { reasonsIn } from '../../tokens/present.ts';
import type { VerdictSummary } from '../../tokens/verdict.ts';
import { type Answer, goTo, type Page, show, type Visit } from '../page.ts';
import type { Form } from '../readForm.ts';
import { addressField } from './fields.ts';

/** What pages about tokens need. */
export interface TokenPorts extends SearchPorts {
  readonly tokens: Tokens;
  readonly history: History;
  readonly graphs: Graphs;
  readonly clusters: Clusters;
  readonly stats: Stats;
  /** Undefined for a token without a pool. */
  readonly readMarket: (token: Hex) => Promise<MarketHistory | undefined>;
}

const NEWEST_SHOWN = 20;
const PAGE_SIZE = 50;
const OFFSET_MAX = 10_000;
const HISTORY_SHOWN = 20;
const FOUND_SHOWN = 30;
const NETWORK_DEPTH = 2;
const NETWORK_NODES_MAX = 150;
const QUERY_LENGTH_MAX = 128;
const CONTRIBUTIONS_SHOWN = 14;
const SORTS: readonly VerdictSort[] = ['created_at', 'analyzed_at', 'risk_score', 'confidence'];

/** A verdict as a row of a list shows it. */
export const tokenRow = (verdict: VerdictSummary) => ({
  ...verdict,
  level: riskLevel(verdict.riskScore),
});

/** A page for an address or an id nobody knows. */
export const notKnown = (what: string): Answer =>
  show('unknown', 'Not found', { what }, { status: 404 });

/** The address of the path, in lower case; undefined for what is none. */
export const addressOf = ({ params }: Visit): Hex | undefined =>
  addressField.safeParse(params['address']).data;

const overview = (ports: TokenPorts): Page => ({
  method: 'get',
  path: '/dashboard',
  access: 'account',
  handle: async ({ nowMs }) => {
    const [newest, stats] = await Promise.all([
      ports.tokens.list({ sort: 'analyzed_at', order: 'desc', limit: NEWEST_SHOWN, offset: 0 }),
      ports.stats.read(),
    ]);
    return show('overview', 'Live feed', { tokens: newest.map(tokenRow), stats, nowMs });
  },
});

const PREDICTIONS = ['SCAM', 'LEGIT'] as const;

const choiceOf = (query: Form) => {
  const sort = SORTS.find((each) => each === query.text('sort')) ?? 'created_at';
  const order = query.text('order') === 'asc' ? ('asc' as const) : ('desc' as const);
  const prediction = PREDICTIONS.find((each) => each === query.text('prediction'));
  const offset = Math.min(OFFSET_MAX, Math.max(0, Math.trunc(Number(query.text('offset'))) || 0));
  return { sort, order, prediction, offset };
};

const list = (ports: TokenPorts): Page => ({
  method: 'get',
  path: '/dashboard/tokens',
  access: 'account',
  handle: async ({ query, nowMs }) => {
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
    return show('tokens', 'Tokens', data);
  },
});

const ORDER_OF_STATUS = ['fail', 'unknown', 'pass', 'not_applicable'];
const ORDER_OF_SEVERITY = ['critical', 'warning', 'info'];

const DAY_DIGITS = 10;
const LINE_PARTS = 20;
/** Locks along their time: how many twentieths of it have passed. */
const lockLines = (locks: NonNullable<VerdictDoc['locks']>, nowMs: number) =>
  locks.map((lock) => {
    const [fromMs, untilMs] = [lock.locked_at_s * 1_000, lock.unlock_at_s * 1_000];
    const passed = untilMs > fromMs ? (nowMs - fromMs) / (untilMs - fromMs) : 1;
    return {
      ...lock,
      isBelieved: lock.belief === 'code' || lock.belief === 'behaviour',
      from: dayOf(fromMs),
      until: dayOf(untilMs),
      past: Math.round(Math.min(1, Math.max(0, passed)) * LINE_PARTS),
    };
  });
/** Days are written with four digits for the year: what is locked for longer ends with the year 9999. */
const DATE_MAX_MS = 253_402_300_799_000;
const dayOf = (ms: number): string => isoTime(Math.min(ms, DATE_MAX_MS)).slice(0, DAY_DIGITS);

const token = (ports: TokenPorts): Page => ({
  method: 'get',
  path: '/dashboard/tokens/:address',
  access: 'account',
  handle: async (visit) => {
    const address = addressOf(visit);
    const [verdict, history] = address
      ? await Promise.all([
          ports.tokens.find(address),
          ports.history.list(address, { limit: HISTORY_SHOWN }),
        ])
      : [];
    if (!verdict || !history) return notKnown('token');
    const { doc } = verdict;
    const checks = doc.checks.toSorted(
      (a, b) =>
        ORDER_OF_STATUS.indexOf(a.status) - ORDER_OF_STATUS.indexOf(b.status) ||
        ORDER_OF_SEVERITY.indexOf(a.severity) - ORDER_OF_SEVERITY.indexOf(b.severity),
    );
    const contributions = explanation(doc, 'en').slice(0, CONTRIBUTIONS_SHOWN);
    const largest = Math.max(1e-9, ...contributions.map((each) => Math.abs(each.contribution)));
    return show('token', verdict.symbol || 'Token', {
      verdict: tokenRow(verdict),
      doc,
      advice: writeSentence(adviceSentence(verdict), 'en'),
      reasons: reasonsIn(verdict, 'en'),
      checks,
      locks: lockLines(doc.locks ?? [], visit.nowMs),
      contributions: contributions.map((each) => ({
        ...each,
        // Widths are classes, one for each twentieth: styles in attributes are forbidden here.
        width: Math.max(1, Math.round((Math.abs(each.contribution) / largest) * 20)),
      })),
      otherContributions: Math.max(0, Object.keys(doc.shap_values).length - contributions.length),
      history,
      nowMs: visit.nowMs,
    });
  },
});

const market = (ports: TokenPorts): Page => ({
  method: 'get',
  path: '/dashboard/tokens/:address/market.json',
  access: 'account',
  handle: async (visit) => {
    const address = addressOf(visit);
    const found = address && (await ports.readMarket(address));
    return { kind: 'json', body: found ?? { times: [], prices: [], reserves: [] } };
  },
});

/** The surroundings of a token or a wallet, as nodes and edges. */
const network = (ports: TokenPorts): Page => ({
  method: 'get',
  path: '/dashboard/network/:address',
  access: 'account',
  handle: async (visit) => {
    const center = addressOf(visit);
    const graph =
      center &&
      (await ports.graphs.around(center, {
        depth: NETWORK_DEPTH,
        nodesMax: Math.min(NETWORK_NODES_MAX, NODES_MAX),
        direction: 'both',
      }));
    return { kind: 'json', body: graph ?? { nodes: [], edges: [] } };
  },
});

const search = (ports: TokenPorts): Page => ({
  method: 'get',
  path: '/dashboard/search',
  access: 'account',
  handle: async ({ query, wantsPart }) => {
    const q = query.text('q').trim().slice(0, QUERY_LENGTH_MAX);
    const found =
      q.length < 2
        ? undefined
        : await findAll(ports, { q, type: 'all', limit: FOUND_SHOWN, offset: 0 });
    const only = found?.results.length === 1 ? found.results[0] : undefined;
    const place = { token: 'tokens', wallet: 'wallets', cluster: 'rings' } as const;
    if (only && !wantsPart) {
      const id = only.type === 'cluster' ? only.id : only.address;
      return goTo(`/dashboard/${place[only.type]}/${id}`);
    }
    return show('search', 'Search', { q, found, place });
  },
});

/** Pages that show what the service knows of tokens. */
export const tokenPages = (ports: TokenPorts): Page[] => [
  overview(ports),
  list(ports),
  token(ports),
  market(ports),
  network(ports),
  search(ports),
];
