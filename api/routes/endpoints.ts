import type { Clock } from '../../shared/runtime/clock.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Plans } from '../accounts/plans.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Alerts, Health, Stats, Tokens } from '../ports.ts';
import type { Watchlist } from '../watchlist/watchlist.ts';
import { addWatch } from './addWatch.ts';
import { analyzeToken } from './analyzeToken.ts';
import { getHealth } from './getHealth.ts';
import { getJob } from './getJob.ts';
import { getStats } from './getStats.ts';
import { getToken } from './getToken.ts';
import { listAlerts } from './listAlerts.ts';
import { listTokens } from './listTokens.ts';
import { listWatchlist } from './listWatchlist.ts';
import { readAlert } from './readAlert.ts';
import { removeWatch } from './removeWatch.ts';

/** What the operations together need. */
export interface EndpointPorts {
  readonly tokens: Tokens;
  readonly jobs: Jobs;
  readonly watchlist: Watchlist;
  readonly alerts: Alerts;
  readonly stats: Stats;
  readonly health: Health;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Without a slash at the end. */
  readonly baseUrl: string;
}

/** Every operation of the API: what is in this list is served and documented. */
export const createEndpoints = (ports: EndpointPorts): Endpoint[] => [
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
];
