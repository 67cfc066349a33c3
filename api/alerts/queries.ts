import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import {
  RECOMMENDATIONS,
  type Recommendation,
  SEVERITIES,
  type Severity,
} from '../../shared/messages/alertMessage.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { ALERT_TYPES, type AlertType } from '../../shared/messages/watchMessage.ts';
import type { Database } from '../../shared/platform/clickhouse.ts';

/** An alert as a key family sees it. */
export interface FamilyAlert {
  readonly id: number;
  readonly watchId: number;
  readonly type: AlertType;
  readonly severity: Severity;
  readonly token: { readonly address: Hex; readonly name: string; readonly symbol: string };
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
  readonly recommendation: Recommendation;
  readonly isRead: boolean;
  readonly createdAtMs: number;
}

/** Which alerts of a family a list holds, and which page of it. */
export interface AlertPage {
  readonly family: string;
  readonly severity?: Severity | undefined;
  readonly type?: AlertType | undefined;
  readonly isRead?: boolean | undefined;
  /** Unix milliseconds, both ends included. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Only alerts after this one, oldest first; 0 for all of them from the beginning. */
  readonly sinceId?: number | undefined;
  readonly limit: number;
  /** Passed over where there is no `after`. */
  readonly offset: number;
  /** Creation time (Unix milliseconds) and id of the alert before the page, of a list that is newest first. */
  readonly after?: { readonly value: number; readonly id: string } | undefined;
}

const detailsText = z
  .string()
  .transform((text) => JSON.parse(text) as unknown)
  .pipe(z.record(z.union([z.string(), z.number(), z.boolean(), z.null()])));

/** A row of ALERT_COLUMNS. */
const alertRow = z
  .object({
    id: countSchema,
    watch_id: countSchema,
    type: z.enum(ALERT_TYPES),
    severity_name: z.enum(SEVERITIES),
    token_hex: addressSchema,
    token_name: z.string(),
    token_symbol: z.string(),
    details: detailsText,
    recommendation: z.enum(RECOMMENDATIONS),
    is_read: z.number(),
    created_at_ms: countSchema,
  })
  .transform(
    (row): FamilyAlert => ({
      id: row.id,
      watchId: row.watch_id,
      type: row.type,
      severity: row.severity_name,
      token: { address: row.token_hex, name: row.token_name, symbol: row.token_symbol },
      details: row.details,
      recommendation: row.recommendation,
      isRead: row.is_read === 1,
      createdAtMs: row.created_at_ms,
    }),
  );

const IS_READ = 'id IN {readIds:Array(UInt64)}';

/** Whatever lists show of an alert. */
const ALERT_COLUMNS = `id, watch_id, type, toString(severity) AS severity_name,
  concat('0x', lower(hex(token))) AS token_hex, token_name, token_symbol, details,
  recommendation, toUInt8(${IS_READ}) AS is_read,
  toUnixTimestamp64Milli(created_at) AS created_at_ms`;

const time = (parameter: string): string => `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`;

// Withdrawn alerts keep their place: a client may hold the id of one.
const IS_LATER = `(created_at, id) > (
  SELECT max(created_at), {sinceId:UInt64} FROM alerts
  WHERE family = {family:String} AND id = {sinceId:UInt64})`;

const where = (page: AlertPage): string =>
  [
    'family = {family:String}',
    ...(page.severity ? ['severity = {severity:String}'] : []),
    ...(page.type ? ['type = {type:String}'] : []),
    ...(page.isRead === undefined ? [] : [page.isRead ? IS_READ : `NOT ${IS_READ}`]),
    ...(page.fromMs === undefined ? [] : [`created_at >= ${time('fromMs')}`]),
    ...(page.toMs === undefined ? [] : [`created_at <= ${time('toMs')}`]),
    ...(page.sinceId ? [IS_LATER] : []),
  ].join(' AND ');

/** One page of a family's alerts, of which `readIds` were read; how many match, and how many of all are unread. */
export const listAlerts = async (
  database: Database,
  page: AlertPage,
  readIds: readonly number[],
): Promise<{ alerts: FamilyAlert[]; total: number; unread: number }> => {
  const { after } = page;
  const params = {
    family: page.family,
    readIds,
    severity: page.severity ?? '',
    type: page.type ?? '',
    fromMs: page.fromMs ?? 0,
    toMs: page.toMs ?? 0,
    sinceId: page.sinceId ?? 0,
    limit: page.limit,
    offset: after ? 0 : page.offset,
    afterMs: after?.value ?? 0,
    afterId: after?.id ?? '0',
  };
  const direction = page.sinceId === undefined ? 'DESC' : 'ASC';
  const place = after ? `AND (created_at, id) < (${time('afterMs')}, {afterId:UInt64})` : '';
  const [alerts, totals] = await Promise.all([
    database.query(
      `SELECT ${ALERT_COLUMNS} FROM alerts FINAL WHERE ${where(page)} ${place}
       ORDER BY created_at ${direction}, id ${direction} LIMIT {limit:UInt32} OFFSET {offset:UInt32}`,
      params,
      alertRow,
    ),
    database.query(
      `SELECT countIf(${where(page)}) AS total, countIf(NOT ${IS_READ}) AS unread
       FROM alerts FINAL WHERE family = {family:String}`,
      params,
      z.object({ total: countSchema, unread: countSchema }),
    ),
  ]);
  return { alerts, total: totals[0]?.total ?? 0, unread: totals[0]?.unread ?? 0 };
};

/** Whether a family ever had an alert, withdrawn or not. */
export const isKnownAlert = async (
  database: Database,
  family: string,
  id: number,
): Promise<boolean> => {
  const rows = await database.query(
    'SELECT count() AS total FROM alerts WHERE family = {family:String} AND id = {id:UInt64}',
    { family, id },
    z.object({ total: countSchema }),
  );
  return (rows[0]?.total ?? 0) > 0;
};

/**
 * When an alert of a family was raised and when the oldest of its alerts was, withdrawn ones included, Unix milliseconds; undefined
 * without the alert.
 */
export const findAlertTimes = async (
  database: Database,
  family: string,
  id: number,
): Promise<{ createdAtMs: number; oldestMs: number } | undefined> => {
  const rows = await database.query(
    `SELECT toUnixTimestamp64Milli(created_at) AS created_at_ms,
       (SELECT toUnixTimestamp64Milli(min(created_at)) FROM alerts WHERE family = {family:String}) AS oldest_ms
     FROM alerts FINAL WHERE family = {family:String} AND id = {id:UInt64}`,
    { family, id },
    z.object({ created_at_ms: countSchema, oldest_ms: countSchema }),
  );
  const [row] = rows;
  return row && { createdAtMs: row.created_at_ms, oldestMs: row.oldest_ms };
};
