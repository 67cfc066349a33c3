import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import { RECOMMENDATIONS, SEVERITIES, type Severity } from '../../shared/messages/alertMessage.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import type { AlertType } from '../../shared/messages/watchMessage.ts';
import type { Database } from '../../shared/platform/clickhouse.ts';
import { ALERT_TYPES } from '../../shared/rules/artifacts/alertTypes.ts';
import { hexText } from '../../shared/rules/hexText.ts';

/** Which alerts of a family a list holds, and which page of it. */
export interface AlertPage {
  readonly family: string;
  readonly severity?: Severity | undefined;
  readonly type?: AlertType | undefined;
  readonly isRead?: boolean | undefined;
  /** Unix milliseconds, both ends included. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Only alerts after this one, oldest first; 0 returns all of them from the beginning. */
  readonly sinceId?: number | undefined;
  readonly limit: number;
  /** Ignored if `after` is set. */
  readonly offset: number;
  /** Creation time (Unix milliseconds) and id of the alert before the page, in a list sorted newest first. */
  readonly after?: { readonly value: number; readonly id: string } | undefined;
}

const detailsText = z
  .string()
  .transform((text) => JSON.parse(text) as unknown)
  .pipe(z.record(z.union([z.string(), z.number(), z.boolean(), z.null()])));

const alertRow = z
  .object({
    id: countSchema,
    chainId: countSchema,
    watchId: countSchema,
    type: z.enum(ALERT_TYPES),
    severity: z.enum(SEVERITIES),
    address: addressSchema,
    name: z.string(),
    symbol: z.string(),
    details: detailsText,
    recommendation: z.enum(RECOMMENDATIONS),
    isRead: z.number(),
    createdAtMs: countSchema,
  })
  .transform(({ address, name, symbol, ...row }) => ({
    ...row,
    token: { address, name, symbol },
    isRead: row.isRead === 1,
  }));
/** An alert as a key family sees it. */
export type FamilyAlert = Readonly<z.output<typeof alertRow>>;

const IS_READ = 'a.id IN {readIds:Array(UInt64)}';

/** Columns of `alerts AS a` that lists show. */
const ALERT_COLUMNS = `a.id AS id, a.chain_id AS chainId, a.watch_id AS watchId, a.type AS type, toString(a.severity) AS severity,
  ${hexText('a.token')} AS address, a.token_name AS name, a.token_symbol AS symbol, a.details AS details,
  a.recommendation AS recommendation, toUInt8(${IS_READ}) AS isRead, toUnixTimestamp64Milli(a.created_at) AS createdAtMs`;

const time = (parameter: string): string => `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`;

// Withdrawn alerts keep their place because a client may hold the id of one.
const IS_LATER = `(a.created_at, a.id) > (
  SELECT max(created_at), {sinceId:UInt64} FROM alerts
  WHERE family = {family:String} AND id = {sinceId:UInt64})`;

const where = (page: AlertPage): string =>
  [
    'a.family = {family:String}',
    ...(page.severity ? ['a.severity = {severity:String}'] : []),
    ...(page.type ? ['a.type = {type:String}'] : []),
    ...(page.isRead === undefined ? [] : [page.isRead ? IS_READ : `NOT ${IS_READ}`]),
    ...(page.fromMs === undefined ? [] : [`a.created_at >= ${time('fromMs')}`]),
    ...(page.toMs === undefined ? [] : [`a.created_at <= ${time('toMs')}`]),
    ...(page.sinceId ? [IS_LATER] : []),
  ].join(' AND ');

const nameRow = z.object({
  chainId: countSchema,
  address: addressSchema,
  name: z.string(),
  symbol: z.string(),
});

/** Alerts; a token that had no symbol when its alert was raised gets the name read since. */
const withNames = async (
  database: Database,
  alerts: readonly FamilyAlert[],
): Promise<FamilyAlert[]> => {
  const unnamed = alerts.filter(({ token }) => token.symbol === '');
  if (unnamed.length === 0) return [...alerts];
  const params = {
    chainIds: [...new Set(unnamed.map(({ chainId }) => chainId))],
    tokens: [...new Set(unnamed.map(({ token }) => addressParam(token.address)))],
  };
  const rows = await database.query(
    `SELECT t.chain_id AS chainId, ${hexText('t.token')} AS address, t.name AS name, t.symbol AS symbol
     FROM dim_tokens AS t FINAL
     WHERE t.chain_id IN {chainIds:Array(UInt64)} AND t.token IN ${inAddresses('tokens')} AND t.symbol != ''`,
    params,
    nameRow,
  );
  return alerts.map((alert) => {
    const { token, chainId } = alert;
    const found = rows.find((row) => row.chainId === chainId && row.address === token.address);
    if (token.symbol !== '' || !found) return alert;
    return { ...alert, token: { ...token, name: found.name || token.name, symbol: found.symbol } };
  });
};

/**
 * One page of a family's alerts with the number of matches and of unread alerts; `readIds` are those that were read.
 */
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
  const place = after ? `AND (a.created_at, a.id) < (${time('afterMs')}, {afterId:UInt64})` : '';
  const [alerts, totals] = await Promise.all([
    database.query(
      `SELECT ${ALERT_COLUMNS} FROM alerts AS a FINAL WHERE ${where(page)} ${place}
       ORDER BY a.created_at ${direction}, a.id ${direction} LIMIT {limit:UInt32} OFFSET {offset:UInt32}`,
      params,
      alertRow,
    ),
    database.query(
      `SELECT countIf(${where(page)}) AS total, countIf(NOT ${IS_READ}) AS unread
       FROM alerts AS a FINAL WHERE a.family = {family:String}`,
      params,
      z.object({ total: countSchema, unread: countSchema }),
    ),
  ]);
  return {
    alerts: await withNames(database, alerts),
    total: totals[0]?.total ?? 0,
    unread: totals[0]?.unread ?? 0,
  };
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
 * When an alert was raised and when the family's oldest alert was, withdrawn ones included, in Unix milliseconds;
 * undefined if the alert does not exist.
 */
export const findAlertTimes = async (
  database: Database,
  family: string,
  id: number,
): Promise<{ createdAtMs: number; oldestMs: number } | undefined> => {
  const [times] = await database.query(
    `SELECT toUnixTimestamp64Milli(created_at) AS createdAtMs,
       (SELECT toUnixTimestamp64Milli(min(created_at)) FROM alerts WHERE family = {family:String}) AS oldestMs
     FROM alerts FINAL WHERE family = {family:String} AND id = {id:UInt64}`,
    { family, id },
    z.object({ createdAtMs: countSchema, oldestMs: countSchema }),
  );
  return times;
};
