import type { AlertSettings } from '../../shared/families/alertSettingsStore.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { FindTarget } from '../../shared/webhooks/targetAddress.ts';
import type { Gatekeeper } from '../accounts/admission.ts';
import type { Plans } from '../accounts/plans.ts';
import type { Usage } from '../accounts/usage.ts';
import { getUsage } from '../accounts/usageRoutes.ts';
import type { Alerts } from '../alerts/createAlerts.ts';
import { listAlerts, readAlert } from '../alerts/routes.ts';
import { listAlertHistory } from '../alerts/routesB.ts';
import { configureAlerts, getAlertConfig } from '../alerts/settingsRoutes.ts';
import type { Clusters } from '../clusters/queries.ts';
import { getCluster, listClusters } from '../clusters/routes.ts';
import type { Exports } from '../export/createExports.ts';
import { exportDay } from '../export/routes.ts';
import type { Feedback } from '../feedback/feedbackStore.ts';
import { addFeedback, getFeedback } from '../feedback/routes.ts';
import type { Graphs } from '../graph/graph.ts';
import {
  getGraph,
  getGraphPath,
  getTokenGraph,
  getTokenNetwork,
  getWalletGraph,
} from '../graph/routes.ts';
import type { Health } from '../health/createHealth.ts';
import { getHealth } from '../health/routes.ts';
import type { Reports } from '../reports/report.ts';
import { generateReport, getReport } from '../reports/routes.ts';
import { scanAddress, scanTokens } from '../scan/routes.ts';
import { searchAdvanced } from '../search/advancedRoutes.ts';
import { searchAll } from '../search/routes.ts';
import type { Search } from '../search/search.ts';
import type { Stats } from '../statistics/createStats.ts';
import { getStats } from '../statistics/routes.ts';
import type { Streams } from '../streams/createStreams.ts';
import { createTicket, openEvents, openSocket } from '../streams/routes.ts';
import { analyzeToken, getJob, predictToken } from '../tokens/analysisRoutes.ts';
import { batchTokens } from '../tokens/batchTokens.ts';
import type { History, Tokens } from '../tokens/createTokens.ts';
import { createWaitForJobs, type Jobs } from '../tokens/jobs.ts';
import { getToken, getTokenHistory, getTokenLocks, listTokens } from '../tokens/routes.ts';
import { getTokenB, listTokensB } from '../tokens/routesB.ts';
import { getWallet, listWalletTokens } from '../wallets/routes.ts';
import {
  getWalletAnalysis,
  getWalletB,
  getWalletReputation,
  getWalletReputationAlias,
  listWalletTokensB,
} from '../wallets/routesB.ts';
import type { Wallets } from '../wallets/wallet.ts';
import type { Watchlist } from '../watchlist/createWatchlist.ts';
import { addWatch, listWatchlist, removeWatch } from '../watchlist/routes.ts';
import { addWatchedWallet, listWatchedWallets, removeWatchedWallet } from '../watchlist/routesB.ts';
import { listWebhookDeliveries, redeliverEvent, testWebhook } from '../webhooks/deliveryRoutes.ts';
import type { MailConfirmations } from '../webhooks/mailConfirmations.ts';
import {
  changeWebhook,
  createWebhook,
  getWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
} from '../webhooks/routes.ts';
import type { Webhooks } from '../webhooks/webhook.ts';
import type { Endpoint } from './endpoint.ts';

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
  readonly mailConfirmations: MailConfirmations;
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
  readonly exports: Exports;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly chainId: number;
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
    getTokenLocks(ports),
    scanAddress(ports),
    scanTokens(ports),
    searchAll(ports),
    searchAdvanced(ports),
    generateReport(ports),
    getReport(ports),
    addFeedback(ports),
    getFeedback(ports),
    getUsage(ports),
    exportDay(ports),
  ];
};
