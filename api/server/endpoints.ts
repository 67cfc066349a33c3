import { getUsage } from '../accounts/usageRoutes.ts';
import { listAlerts, readAlert } from '../alerts/routes.ts';
import { listAlertHistory } from '../alerts/routesB.ts';
import { configureAlerts, getAlertConfig } from '../alerts/settingsRoutes.ts';
import { getCluster, listClusters } from '../clusters/routes.ts';
import { exportDay } from '../export/routes.ts';
import { addFeedback, getFeedback } from '../feedback/routes.ts';
import {
  getGraph,
  getGraphPath,
  getTokenGraph,
  getTokenNetwork,
  getWalletGraph,
} from '../graph/routes.ts';
import { getHealth } from '../health/routes.ts';
import { generateReport, getReport } from '../reports/routes.ts';
import { scanAddress, scanTokens } from '../scan/routes.ts';
import { searchAdvanced } from '../search/advancedRoutes.ts';
import { searchAll } from '../search/routes.ts';
import { getStats } from '../statistics/routes.ts';
import { createTicket, openEvents, openSocket } from '../streams/routes.ts';
import { analyzeToken, getJob, predictToken } from '../tokens/analysisRoutes.ts';
import { batchTokens } from '../tokens/batchTokens.ts';
import { createWaitForJobs } from '../tokens/jobs.ts';
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
import { addWatch, listWatchlist, removeWatch } from '../watchlist/routes.ts';
import { addWatchedWallet, listWatchedWallets, removeWatchedWallet } from '../watchlist/routesB.ts';
import { listWebhookDeliveries, redeliverEvent, testWebhook } from '../webhooks/deliveryRoutes.ts';
import {
  changeWebhook,
  createWebhook,
  getWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
} from '../webhooks/routes.ts';
import type { Endpoint, PortsOf } from './endpoint.ts';

/** Every operation of the API: each entry of this list is served and documented. */
const OPERATIONS = [
  listTokens,
  getToken,
  analyzeToken,
  getJob,
  listWatchlist,
  addWatch,
  removeWatch,
  listAlerts,
  readAlert,
  getStats,
  getHealth,
  getTokenNetwork,
  getWallet,
  listWalletTokens,
  getWalletB,
  getWalletAnalysis,
  listWalletTokensB,
  getWalletReputation,
  getWalletReputationAlias,
  listClusters,
  getCluster,
  getTokenGraph,
  getWalletGraph,
  getGraphPath,
  getGraph,
  listWatchedWallets,
  addWatchedWallet,
  removeWatchedWallet,
  listAlertHistory,
  getAlertConfig,
  configureAlerts,
  listWebhooks,
  createWebhook,
  getWebhook,
  changeWebhook,
  removeWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  redeliverEvent,
  createTicket,
  openSocket,
  openEvents,
  listTokensB,
  getTokenB,
  predictToken,
  batchTokens,
  getTokenHistory,
  getTokenLocks,
  scanAddress,
  scanTokens,
  searchAll,
  searchAdvanced,
  generateReport,
  getReport,
  addFeedback,
  getFeedback,
  getUsage,
  exportDay,
] as const;

/** Dependencies of all operations. */
export type EndpointPorts = Omit<PortsOf<(typeof OPERATIONS)[number]>, 'waitForJobs'>;

/** Creates the operations from their dependencies. */
export const createEndpoints = (given: EndpointPorts): Endpoint[] => {
  const ports = { ...given, waitForJobs: createWaitForJobs(given) };
  return OPERATIONS.map((operation) => operation(ports));
};
