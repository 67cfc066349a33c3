import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { VerdictDoc } from '../../../shared/messages/verdictDoc.ts';
import { adviceOf } from '../../../shared/rules/advice.ts';
import { isoTime } from '../../../shared/rules/isoTime.ts';
import type { Language } from '../../../shared/sentences/language.ts';
import { type Graphs, NODES_MAX } from '../../graph/graph.ts';
import { explanation } from '../../reports/explanation.ts';
import { poolOf } from '../../search/routes.ts';
import type { Search } from '../../search/search.ts';
import type { History, Tokens } from '../../tokens/createTokens.ts';
import { reasonOfChange } from '../../tokens/evidenceGroups.ts';
import { type MarketHistory, quotePriceUsd } from '../../tokens/market.ts';
import type { Verdict } from '../../tokens/verdict.ts';
import type { PastVerdict } from '../../tokens/verdictHistory.ts';
import type { Wallets } from '../../wallets/wallet.ts';
import { type Answer, definePages, goTo, show, type Visit } from '../page.ts';
import { answeredTopics, evidenceName, verdictCard, weighedEvidence } from '../verdictCard.ts';
import { addressOf, notKnown, pathInPool, tokenRow } from './tokens.ts';

/** Dependencies of the token page. */
export interface TokenPorts {
  readonly tokens: Tokens;
  readonly history: History;
  readonly graphs: Graphs;
  readonly wallets: Pick<Wallets, 'tokens'>;
  readonly search: Pick<Search, 'poolTokens'>;
  /** Undefined for a token without a market that can be drawn. */
  readonly readMarket: (verdict: Verdict, nowMs: number) => Promise<MarketHistory | undefined>;
}

const HISTORY_SHOWN = 20;
const SIBLINGS_SHOWN = 6;
const NETWORK_DEPTH = 2;
const NETWORK_NODES_MAX = 60;
const CONTRIBUTIONS_SHOWN = 14;

const DAY_DIGITS = 10;
const dayOf = (ms: number): string => isoTime(ms).slice(0, DAY_DIGITS);

/** Locks with the share of their duration that has passed. */
const lockLines = (locks: NonNullable<VerdictDoc['locks']>, nowMs: number) =>
  locks.map((lock) => {
    const [fromMs, untilMs] = [lock.locked_at_s * 1_000, lock.unlock_at_s * 1_000];
    const passed = untilMs > fromMs ? (nowMs - fromMs) / (untilMs - fromMs) : 1;
    return {
      ...lock,
      isBelieved: lock.belief === 'code' || lock.belief === 'behaviour',
      from: dayOf(fromMs),
      until: dayOf(untilMs),
      past: Math.min(1, Math.max(0, passed)),
    };
  });

/** The exact contributions; widths are percentages, at most half of the bar on each side. */
const contributionBars = (doc: VerdictDoc) => {
  const shown = explanation(doc, 'en').slice(0, CONTRIBUTIONS_SHOWN);
  const largest = Math.max(1e-9, ...shown.map((each) => Math.abs(each.contribution)));
  return {
    contributions: shown.map((each) => ({
      ...each,
      width: Math.max(1, (Math.abs(each.contribution) / largest) * 50),
    })),
    otherContributions: Math.max(0, Object.keys(doc.shap_values).length - shown.length),
  };
};

/** The newest other tokens of the creator. */
const siblingsOf = async ({ wallets }: TokenPorts, { token, doc }: Verdict) => {
  const page = { limit: SIBLINGS_SHOWN + 1, offset: 0 };
  const { tokens, total } = await wallets.tokens(doc.creator.address, page);
  const others = tokens.filter((each) => each.token !== token).slice(0, SIBLINGS_SHOWN);
  return { siblings: others.map(tokenRow), siblingsTotal: Math.max(0, total - 1) };
};

/** The pool that was looked up, if the token is traded there. */
const poolLookedUp = async ({ search }: TokenPorts, { query }: Visit, token: Hex) => {
  const pool = poolOf(query.text('pool'));
  return pool && (await search.poolTokens(pool)).includes(token) ? pool : undefined;
};

/** The page for an address that is no known token: a pool leads to its token, or to a choice of several. */
const noToken = async (ports: TokenPorts, visit: Visit): Promise<Answer> => {
  const address = addressOf(visit);
  if (visit.query.text('pool') !== '') {
    return notKnown('token', visit, address && (await poolLookedUp(ports, visit, address)));
  }
  const pool = poolOf(visit.params['address'] ?? '');
  const tokens = pool ? await ports.search.poolTokens(pool) : [];
  const [first] = tokens;
  if (!pool || !first) return notKnown('token', visit);
  const [known, ...others] = await ports.tokens.findMany(tokens);
  return goTo(others.length > 0 ? `/search?q=${pool}` : pathInPool(known?.token ?? first, pool));
};

/** Past verdicts, newest first, with what moved each most since the one before. */
const withReasons = (history: readonly PastVerdict[], language: Language) =>
  history.map((past, i) => {
    const before = history[i + 1];
    const reason = before && reasonOfChange(before.contributions, past.contributions);
    return { ...past, reason: reason && evidenceName(reason, language) };
  });

const token = async (ports: TokenPorts, visit: Visit): Promise<Answer> => {
  const address = addressOf(visit);
  const [verdict, history] = address
    ? await Promise.all([
        ports.tokens.find(address),
        // One extra verdict, so that the oldest one shown can be compared with its predecessor.
        ports.history.list(address, { limit: HISTORY_SHOWN + 1 }),
      ])
    : [];
  if (!verdict || !history) return noToken(ports, visit);
  const { language, nowMs } = visit;
  const { doc } = verdict;
  const card = verdictCard(verdict, language);
  const data = {
    verdict: tokenRow(verdict),
    pool: await poolLookedUp(ports, visit, verdict.token),
    doc,
    card,
    topics: answeredTopics(verdict, language),
    weighed: weighedEvidence(doc, language),
    locks: lockLines(doc.locks ?? [], nowMs),
    ...contributionBars(doc),
    ...(await siblingsOf(ports, verdict)),
    history: withReasons(history, language).slice(0, HISTORY_SHOWN),
    nowMs,
  };
  const preview = {
    description: [card.advice, ...card.reasons].join(' '),
    picture: adviceOf(verdict).advice,
    path: `/token/${verdict.token}`,
  };
  return show('token', verdict.symbol ? { text: verdict.symbol } : 'token', data, { preview });
};

/** Where the prediction changed, ascending. */
const turnsOf = (history: readonly PastVerdict[]) =>
  history
    .filter(({ prediction }, i) => history[i + 1] && history[i + 1]?.prediction !== prediction)
    .map((verdict) => ({ atS: Math.floor(verdict.analyzedAtMs / 1_000), to: verdict.prediction }))
    .toReversed();

/** Doubled, because the token's side counts as much: the verdict counts liquidity in the same way. */
const SIDES = 2;

/** Price and liquidity over time, in US dollars if known, with marked events. */
const chartOf = (
  verdict: Verdict,
  market: MarketHistory,
  history: readonly PastVerdict[],
  nowMs: number,
) => {
  const usd = quotePriceUsd(verdict.doc, market);
  const scale = usd ?? 1;
  // The state after the last trade holds until now.
  const untilNow = (values: readonly number[]) => [...values, ...values.slice(-1)];
  const nowS = Math.floor(nowMs / 1_000);
  return {
    unit: usd === undefined ? (market.quote === ZERO_ADDRESS ? null : market.quoteSymbol) : 'USD',
    times: [...market.times, ...market.times.slice(-1).map((last) => Math.max(last, nowS))],
    prices: untilNow(market.prices.map((price) => price * scale)),
    liquidity: untilNow(market.reserves.map((reserve) => reserve * SIDES * scale)),
    volumeOfDay: market.volumeOfDay * scale,
    moves: market.moves,
    turns: turnsOf(history),
  };
};

const market = async (ports: TokenPorts, visit: Visit): Promise<Answer> => {
  const address = addressOf(visit);
  const verdict = address && (await ports.tokens.find(address));
  const [found, history = []] = verdict
    ? await Promise.all([
        ports.readMarket(verdict, visit.nowMs),
        ports.history.list(address, { limit: HISTORY_SHOWN }),
      ])
    : [];
  return {
    kind: 'json',
    body: verdict && found ? chartOf(verdict, found, history, visit.nowMs) : { times: [] },
  };
};

/** The graph around a token or a wallet, as nodes and edges. */
const network = async (ports: TokenPorts, visit: Visit): Promise<Answer> => {
  const center = addressOf(visit);
  const graph =
    center &&
    (await ports.graphs.around(center, {
      depth: NETWORK_DEPTH,
      nodesMax: Math.min(NETWORK_NODES_MAX, NODES_MAX),
      direction: 'both',
    }));
  return { kind: 'json', body: graph ?? { nodes: [], edges: [] } };
};

/** Pages about one token. */
export const tokenPages = definePages<TokenPorts>([
  ['public', 'get', '/token/:address', token, { isLookUp: true }],
  ['public', 'get', '/token/:address/market.json', market, { isLookUp: true, isHeavy: true }],
  ['public', 'get', '/network/:address', network, { isLookUp: true, isHeavy: true }],
]);
