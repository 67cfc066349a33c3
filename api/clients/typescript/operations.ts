// Generated from the operations of the API by `make clients`.
import { BaseClient } from './baseClient.ts';

/** A method for every operation of the API. */
export class Operations extends BaseClient {
  /** List analysed tokens: GET /tokens */
  readonly getTokens = this.operation('get', '/tokens', ["limit","offset","prediction","min_confidence","sort","order","cursor"]);
  /** Token detail: GET /tokens/{address} */
  readonly getToken = this.operation('get', '/tokens/{address}', []);
  /** Start an analysis: POST /tokens/analyze */
  readonly analyzeToken = this.operation('post', '/tokens/analyze', []);
  /** Poll an analysis: GET /tokens/analyze/{job_id} */
  readonly getAnalysis = this.operation('get', '/tokens/analyze/{job_id}', ["wait"]);
  /** List watchlist: GET /watchlist */
  readonly getWatchlist = this.operation('get', '/watchlist', ["type","limit","offset"]);
  /** Watch a token or wallet: POST /watchlist */
  readonly addToWatchlist = this.operation('post', '/watchlist', []);
  /** Stop watching: DELETE /watchlist/{id} */
  readonly removeFromWatchlist = this.operation('delete', '/watchlist/{id}', []);
  /** List alerts: GET /alerts */
  readonly getAlerts = this.operation('get', '/alerts', ["limit","offset","severity","unread","since_id"]);
  /** Mark an alert read: POST /alerts/{id}/read */
  readonly readAlert = this.operation('post', '/alerts/{id}/read', []);
  /** Global statistics: GET /stats */
  readonly getStats = this.operation('get', '/stats');
  /** Health: GET /api/health */
  readonly getHealth = this.operation('get', '/api/health');
  /** Token network: GET /tokens/{address}/network */
  readonly getTokenNetwork = this.operation('get', '/tokens/{address}/network', ["depth"]);
  /** Wallet: GET /wallets/{address} */
  readonly getWallet = this.operation('get', '/wallets/{address}', []);
  /** Tokens created by a wallet: GET /wallets/{address}/tokens */
  readonly getWalletTokens = this.operation('get', '/wallets/{address}/tokens', ["limit","offset"]);
  /** Wallet with reputation, scam history and connections: GET /api/wallets/{address} */
  readonly getWalletReport = this.operation('get', '/api/wallets/{address}', []);
  /** Wallet analysis: GET /api/wallet/{address} */
  readonly getWalletAnalysis = this.operation('get', '/api/wallet/{address}', []);
  /** Tokens created by the wallet: GET /api/wallet/{address}/tokens */
  readonly getTokensOfWallet = this.operation('get', '/api/wallet/{address}/tokens', ["page","limit","offset","cursor"]);
  /** Reputation score and history: GET /api/wallets/{address}/reputation */
  readonly getWalletReputation = this.operation('get', '/api/wallets/{address}/reputation', ["from","to","limit"]);
  /** Reputation (singular alias): GET /api/wallet/{address}/reputation */
  readonly getWalletReputationAlias = this.operation('get', '/api/wallet/{address}/reputation', ["from","to","limit"]);
  /** List clusters: GET /clusters */
  readonly getClusters = this.operation('get', '/clusters', ["limit","offset","min_size","sort","order"]);
  /** Cluster detail: GET /clusters/{id} */
  readonly getCluster = this.operation('get', '/clusters/{id}', []);
  /** Graph around a token: GET /api/graph/token/{address} */
  readonly getTokenGraph = this.operation('get', '/api/graph/token/{address}', ["depth","limit","direction","types","min_weight"]);
  /** Graph around a wallet: GET /api/graph/wallet/{address} */
  readonly getWalletGraph = this.operation('get', '/api/graph/wallet/{address}', ["depth","limit","direction","types","min_weight"]);
  /** Path between two addresses: GET /api/graph/path */
  readonly getGraphPath = this.operation('get', '/api/graph/path', ["from","to","max_depth","limit","direction","types","through_hubs"]);
  /** Graph around any address: GET /api/graph/{address} */
  readonly getGraph = this.operation('get', '/api/graph/{address}', ["depth","limit","direction","types","min_weight"]);
  /** Watched wallets: GET /api/watchlist */
  readonly getWatchedWallets = this.operation('get', '/api/watchlist', ["type","page","limit","offset","cursor"]);
  /** Watch a wallet: POST /api/watchlist */
  readonly watchWallet = this.operation('post', '/api/watchlist', []);
  /** Stop watching (by address): DELETE /api/watchlist/{address} */
  readonly unwatchWallet = this.operation('delete', '/api/watchlist/{address}', ["type"]);
  /** Alert history: GET /api/alerts */
  readonly getAlertHistory = this.operation('get', '/api/alerts', ["page","limit","offset","cursor","severity","type","read","created_after","created_before"]);
  /** Read alert settings: GET /api/alerts/configure */
  readonly getAlertConfig = this.operation('get', '/api/alerts/configure');
  /** Change alert settings: POST /api/alerts/configure */
  readonly configureAlerts = this.operation('post', '/api/alerts/configure', []);
  /** List webhooks: GET /api/webhooks */
  readonly getWebhooks = this.operation('get', '/api/webhooks');
  /** Register a webhook: POST /api/webhooks */
  readonly createWebhook = this.operation('post', '/api/webhooks', []);
  /** Webhook: GET /api/webhooks/{id} */
  readonly getWebhook = this.operation('get', '/api/webhooks/{id}', []);
  /** Change a webhook: PATCH /api/webhooks/{id} */
  readonly changeWebhook = this.operation('patch', '/api/webhooks/{id}', []);
  /** Remove a webhook: DELETE /api/webhooks/{id} */
  readonly removeWebhook = this.operation('delete', '/api/webhooks/{id}', []);
  /** Rotate the secret: POST /api/webhooks/{id}/rotate-secret */
  readonly rotateWebhookSecret = this.operation('post', '/api/webhooks/{id}/rotate-secret', []);
  /** Send a test event: POST /api/webhooks/{id}/test */
  readonly testWebhook = this.operation('post', '/api/webhooks/{id}/test', []);
  /** Delivery log: GET /api/webhooks/{id}/deliveries */
  readonly getWebhookDeliveries = this.operation('get', '/api/webhooks/{id}/deliveries', ["status","limit","cursor"]);
  /** Deliver an event again: POST /api/webhooks/{id}/deliveries/{delivery_id}/redeliver */
  readonly redeliverEvent = this.operation('post', '/api/webhooks/{id}/deliveries/{delivery_id}/redeliver', []);
  /** Ticket for a WebSocket: POST /api/ws/ticket */
  readonly createTicket = this.operation('post', '/api/ws/ticket');
  /** List tokens: GET /api/tokens */
  readonly listTokens = this.operation('get', '/api/tokens', ["page","limit","offset","cursor","is_rug","risk_level","confidence_min","confidence_max","created_after","created_before","sort_by","sort_order"]);
  /** Token: GET /api/tokens/{address} */
  readonly getTokenVerdict = this.operation('get', '/api/tokens/{address}', []);
  /** Analyse a token now: POST /api/predict/{address} */
  readonly predictToken = this.operation('post', '/api/predict/{address}', []);
  /** Verdicts on many tokens: POST /api/tokens/batch */
  readonly batchTokens = this.operation('post', '/api/tokens/batch', []);
  /** Verdict history: GET /api/tokens/{address}/history */
  readonly getTokenHistory = this.operation('get', '/api/tokens/{address}/history', ["limit","cursor"]);
  /** Locks of liquidity and supply: GET /api/tokens/{address}/locks */
  readonly getTokenLocks = this.operation('get', '/api/tokens/{address}/locks', []);
  /** Scan an address: POST /api/scan/address */
  readonly scanAddress = this.operation('post', '/api/scan/address', []);
  /** Scan tokens: POST /api/scan/tokens */
  readonly scanTokens = this.operation('post', '/api/scan/tokens', []);
  /** Global search: GET /api/search */
  readonly search = this.operation('get', '/api/search', ["q","type","limit","offset"]);
  /** Search with filters: POST /api/search/advanced */
  readonly searchAdvanced = this.operation('post', '/api/search/advanced', []);
  /** Written report: POST /api/reports/generate/{address} */
  readonly generateReport = this.operation('post', '/api/reports/generate/{address}', []);
  /** Read a report: GET /api/reports/{report_id} */
  readonly getReport = this.operation('get', '/api/reports/{report_id}', ["format"]);
  /** Dispute a verdict: POST /api/feedback */
  readonly addFeedback = this.operation('post', '/api/feedback', []);
  /** A disputed verdict: GET /api/feedback/{id} */
  readonly getFeedback = this.operation('get', '/api/feedback/{id}', []);
  /** Quota and usage of this key: GET /api/usage */
  readonly getUsage = this.operation('get', '/api/usage');
}
