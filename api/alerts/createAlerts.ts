import type { Redis } from 'ioredis';
import type { Database } from '../server/database.ts';
import {
  type AlertPage,
  type FamilyAlert,
  findAlertTimes,
  isKnownAlert,
  listAlerts,
} from './queries.ts';
import { createReadMarks } from './readMarks.ts';

/** Alerts of key families. */
export interface Alerts {
  /** Newest first, unless the page is of those since one. `total` counts what matches, `unread` all unread ones. */
  list(page: AlertPage): Promise<{ alerts: FamilyAlert[]; total: number; unread: number }>;
  /** Whether the family ever had the alert, withdrawn or not. */
  isKnown(family: string, id: number): Promise<boolean>;
  /** Resolves to false where the family has no such alert. */
  markRead(family: string, id: number): Promise<boolean>;
}

/** Alerts of all families: in ClickHouse, and which were read in Redis. */
export const createAlerts = (database: Database, redis: Redis): Alerts => {
  const marks = createReadMarks(redis);
  return {
    list: async (page) => listAlerts(database, page, await marks.ids(page.family)),
    isKnown: (family, id) => isKnownAlert(database, family, id),
    markRead: async (family, id) => {
      const times = await findAlertTimes(database, family, id);
      if (!times) return false;
      await marks.add(family, { id, createdAtMs: times.createdAtMs }, times.oldestMs);
      return true;
    },
  };
};
