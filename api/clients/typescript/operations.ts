// Generated from the operations of the API by `make clients`.
import { type Answer, BaseClient, type CallOptions, type Input } from './baseClient.ts';

/** A method for every operation of the API. */
export class Operations extends BaseClient {
  /** List analysed tokens: GET /tokens */
  getTokens(input: Input<'/tokens', 'get'> = {}, options?: CallOptions): Promise<Answer<'/tokens', 'get'>> {
    return this.call('get', '/tokens', ["limit","offset","prediction","min_confidence","sort","order","cursor"], input, options);
  }

  /** Token detail: GET /tokens/{address} */
  getToken(input: Input<'/tokens/{address}', 'get'>, options?: CallOptions): Promise<Answer<'/tokens/{address}', 'get'>> {
    return this.call('get', '/tokens/{address}', [], input, options);
  }

  /** Start an analysis: POST /tokens/analyze */
  analyzeToken(input: Input<'/tokens/analyze', 'post'>, options?: CallOptions): Promise<Answer<'/tokens/analyze', 'post'>> {
    return this.call('post', '/tokens/analyze', [], input, options);
  }

  /** Poll an analysis: GET /tokens/analyze/{job_id} */
  getAnalysis(input: Input<'/tokens/analyze/{job_id}', 'get'>, options?: CallOptions): Promise<Answer<'/tokens/analyze/{job_id}', 'get'>> {
    return this.call('get', '/tokens/analyze/{job_id}', ["wait"], input, options);
  }

  /** List watchlist: GET /watchlist */
  getWatchlist(input: Input<'/watchlist', 'get'> = {}, options?: CallOptions): Promise<Answer<'/watchlist', 'get'>> {
    return this.call('get', '/watchlist', ["type","limit","offset"], input, options);
  }

  /** Watch a token or wallet: POST /watchlist */
  addToWatchlist(input: Input<'/watchlist', 'post'>, options?: CallOptions): Promise<Answer<'/watchlist', 'post'>> {
    return this.call('post', '/watchlist', [], input, options);
  }

  /** Stop watching: DELETE /watchlist/{id} */
  removeFromWatchlist(input: Input<'/watchlist/{id}', 'delete'>, options?: CallOptions): Promise<Answer<'/watchlist/{id}', 'delete'>> {
    return this.call('delete', '/watchlist/{id}', [], input, options);
  }

  /** List alerts: GET /alerts */
  getAlerts(input: Input<'/alerts', 'get'> = {}, options?: CallOptions): Promise<Answer<'/alerts', 'get'>> {
    return this.call('get', '/alerts', ["limit","offset","severity","unread","since_id"], input, options);
  }

  /** Mark an alert read: POST /alerts/{id}/read */
  readAlert(input: Input<'/alerts/{id}/read', 'post'>, options?: CallOptions): Promise<Answer<'/alerts/{id}/read', 'post'>> {
    return this.call('post', '/alerts/{id}/read', [], input, options);
  }

  /** Global statistics: GET /stats */
  getStats(options?: CallOptions): Promise<Answer<'/stats', 'get'>> {
    return this.call('get', '/stats', [], {}, options);
  }

  /** Health: GET /api/health */
  getHealth(options?: CallOptions): Promise<Answer<'/api/health', 'get'>> {
    return this.call('get', '/api/health', [], {}, options);
  }

  /** Token network: GET /tokens/{address}/network */
  getTokenNetwork(input: Input<'/tokens/{address}/network', 'get'>, options?: CallOptions): Promise<Answer<'/tokens/{address}/network', 'get'>> {
    return this.call('get', '/tokens/{address}/network', ["depth"], input, options);
  }

  /** Wallet: GET /wallets/{address} */
  getWallet(input: Input<'/wallets/{address}', 'get'>, options?: CallOptions): Promise<Answer<'/wallets/{address}', 'get'>> {
    return this.call('get', '/wallets/{address}', [], input, options);
  }

  /** Tokens created by a wallet: GET /wallets/{address}/tokens */
  getWalletTokens(input: Input<'/wallets/{address}/tokens', 'get'>, options?: CallOptions): Promise<Answer<'/wallets/{address}/tokens', 'get'>> {
    return this.call('get', '/wallets/{address}/tokens', ["limit","offset"], input, options);
  }

  /** Wallet with reputation, scam history and connections: GET /api/wallets/{address} */
  getWalletReport(input: Input<'/api/wallets/{address}', 'get'>, options?: CallOptions): Promise<Answer<'/api/wallets/{address}', 'get'>> {
    return this.call('get', '/api/wallets/{address}', [], input, options);
  }

  /** Wallet analysis: GET /api/wallet/{address} */
  getWalletAnalysis(input: Input<'/api/wallet/{address}', 'get'>, options?: CallOptions): Promise<Answer<'/api/wallet/{address}', 'get'>> {
    return this.call('get', '/api/wallet/{address}', [], input, options);
  }

  /** Tokens created by the wallet: GET /api/wallet/{address}/tokens */
  getTokensOfWallet(input: Input<'/api/wallet/{address}/tokens', 'get'>, options?: CallOptions): Promise<Answer<'/api/wallet/{address}/tokens', 'get'>> {
    return this.call('get', '/api/wallet/{address}/tokens', ["page","limit","offset","cursor"], input, options);
  }

  /** Reputation score and history: GET /api/wallets/{address}/reputation */
  getWalletReputation(input: Input<'/api/wallets/{address}/reputation', 'get'>, options?: CallOptions): Promise<Answer<'/api/wallets/{address}/reputation', 'get'>> {
    return this.call('get', '/api/wallets/{address}/reputation', ["from","to","limit"], input, options);
  }

  /** Reputation (singular alias): GET /api/wallet/{address}/reputation */
  getWalletReputationAlias(input: Input<'/api/wallet/{address}/reputation', 'get'>, options?: CallOptions): Promise<Answer<'/api/wallet/{address}/reputation', 'get'>> {
    return this.call('get', '/api/wallet/{address}/reputation', ["from","to","limit"], input, options);
  }

  /** List clusters: GET /clusters */
  getClusters(input: Input<'/clusters', 'get'> = {}, options?: CallOptions): Promise<Answer<'/clusters', 'get'>> {
    return this.call('get', '/clusters', ["limit","offset","min_size","sort","order"], input, options);
  }

  /** Cluster detail: GET /clusters/{id} */
  getCluster(input: Input<'/clusters/{id}', 'get'>, options?: CallOptions): Promise<Answer<'/clusters/{id}', 'get'>> {
    return this.call('get', '/clusters/{id}', [], input, options);
  }

  /** Graph around a token: GET /api/graph/token/{address} */
  getTokenGraph(input: Input<'/api/graph/token/{address}', 'get'>, options?: CallOptions): Promise<Answer<'/api/graph/token/{address}', 'get'>> {
    return this.call('get', '/api/graph/token/{address}', ["depth","limit","direction","types","min_weight"], input, options);
  }

  /** Graph around a wallet: GET /api/graph/wallet/{address} */
  getWalletGraph(input: Input<'/api/graph/wallet/{address}', 'get'>, options?: CallOptions): Promise<Answer<'/api/graph/wallet/{address}', 'get'>> {
    return this.call('get', '/api/graph/wallet/{address}', ["depth","limit","direction","types","min_weight"], input, options);
  }

  /** Path between two addresses: GET /api/graph/path */
  getGraphPath(input: Input<'/api/graph/path', 'get'>, options?: CallOptions): Promise<Answer<'/api/graph/path', 'get'>> {
    return this.call('get', '/api/graph/path', ["from","to","max_depth","limit","direction","types","through_hubs"], input, options);
  }

  /** Graph around any address: GET /api/graph/{address} */
  getGraph(input: Input<'/api/graph/{address}', 'get'>, options?: CallOptions): Promise<Answer<'/api/graph/{address}', 'get'>> {
    return this.call('get', '/api/graph/{address}', ["depth","limit","direction","types","min_weight"], input, options);
  }

  /** Watched wallets: GET /api/watchlist */
  getWatchedWallets(input: Input<'/api/watchlist', 'get'> = {}, options?: CallOptions): Promise<Answer<'/api/watchlist', 'get'>> {
    return this.call('get', '/api/watchlist', ["type","page","limit","offset","cursor"], input, options);
  }

  /** Watch a wallet: POST /api/watchlist */
  watchWallet(input: Input<'/api/watchlist', 'post'>, options?: CallOptions): Promise<Answer<'/api/watchlist', 'post'>> {
    return this.call('post', '/api/watchlist', [], input, options);
  }

  /** Stop watching (by address): DELETE /api/watchlist/{address} */
  unwatchWallet(input: Input<'/api/watchlist/{address}', 'delete'>, options?: CallOptions): Promise<Answer<'/api/watchlist/{address}', 'delete'>> {
    return this.call('delete', '/api/watchlist/{address}', ["type"], input, options);
  }

  /** Alert history: GET /api/alerts */
  getAlertHistory(input: Input<'/api/alerts', 'get'> = {}, options?: CallOptions): Promise<Answer<'/api/alerts', 'get'>> {
    return this.call('get', '/api/alerts', ["page","limit","offset","cursor","severity","type","read","created_after","created_before"], input, options);
  }

  /** Read alert settings: GET /api/alerts/configure */
  getAlertConfig(options?: CallOptions): Promise<Answer<'/api/alerts/configure', 'get'>> {
    return this.call('get', '/api/alerts/configure', [], {}, options);
  }

  /** Change alert settings: POST /api/alerts/configure */
  configureAlerts(input: Input<'/api/alerts/configure', 'post'> = {}, options?: CallOptions): Promise<Answer<'/api/alerts/configure', 'post'>> {
    return this.call('post', '/api/alerts/configure', [], input, options);
  }

  /** List webhooks: GET /api/webhooks */
  getWebhooks(options?: CallOptions): Promise<Answer<'/api/webhooks', 'get'>> {
    return this.call('get', '/api/webhooks', [], {}, options);
  }

  /** Register a webhook: POST /api/webhooks */
  createWebhook(input: Input<'/api/webhooks', 'post'>, options?: CallOptions): Promise<Answer<'/api/webhooks', 'post'>> {
    return this.call('post', '/api/webhooks', [], input, options);
  }

  /** Webhook: GET /api/webhooks/{id} */
  getWebhook(input: Input<'/api/webhooks/{id}', 'get'>, options?: CallOptions): Promise<Answer<'/api/webhooks/{id}', 'get'>> {
    return this.call('get', '/api/webhooks/{id}', [], input, options);
  }

  /** Change a webhook: PATCH /api/webhooks/{id} */
  changeWebhook(input: Input<'/api/webhooks/{id}', 'patch'>, options?: CallOptions): Promise<Answer<'/api/webhooks/{id}', 'patch'>> {
    return this.call('patch', '/api/webhooks/{id}', [], input, options);
  }

  /** Remove a webhook: DELETE /api/webhooks/{id} */
  removeWebhook(input: Input<'/api/webhooks/{id}', 'delete'>, options?: CallOptions): Promise<Answer<'/api/webhooks/{id}', 'delete'>> {
    return this.call('delete', '/api/webhooks/{id}', [], input, options);
  }

  /** Rotate the secret: POST /api/webhooks/{id}/rotate-secret */
  rotateWebhookSecret(input: Input<'/api/webhooks/{id}/rotate-secret', 'post'>, options?: CallOptions): Promise<Answer<'/api/webhooks/{id}/rotate-secret', 'post'>> {
    return this.call('post', '/api/webhooks/{id}/rotate-secret', [], input, options);
  }

  /** Send a test event: POST /api/webhooks/{id}/test */
  testWebhook(input: Input<'/api/webhooks/{id}/test', 'post'>, options?: CallOptions): Promise<Answer<'/api/webhooks/{id}/test', 'post'>> {
    return this.call('post', '/api/webhooks/{id}/test', [], input, options);
  }

  /** Delivery log: GET /api/webhooks/{id}/deliveries */
  getWebhookDeliveries(input: Input<'/api/webhooks/{id}/deliveries', 'get'>, options?: CallOptions): Promise<Answer<'/api/webhooks/{id}/deliveries', 'get'>> {
    return this.call('get', '/api/webhooks/{id}/deliveries', ["status","limit","cursor"], input, options);
  }

  /** Deliver an event again: POST /api/webhooks/{id}/deliveries/{delivery_id}/redeliver */
  redeliverEvent(input: Input<'/api/webhooks/{id}/deliveries/{delivery_id}/redeliver', 'post'>, options?: CallOptions): Promise<Answer<'/api/webhooks/{id}/deliveries/{delivery_id}/redeliver', 'post'>> {
    return this.call('post', '/api/webhooks/{id}/deliveries/{delivery_id}/redeliver', [], input, options);
  }

  /** Ticket for a WebSocket: POST /api/ws/ticket */
  createTicket(options?: CallOptions): Promise<Answer<'/api/ws/ticket', 'post'>> {
    return this.call('post', '/api/ws/ticket', [], {}, options);
  }

  /** List tokens: GET /api/tokens */
  listTokens(input: Input<'/api/tokens', 'get'> = {}, options?: CallOptions): Promise<Answer<'/api/tokens', 'get'>> {
    return this.call('get', '/api/tokens', ["page","limit","offset","cursor","is_rug","risk_level","confidence_min","confidence_max","created_after","created_before","sort_by","sort_order"], input, options);
  }

  /** Token: GET /api/tokens/{address} */
  getTokenVerdict(input: Input<'/api/tokens/{address}', 'get'>, options?: CallOptions): Promise<Answer<'/api/tokens/{address}', 'get'>> {
    return this.call('get', '/api/tokens/{address}', [], input, options);
  }

  /** Analyse a token now: POST /api/predict/{address} */
  predictToken(input: Input<'/api/predict/{address}', 'post'>, options?: CallOptions): Promise<Answer<'/api/predict/{address}', 'post'>> {
    return this.call('post', '/api/predict/{address}', [], input, options);
  }

  /** Verdicts on many tokens: POST /api/tokens/batch */
  batchTokens(input: Input<'/api/tokens/batch', 'post'>, options?: CallOptions): Promise<Answer<'/api/tokens/batch', 'post'>> {
    return this.call('post', '/api/tokens/batch', [], input, options);
  }

  /** Verdict history: GET /api/tokens/{address}/history */
  getTokenHistory(input: Input<'/api/tokens/{address}/history', 'get'>, options?: CallOptions): Promise<Answer<'/api/tokens/{address}/history', 'get'>> {
    return this.call('get', '/api/tokens/{address}/history', ["limit","cursor"], input, options);
  }

  /** Locks of liquidity and supply: GET /api/tokens/{address}/locks */
  getTokenLocks(input: Input<'/api/tokens/{address}/locks', 'get'>, options?: CallOptions): Promise<Answer<'/api/tokens/{address}/locks', 'get'>> {
    return this.call('get', '/api/tokens/{address}/locks', [], input, options);
  }

  /** Scan an address: POST /api/scan/address */
  scanAddress(input: Input<'/api/scan/address', 'post'>, options?: CallOptions): Promise<Answer<'/api/scan/address', 'post'>> {
    return this.call('post', '/api/scan/address', [], input, options);
  }

  /** Scan tokens: POST /api/scan/tokens */
  scanTokens(input: Input<'/api/scan/tokens', 'post'>, options?: CallOptions): Promise<Answer<'/api/scan/tokens', 'post'>> {
    return this.call('post', '/api/scan/tokens', [], input, options);
  }

  /** Global search: GET /api/search */
  search(input: Input<'/api/search', 'get'>, options?: CallOptions): Promise<Answer<'/api/search', 'get'>> {
    return this.call('get', '/api/search', ["q","type","limit","offset"], input, options);
  }

  /** Search with filters: POST /api/search/advanced */
  searchAdvanced(input: Input<'/api/search/advanced', 'post'> = {}, options?: CallOptions): Promise<Answer<'/api/search/advanced', 'post'>> {
    return this.call('post', '/api/search/advanced', [], input, options);
  }

  /** Written report: POST /api/reports/generate/{address} */
  generateReport(input: Input<'/api/reports/generate/{address}', 'post'>, options?: CallOptions): Promise<Answer<'/api/reports/generate/{address}', 'post'>> {
    return this.call('post', '/api/reports/generate/{address}', [], input, options);
  }

  /** Read a report: GET /api/reports/{report_id} */
  getReport(input: Input<'/api/reports/{report_id}', 'get'>, options?: CallOptions): Promise<Answer<'/api/reports/{report_id}', 'get'>> {
    return this.call('get', '/api/reports/{report_id}', ["format"], input, options);
  }

  /** Dispute a verdict: POST /api/feedback */
  addFeedback(input: Input<'/api/feedback', 'post'>, options?: CallOptions): Promise<Answer<'/api/feedback', 'post'>> {
    return this.call('post', '/api/feedback', [], input, options);
  }

  /** A disputed verdict: GET /api/feedback/{id} */
  getFeedback(input: Input<'/api/feedback/{id}', 'get'>, options?: CallOptions): Promise<Answer<'/api/feedback/{id}', 'get'>> {
    return this.call('get', '/api/feedback/{id}', [], input, options);
  }

  /** Quota and usage of this key: GET /api/usage */
  getUsage(options?: CallOptions): Promise<Answer<'/api/usage', 'get'>> {
    return this.call('get', '/api/usage', [], {}, options);
  }
}
