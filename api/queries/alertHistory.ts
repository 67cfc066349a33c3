import { z } from 'zod';
import type { Severity } from '../../shared/messages/alertMessage.ts';
import { countSchema } from '../../shared/messages/schemas.ts';
import type { AlertType } from '../../shared/messages/watchMessage.ts';
import { ALERT_COLUMNS, alertRow, type FamilyAlert, IS_READ } from './alerts.ts';
import type { Database } from './verdict.ts';

/** Which alerts of a family a history holds. */
export interface AlertHistoryPage {
  readonly family: string;
  readonly severity?: Severity | undefined;
  readonly type?: AlertType | undefined;
  readonly isRead?: boolean | undefined;
  /** Unix milliseconds, both ends included. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly limit: number;
  readonly offset: number;
  /** Creation time (Unix milliseconds) and id of the alert before. */
  readonly after?: { readonly value: number; readonly id: string } | undefined;
}

const time = (parameter: string): string => `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`;

const where = (page: AlertHistoryPage): string =>
  [
    'family = {family:String}',
    ...(page.severity ? ['severity = {severity:String}'] : []),
    ...(page.type ? ['type = {type:String}'] : []),
    ...(page.isRead === undefined ? [] : [page.isRead ? IS_READ : `NOT ${IS_READ}`]),
    ...(page.fromMs === undefined ? [] : [`created_at >= ${time('fromMs')}`]),
    ...(page.toMs === undefined ? [] : [`created_at <= ${time('toMs')}`]),
  ].join(' AND ');

/** One page of a family's alerts, newest first, and how many match. */
export const listAlertHistory = async (
  database: Database,
  page: AlertHistoryPage,
): Promise<{ alerts: FamilyAlert[]; total: number }> => {
  const { after, limit } = page;
  const place = after ? `AND (created_at, id) < (${time('afterMs')}, {afterId:UInt64})` : '';
  const params = {
    family: page.family,
    severity: page.severity ?? '',
    type: page.type ?? '',
    fromMs: page.fromMs ?? 0,
    toMs: page.toMs ?? 0,
    limit,
    offset: after ? 0 : page.offset,
    afterMs: after?.value ?? 0,
    afterId: after?.id ?? '0',
  };
  const [alerts, totals] = await Promise.all([
    database.query(
      `SELECT ${ALERT_COLUMNS} FROM alerts FINAL WHERE ${where(page)} ${place}
       ORDER BY created_at DESC, id DESC LIMIT {limit:UInt32} OFFSET {offset:UInt32}`,
      params,
      alertRow,
    ),
    database.query(
      `SELECT count() AS total FROM alerts FINAL WHERE ${where(page)}`,
      params,
      z.object({ total: countSchema }),
    ),
  ]);
  return { alerts, total: totals[0]?.total ?? 0 };
};
