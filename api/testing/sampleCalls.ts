import { CLOSED_TARGET, KNOWN, type SampleAccount } from './sampleAccount.ts';

/** A request that an account of a sufficient tier is served. */
export interface SampleCall {
  readonly path: string;
  readonly body?: unknown;
}

const { token, otherToken, creator, puppet, cluster } = KNOWN;
const webhook = ({ webhookId }: SampleAccount): string => `/api/webhooks/${webhookId}`;

/** One good request for every operation, by its id. An operation without one fails the tests. */
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
  getTokenHistory: () => ({ path: `/api/tokens/${token}/history` }),
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
  openEvents: () => ({ path: '/api/events' }),
  redeliverEvent: (account) => ({
    path: `${webhook(account)}/deliveries/${account.deliveryId}/redeliver`,
  }),
};
