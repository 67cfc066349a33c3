import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import {
  type AlertHistoryPage,
  type AlertPage,
  type FamilyAlert,
  hasAlert,
  listAlertHistory,
  listAlerts,
  saveAlertRead,
} from './queries.ts';

/** Alerts of key families. */
export interface Alerts {
  list(page: AlertPage): Promise<{ alerts: FamilyAlert[]; total: number; unread: number }>;
  /** Newest first, read ones included. */
  history(page: AlertHistoryPage): Promise<{ alerts: FamilyAlert[]; total: number }>;
  /** Whether the family ever had the alert, withdrawn or not. */
  isKnown(family: string, id: number): Promise<boolean>;
  /** Resolves to false where the family has no such alert. */
  markRead(family: string, id: number): Promise<boolean>;
}

/** Alerts of all families. */
export const createAlerts = (
  database: Pick<Clickhouse, 'query' | 'exec'>,
  clock: Clock,
): Alerts => ({
  list: (page) => listAlerts(database, page),
  history: (page) => listAlertHistory(database, page),
  isKnown: (family, id) => hasAlert(database, family, id, { withWithdrawn: true }),
  markRead: async (family, id) => {
    if (!(await hasAlert(database, family, id, { withWithdrawn: false }))) return false;
    await saveAlertRead(database, family, id, clock.now());
    return true;
  },
});
