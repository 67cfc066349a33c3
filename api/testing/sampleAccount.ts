import type { NatsConnection } from 'nats';
import { type Tier, tierIncludes } from '../../shared/families/tier.ts';
import { BEATING_ROLES } from '../../shared/messages/heartbeat.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { beat } from '../../shared/platform/heartbeat.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { sampleAlert } from '../../shared/testing/samples.ts';
import { addressOf, verdictOf } from './fakePorts.ts';
import {
  insertAlert,
  insertCluster,
  insertEdge,
  insertToken,
  insertVerdict,
  insertWallet,
} from './rows.ts';
import { API_CHAIN_ID, startApi } from './startApi.ts';

/** Sample data of every API under test: two scored tokens, their creator and its ring. */
export const KNOWN = {
  token: addressOf(0x11),
  otherToken: addressOf(0x12),
  creator: addressOf(0xcc),
  puppet: addressOf(0xcd),
  cluster: 'cl_7f3a',
  /** An unknown address. */
  stranger: addressOf(0x99),
} as const;

/** Plans whose quotas no test exceeds. */
export const WIDE_PLANS = JSON.stringify(
  Object.fromEntries(
    ['free', 'starter', 'pro', 'enterprise'].map((tier) => [
      tier,
      { perDay: 1_000_000, perMinute: 1_000_000 },
    ]),
  ),
);

/** Fills the tables in the way of the pipeline. */
export const fillTables = async (database: Clickhouse): Promise<void> => {
  const { token, otherToken, creator, puppet, cluster } = KNOWN;
  const analyzedAtMs = Date.now();
  const verdicts = [
    verdictOf(token, { analyzedAtMs }),
    verdictOf(otherToken, {
      prediction: 'LEGIT',
      confidence: 0.6,
      riskScore: 40,
      name: 'Calm Coin',
      symbol: 'CALM',
      analyzedAtMs,
    }),
  ];
  for (const verdict of verdicts) {
    await insertVerdict(database, API_CHAIN_ID, verdict);
    await insertToken(database, API_CHAIN_ID, {
      token: verdict.token,
      creator,
      createdAtS: verdict.createdAtS,
    });
  }
  const members = [
    [creator, 'master'],
    [puppet, 'puppet'],
  ] as const;
  const scam = { token, atS: 1_700_000_000 };
  for (const [wallet, role] of members)
    await insertWallet(database, API_CHAIN_ID, {
      wallet,
      role,
      clusterId: cluster,
      ...(wallet === creator ? { scam } : {}),
    });
  await insertEdge(database, API_CHAIN_ID, { source: puppet, target: creator, weight: 0.9 });
  const link = [creator, puppet] as const;
  const ring = { id: cluster, size: 3, riskScore: 93, members, link };
  await insertCluster(database, API_CHAIN_ID, ring);
};

/** An API with this data, without effective quotas, in which webhooks may target this machine. */
export const startFilledApi = async (variables: Readonly<Record<string, string>> = {}) => {
  const open = { WEBHOOK_ALLOW_PRIVATE: '1', RATE_PLANS: WIDE_PLANS };
  const api = await startApi({ ...open, ...variables });
  await fillTables(api.database);
  return api;
};

/** A key with one object of each kind that belongs to its family. */
export interface SampleAccount {
  readonly tier: Tier;
  readonly key: string;
  readonly family: string;
  readonly watchId: number;
  readonly alertId: number;
  readonly jobId: string;
  readonly feedbackId: string;
  /** The ids below do not exist if the tier has no such objects. */
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly reportId: string;
}

const ALERT_ID = 9001;
/** A target that refuses connections at once. */
export const CLOSED_TARGET = 'http://127.0.0.1:9/hook';

/** Creates an account through the API itself; the API must allow private webhook targets. */
export const createSampleAccount = async (
  api: Awaited<ReturnType<typeof startApi>>,
  tier: Tier,
): Promise<SampleAccount> => {
  const { key, info } = await api.newKey(tier);
  const make = async (path: string, body: unknown = {}) => {
    const answer = await api.post(path, key, body);
    if (answer.status > 201) throw new Error(`${path}: ${answer.text}`);
    return answer.body.data;
  };
  const { token, creator } = KNOWN;
  const watch = await make('/watchlist', { type: 'token', address: token });
  await make('/watchlist', { type: 'wallet', address: creator });
  const job = await make('/tokens/analyze', { address: token });
  const feedback = await make('/api/feedback', {
    address: token,
    kind: 'false_positive',
    details: 'It can be sold.',
  });
  const alert = sampleAlert({
    chainId: API_CHAIN_ID,
    family: info.family,
    id: ALERT_ID,
    watchId: watch.id,
    token: { address: token, name: 'Moon Pepe', symbol: 'MPEPE' },
    createdAtMs: Date.now() - 60_000,
  });
  await insertAlert(api.database, alert);
  const account = {
    tier,
    key,
    family: info.family,
    watchId: watch.id,
    alertId: ALERT_ID,
    jobId: job.job_id,
    feedbackId: feedback.id,
  };
  if (!tierIncludes(tier, 'starter')) {
    return { ...account, webhookId: 'wh_none', deliveryId: 'dl_none', reportId: 'rep_none' };
  }
  const webhook = await make('/api/webhooks', { url: CLOSED_TARGET, events: ['watchlist.alert'] });
  const delivery = await make(`/api/webhooks/${webhook.id}/test`);
  const report = await make(`/api/reports/generate/${token}`);
  return {
    ...account,
    webhookId: webhook.id,
    deliveryId: delivery.id,
    reportId: report.report_id,
  };
};

/** A request that succeeds for an account with a sufficient tier. */
interface SampleCall {
  readonly path: string;
  readonly body?: unknown;
}

const { token, otherToken, creator, puppet, cluster } = KNOWN;
const webhook = ({ webhookId }: SampleAccount): string => `/api/webhooks/${webhookId}`;

/** One valid request for every operation, by its id. An operation without one fails the tests. */
export const SAMPLE_CALLS: Readonly<Record<string, (account: SampleAccount) => SampleCall>> = {
  getTokens: () => ({ path: '/tokens' }),
  getToken: () => ({ path: `/tokens/${token}` }),
  analyzeToken: () => ({ path: '/tokens/analyze', body: { address: token } }),
  getAnalysis: ({ jobId }) => ({ path: `/tokens/analyze/${jobId}` }),
  getTokenNetwork: () => ({ path: `/tokens/${token}/network` }),
  getWallet: () => ({ path: `/wallets/${creator}` }),
  getWalletTokens: () => ({ path: `/wallets/${creator}/tokens` }),
  getClusters: () => ({ path: '/clusters' }),
  getCluster: () => ({ path: `/clusters/${cluster}` }),
  getWatchlist: () => ({ path: '/watchlist' }),
  addToWatchlist: () => ({ path: '/watchlist', body: { type: 'token', address: otherToken } }),
  removeFromWatchlist: ({ watchId }) => ({ path: `/watchlist/${watchId}` }),
  getAlerts: () => ({ path: '/alerts' }),
  readAlert: ({ alertId }) => ({ path: `/alerts/${alertId}/read` }),
  getStats: () => ({ path: '/stats' }),
  listTokens: () => ({ path: '/api/tokens' }),
  getTokenVerdict: () => ({ path: `/api/tokens/${token}` }),
  predictToken: () => ({ path: `/api/predict/${token}`, body: { wait: 0 } }),
  batchTokens: () => ({
    path: '/api/tokens/batch',
    body: { addresses: [token, 'nope'], mode: 'cached' },
  }),
  scanAddress: () => ({ path: '/api/scan/address', body: { address: token } }),
  scanTokens: () => ({ path: '/api/scan/tokens', body: { tokens: [token] } }),
  getTokenHistory: () => ({ path: `/api/tokens/${token}/history` }),
  getTokenLocks: () => ({ path: `/api/tokens/${token}/locks` }),
  getWalletReport: () => ({ path: `/api/wallets/${creator}` }),
  getWalletReputation: () => ({ path: `/api/wallets/${creator}/reputation` }),
  getWalletAnalysis: () => ({ path: `/api/wallet/${creator}` }),
  getTokensOfWallet: () => ({ path: `/api/wallet/${creator}/tokens` }),
  getWalletReputationAlias: () => ({ path: `/api/wallet/${creator}/reputation` }),
  getWatchedWallets: () => ({ path: '/api/watchlist' }),
  watchWallet: () => ({ path: '/api/watchlist', body: { address: puppet } }),
  unwatchWallet: () => ({ path: `/api/watchlist/${creator}` }),
  getAlertHistory: () => ({ path: '/api/alerts' }),
  getAlertConfig: () => ({ path: '/api/alerts/configure' }),
  configureAlerts: () => ({ path: '/api/alerts/configure', body: { min_severity: 'info' } }),
  getHealth: () => ({ path: '/api/health' }),
  getTokenGraph: () => ({ path: `/api/graph/token/${token}` }),
  getWalletGraph: () => ({ path: `/api/graph/wallet/${creator}` }),
  getGraphPath: () => ({ path: `/api/graph/path?from=${puppet}&to=${creator}` }),
  getGraph: () => ({ path: `/api/graph/${token}` }),
  generateReport: () => ({ path: `/api/reports/generate/${token}`, body: { language: 'es' } }),
  getReport: ({ reportId }) => ({ path: `/api/reports/${reportId}` }),
  search: () => ({ path: '/api/search?q=pepe' }),
  searchAdvanced: () => ({ path: '/api/search/advanced', body: { filters: {} } }),
  addFeedback: () => ({
    path: '/api/feedback',
    body: { address: token, kind: 'false_positive', details: 'Sells work.' },
  }),
  getFeedback: ({ feedbackId }) => ({ path: `/api/feedback/${feedbackId}` }),
  getUsage: () => ({ path: '/api/usage' }),
  getWebhooks: () => ({ path: '/api/webhooks' }),
  createWebhook: () => ({
    path: '/api/webhooks',
    body: { url: CLOSED_TARGET, events: ['verdict.changed'] },
  }),
  getWebhook: (account) => ({ path: webhook(account) }),
  changeWebhook: (account) => ({ path: webhook(account), body: { description: 'mine' } }),
  removeWebhook: (account) => ({ path: webhook(account) }),
  rotateWebhookSecret: (account) => ({ path: `${webhook(account)}/rotate-secret` }),
  testWebhook: (account) => ({ path: `${webhook(account)}/test` }),
  getWebhookDeliveries: (account) => ({ path: `${webhook(account)}/deliveries` }),
  createTicket: () => ({ path: '/api/ws/ticket' }),
  openSocket: () => ({ path: '/api/ws' }),
  exportDay: () => ({ path: '/api/export?what=tokens&day=2026-01-31' }),
  openEvents: () => ({ path: '/api/events' }),
  redeliverEvent: (account) => ({
    path: `${webhook(account)}/deliveries/${account.deliveryId}/redeliver`,
  }),
};

const EVERY_MS = 1_000;

/** Sends heartbeats for roles that a test does not run. `stop` resolves once the last was sent. */
export const beatForAll = (
  connection: NatsConnection,
  chainId: number,
): { stop: () => Promise<void> } => {
  const ending = new AbortController();
  const chain = () => {
    const nowMs = systemClock.now();
    return { head: 1, headTimeS: Math.floor(nowMs / 1_000), answeredAtMs: nowMs, next: 2 };
  };
  const common = { connection, chainId, everyMs: EVERY_MS, clock: systemClock, chain };
  const beating = BEATING_ROLES.map((role) =>
    beat({ ...common, role, logger: silentLogger }, ending.signal),
  );
  return {
    stop: async () => {
      ending.abort();
      await Promise.all(beating);
    },
  };
};
