import type { Clock } from '../../shared/runtime/clock.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { FindTarget } from '../../shared/webhooks/targetAddress.ts';
import type { Gatekeeper } from '../accounts/admission.ts';
import type { Plans } from '../accounts/plans.ts';
import type { AlertSettings } from '../alertSettings/alertSettings.ts';
import type { Clusters } from '../clusters/cluster.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Feedback } from '../feedback/feedback.ts';
import type { Graphs } from '../graph/graph.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { createWaitForJobs } from '../jobs/waitForJobs.ts';
import type { Alerts, Health, History, Stats, Tokens } from '../ports.ts';
import type { Reports } from '../reports/report.ts';
import type { Search } from '../search/search.ts';
import type { Streams } from '../streams/createStreams.ts';
import type { Usage } from '../usage/usage.ts';
import type { Wallets } from '../wallets/wallet.ts';
import type { Watchlist } from '../watchlist/watchlist.ts';
import type { Webhooks } from '../webhooks/webhook.ts';
import { addWatch } from './addWatch.ts';
import { configureAlerts, getAlertConfig } from './alertConfig.ts';
import { listAlertHistory } from './alertsB.ts';
import { analyzeToken } from './analyzeToken.ts';
import { batchTokens } from './batchTokens.ts';
import { getCluster, listClusters } from './clusters.ts';
import { addFeedback, getFeedback } from './feedback.ts';
import { getHealth } from './getHealth.ts';
import { getJob } from './getJob.ts';
import { getStats } from './getStats.ts';
import { getToken } from './getToken.ts';
import { getTokenHistory } from './getTokenHistory.ts';
import { getUsage } from './getUsage.ts';
import { getWallet, listWalletTokens } from './getWallet.ts';
import {
  getGraph,
  getGraphPath,
  getTokenGraph,
  getTokenNetwork,
  getWalletGraph,
} from './graphs.ts';
import { listAlerts } from './listAlerts.ts';
import { listTokens } from './listTokens.ts';
import { listWatchlist } from './listWatchlist.ts';
import { predictToken } from './predictToken.ts';
import { readAlert } from './readAlert.ts';
import { removeWatch } from './removeWatch.ts';
import { generateReport, getReport } from './reports.ts';
import { searchAll } from './search.ts';
import { searchAdvanced } from './searchAdvanced.ts';
import { createTicket, openEvents, openSocket } from './streams.ts';
import { getTokenB, listTokensB } from './tokensB.ts';
import {
  getWalletAnalysis,
  getWalletB,
  getWalletReputation,
  getWalletReputationAlias,
} from './walletsB.ts';
import { listWalletTokensB } from './walletTokensB.ts';
import { addWatchedWallet, listWatchedWallets, removeWatchedWallet } from './watchlistB.ts';
import { listWebhookDeliveries, redeliverEvent, testWebhook } from './webhookDeliveries.ts';
import {
  changeWebhook,
  createWebhook,
  getWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
} from './webhooks.ts';

/** What the operations together need. */
export interface EndpointPorts {
  readonly tokens: Tokens;
  readonly jobs: Jobs;
  readonly watchlist: Watchlist;
  readonly alerts: Alerts;
  readonly alertSettings: AlertSettings;
  readonly wallets: Wallets;
  readonly clusters: Clusters;
  readonly graphs: Graphs;
  readonly webhooks: Webhooks;
  readonly findTarget: FindTarget;
  readonly streams: Streams;
  readonly gatekeeper: Pick<Gatekeeper, 'issueTicket'>;
  readonly stats: Stats;
  readonly health: Health;
  readonly plans: Plans;
  readonly history: History;
  readonly feedback: Feedback;
  readonly usage: Usage;
  readonly reports: Reports;
  readonly search: Search;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Without a slash at the end. */
  readonly baseUrl: string;
}

/** Every operation of the API: what is in this list is served and documented. */
export const createEndpoints = (given: EndpointPorts): Endpoint[] => {
  const ports = { ...given, waitForJobs: createWaitForJobs(given) };
  return [
    listTokens(ports),
    getToken(ports),
    analyzeToken(ports),
    getJob(ports),
    listWatchlist(ports),
    addWatch(ports),
    removeWatch(ports),
    listAlerts(ports),
    readAlert(ports),
    getStats(ports),
    getHealth(ports),
    getTokenNetwork(ports),
    getWallet(ports),
    listWalletTokens(ports),
    getWalletB(ports),
    getWalletAnalysis(ports),
    listWalletTokensB(ports),
    getWalletReputation(ports),
    getWalletReputationAlias(ports),
    listClusters(ports),
    getCluster(ports),
    getTokenGraph(ports),
    getWalletGraph(ports),
    getGraphPath(ports),
    getGraph(ports),
    listWatchedWallets(ports),
    addWatchedWallet(ports),
    removeWatchedWallet(ports),
    listAlertHistory(ports),
    getAlertConfig(ports),
    configureAlerts(ports),
    listWebhooks(ports),
    createWebhook(ports),
    getWebhook(ports),
    changeWebhook(ports),
    removeWebhook(ports),
    rotateWebhookSecret(ports),
    testWebhook(ports),
    listWebhookDeliveries(ports),
    redeliverEvent(ports),
    createTicket(ports),
    openSocket(ports),
    openEvents(ports),
    listTokensB(ports),
    getTokenB(ports),
    predictToken(ports),
    batchTokens(ports),
    getTokenHistory(ports),
    searchAll(ports),
    searchAdvanced(ports),
    generateReport(ports),
    getReport(ports),
    addFeedback(ports),
    getFeedback(ports),
    getUsage(ports),
  ];
};
