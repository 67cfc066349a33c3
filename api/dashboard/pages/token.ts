import type { Hex } from '../../../shared/chain/block.ts';
import type { VerdictDoc } from '../../../shared/messages/verdictDoc.ts';
import { adviceOf, adviceSentence } from '../../../shared/rules/advice.ts';
import { isoTime } from '../../../shared/rules/isoTime.ts';
import { writeSentence } from '../../../shared/sentences/writeSentence.ts';
import { type Graphs, NODES_MAX } from '../../graph/graph.ts';
import { explanation } from '../../reports/explanation.ts';
import type { History, Tokens } from '../../tokens/createTokens.ts';
import type { MarketHistory } from '../../tokens/market.ts';
import { reasonsIn } from '../../tokens/present.ts';
import { type Page, show } from '../page.ts';
import { addressOf, notKnown, tokenRow } from './tokens.ts';

/** What the page of a token needs. */
export interface TokenPorts {
  readonly tokens: Tokens;
  readonly history: History;
  readonly graphs: Graphs;
  /** Undefined for a token without a pool. */
  readonly readMarket: (token: Hex) => Promise<MarketHistory | undefined>;
}

const HISTORY_SHOWN = 20;
const NETWORK_DEPTH = 2;
const NETWORK_NODES_MAX = 150;
const CONTRIBUTIONS_SHOWN = 14;

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
  path: '/token/:address',
  access: 'public',
  isLookUp: true,
  handle: async (visit) => {
    const address = addressOf(visit);
    const [verdict, history] = address
      ? await Promise.all([
          ports.tokens.find(address),
          ports.history.list(address, { limit: HISTORY_SHOWN }),
        ])
      : [];
    if (!verdict || !history) return notKnown('token', visit);
    const { doc } = verdict;
    const checks = doc.checks.toSorted(
      (a, b) =>
        ORDER_OF_STATUS.indexOf(a.status) - ORDER_OF_STATUS.indexOf(b.status) ||
        ORDER_OF_SEVERITY.indexOf(a.severity) - ORDER_OF_SEVERITY.indexOf(b.severity),
    );
    const advice = writeSentence(adviceSentence(verdict), visit.language);
    const reasons = reasonsIn(verdict, visit.language);
    const contributions = explanation(doc, 'en').slice(0, CONTRIBUTIONS_SHOWN);
    const largest = Math.max(1e-9, ...contributions.map((each) => Math.abs(each.contribution)));
    return show(
      'token',
      verdict.symbol || 'Token',
      {
        verdict: tokenRow(verdict),
        doc,
        advice,
        reasons,
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
      },
      {
        preview: {
          description: [advice, ...reasons.map(({ text }) => text)].join(' '),
          picture: adviceOf(verdict).advice,
          path: `/token/${address}`,
        },
      },
    );
  },
});

const market = (ports: TokenPorts): Page => ({
  method: 'get',
  path: '/token/:address/market.json',
  access: 'public',
  isLookUp: true,
  handle: async (visit) => {
    const address = addressOf(visit);
    const found = address && (await ports.readMarket(address));
    return { kind: 'json', body: found ?? { times: [], prices: [], reserves: [] } };
  },
});

/** The surroundings of a token or a wallet, as nodes and edges. */
const network = (ports: TokenPorts): Page => ({
  method: 'get',
  path: '/network/:address',
  access: 'public',
  isLookUp: true,
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

/** Pages about one token. */
export const tokenPages = (ports: TokenPorts): Page[] => [
  token(ports),
  market(ports),
  network(ports),
];
