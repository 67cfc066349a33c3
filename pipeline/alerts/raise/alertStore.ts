import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import type { ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { factVersion, tombstoneVersion } from '../../../shared/chain/version.ts';
import { alertSchema, SEVERITIES } from '../../../shared/messages/alertMessage.ts';
import { countSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { firstIdOf } from '../alertId.ts';
import { TYPES_OF_MESSAGES } from '../rules/allRules.ts';
import type { KeptAlert, StoredAlert } from './decideAlerts.ts';

/** The table `alerts`, whose only writer is the alerts role. */
export interface AlertStore {
  /**
   * Alerts of these families from these seconds of chain time on, withdrawn ones included; if `only` is given, those
   * of its items, and all alerts from `allFromS` on.
   */
  recent(
    families: readonly string[],
    times: { readonly fromS: number; readonly toS: number },
    only?: { readonly watchIds: readonly number[]; readonly allFromS: number },
  ): Promise<StoredAlert[]>;
  /** Writes alerts raised in an epoch; idempotent. */
  raise(alerts: readonly KeptAlert[], epoch: number): Promise<void>;
  /** Alerts that depend on the orphaned blocks: not withdrawn yet, or withdrawn by this very reorg. */
  onOrphaned(reorg: ReorgEvent): Promise<KeptAlert[]>;
  /** Writes the tombstones of a reorg; idempotent. */
  withdraw(alerts: readonly KeptAlert[], reorg: Pick<ReorgEvent, 'epoch'>): Promise<void>;
  /**
   * Alerts on verdicts and rings that were withdrawn with these blocks, which are canonical again in an epoch; or
   * that an interrupted attempt already raised again in it.
   */
  onRestored(blocks: readonly Hex[], at: { chainId: number; epoch: number }): Promise<KeptAlert[]>;
}

/** RowBinary: addresses and hashes are stored as bytes, which JSON cannot represent. */
const writeAlerts = createTableWriter<KeptAlert & { version: number; isDeleted: boolean }>(
  'alerts',
  {
    family: (row, { alert }) => row.string(alert.family),
    id: (row, { alert }) => row.uint64(alert.id),
    chain_id: (row, { alert }) => row.uint64(alert.chainId),
    watch_id: (row, { alert }) => row.uint64(alert.watchId),
    type: (row, { alert }) => row.string(alert.type),
    severity: (row, { alert }) => row.uint8(SEVERITIES.indexOf(alert.severity) + 1),
    token: (row, { alert }) => row.fixed(alert.token.address),
    token_name: (row, { alert }) => row.string(alert.token.name),
    token_symbol: (row, { alert }) => row.string(alert.token.symbol),
    details: (row, { alert }) => row.string(JSON.stringify(alert.details)),
    recommendation: (row, { alert }) => row.string(alert.recommendation),
    block_number: (row, { alert }) => row.uint64(alert.blockNumber),
    block_hash: (row, { alert }) => row.fixed(alert.blockHash),
    log_index: (row, { alert }) => row.uint32(alert.logIndex),
    tx_hash: (row, { alert }) => row.fixed(alert.txHash),
    created_at: (row, { alert }) => row.uint64(alert.createdAtMs),
    is_quiet: (row, { isQuiet }) => row.uint8(isQuiet ? 1 : 0),
    version: (row, { version }) => row.uint64(version),
    is_deleted: (row, { isDeleted }) => row.uint8(isDeleted ? 1 : 0),
  },
);

const hex = (column: string): string => hexText(`a.${column}`);
const SELECTED = `a.family AS family, a.id AS id, a.chain_id AS chainId, a.watch_id AS watchId,
  a.type AS type, toString(a.severity) AS severity, ${hex('token')} AS address,
  a.token_name AS name, a.token_symbol AS symbol, a.details AS details,
  a.recommendation AS recommendation, a.block_number AS blockNumber,
  ${hex('block_hash')} AS blockHash, a.log_index AS logIndex, ${hex('tx_hash')} AS txHash,
  toUnixTimestamp64Milli(a.created_at) AS createdAtMs, a.is_quiet AS quiet, a.version AS version,
  a.is_deleted AS deleted`;

// Without FINAL, which would hide withdrawn alerts, whose ids remain taken.
const recentSql = `SELECT ${SELECTED} FROM alerts AS a
  WHERE a.family IN {families:Array(String)}
    AND a.id >= {from:UInt64} AND a.id < {before:UInt64}
    AND (a.id >= {allFrom:UInt64} OR a.watch_id IN {watchIds:Array(UInt64)})
  ORDER BY a.version DESC LIMIT 1 BY a.family, a.id`;

const orphanedSql = `SELECT * FROM (
    SELECT ${SELECTED} FROM alerts AS a
    WHERE a.chain_id = {chainId:UInt64} AND a.block_number > {ancestor:UInt64}
    ORDER BY a.version DESC LIMIT 1 BY a.family, a.id
  ) WHERE blockHash IN {orphaned:Array(String)}
    AND version <= {version:UInt64} AND (deleted = 0 OR version = {version:UInt64})
  ORDER BY family, id`;

const restoredSql = `SELECT * FROM (
    SELECT ${SELECTED} FROM alerts AS a
    WHERE a.chain_id = {chainId:UInt64} AND a.type IN {types:Array(String)}
      AND a.block_hash IN (SELECT toFixedString(unhex(arrayJoin({blocks:Array(String)})), 32))
    ORDER BY a.version DESC LIMIT 1 BY a.family, a.id
  ) WHERE version <= {version:UInt64} AND (deleted != 0 OR version = {version:UInt64})
  ORDER BY family, id`;

const { token, details, ...columns } = alertSchema.shape;
const storedRow = z
  .object({ ...columns, ...token.shape, details: z.string() })
  .extend({ quiet: countSchema, version: countSchema, deleted: countSchema })
  .transform(
    ({ address, name, symbol, quiet, version, deleted, ...row }): StoredAlert => ({
      alert: {
        ...row,
        token: { address, name, symbol },
        details: details.parse(JSON.parse(row.details)),
      },
      isQuiet: quiet !== 0,
      version,
      isWithdrawn: deleted !== 0,
    }),
  );

/** Alerts in ClickHouse. */
export const createAlertStore = (clickhouse: Clickhouse): AlertStore => {
  const write = (alerts: readonly KeptAlert[], version: number, isDeleted: boolean) =>
    writeAlerts(
      clickhouse,
      alerts.map((alert) => ({ ...alert, version, isDeleted })),
    );
  return {
    recent: (families, { fromS, toS }, only = { watchIds: [], allFromS: fromS }) => {
      const { watchIds, allFromS } = only;
      const allFrom = firstIdOf(allFromS);
      const times = { from: firstIdOf(fromS), before: firstIdOf(toS + 1) };
      return clickhouse.query(recentSql, { families, watchIds, allFrom, ...times }, storedRow);
    },
    raise: (alerts, epoch) => write(alerts, factVersion(epoch), false),
    onOrphaned: ({ chainId, epoch, ancestor, orphaned }) => {
      const params = {
        chainId,
        ancestor: ancestor.number,
        orphaned: orphaned.map(({ hash }) => hash),
        version: tombstoneVersion(epoch),
      };
      return clickhouse.query(orphanedSql, params, storedRow);
    },
    onRestored: (blocks, { chainId, epoch }) => {
      const params = {
        chainId,
        types: TYPES_OF_MESSAGES,
        blocks: blocks.map((hash) => hash.slice(2)),
        version: factVersion(epoch),
      };
      return clickhouse.query(restoredSql, params, storedRow);
    },
    withdraw: (alerts, { epoch }) => write(alerts, tombstoneVersion(epoch), true),
  };
};
