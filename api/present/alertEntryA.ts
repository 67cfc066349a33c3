import type { FamilyAlert } from '../queries/alerts.ts';
import type { AlertEntry } from '../schema/alert.ts';
import { isoTime } from './isoTime.ts';

/** An alert as clients see it. */
export const alertEntryA = (alert: FamilyAlert): AlertEntry => ({
  id: alert.id,
  type: alert.type,
  severity: alert.severity,
  token: { ...alert.token },
  details: { ...alert.details },
  recommendation: alert.recommendation,
  read: alert.isRead,
  created_at: isoTime(alert.createdAtMs),
  watchlist_id: alert.watchId,
});
