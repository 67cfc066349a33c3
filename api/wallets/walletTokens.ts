import { z } from 'zod';
import { addressParam, asAddress } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { tokensOfCreators } from '../../shared/platform/graphNeighbours.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { VERDICT_COLUMNS, type VerdictSummary, verdictSummary } from '../tokens/verdict.ts';
import { CREATOR_TOKENS_MAX } from './creatorQueries.ts';
import type { WalletTokensPage } from './wallet.ts';

const OWN = `token_verdicts AS v FINAL WHERE v.chain_id = {chainId:UInt64} AND v.token IN (
    ${tokensOfCreators(`(SELECT ${asAddress('wallet')})`)} LIMIT ${CREATOR_TOKENS_MAX})
  AND v.creator = ${asAddress('wallet')}`;

/** Analysed tokens that a wallet created, newest first, and their total. */
export const walletTokens = async (
  database: Database,
  chainId: number,
  wallet: Hex,
  page: WalletTokensPage,
): Promise<{ tokens: VerdictSummary[]; total: number }> => {
  const { after, limit, offset } = page;
  const place = after
    ? `AND (toUnixTimestamp(v.created_at), v.token) < ({value:UInt64}, ${asAddress('id')})`
    : '';
  const params = {
    chainId,
    wallet: addressParam(wallet),
    value: after?.value ?? 0,
    id: after?.id.slice(2) ?? '',
    limit,
    offset: after ? 0 : offset,
  };
  const [tokens, totals] = await Promise.all([
    database.query(
      `SELECT ${VERDICT_COLUMNS} FROM ${OWN} ${place}
       ORDER BY v.created_at DESC, v.token DESC LIMIT {limit:UInt32} OFFSET {offset:UInt32} ${POINT_READ}`,
      params,
      verdictSummary,
    ),
    database.query(
      `SELECT count() AS total FROM ${OWN} ${POINT_READ}`,
      params,
      z.object({ total: countSchema }),
    ),
  ]);
  return { tokens, total: totals[0]?.total ?? 0 };
};

/** Rows of fact_native_transfers read from either end of a wallet's history. */
const RECEIPTS_READ_MAX = 1_000;

const receiptRow = z.object({
  from: addressSchema,
  txHash: hashSchema,
  atS: countSchema,
  rowsRead: countSchema,
});
/** Native currency received by a wallet. */
export type NativeReceipt = Readonly<Omit<z.output<typeof receiptRow>, 'rowsRead'>>;

/** Receipts from one end of a wallet's history; whether there may be more. */
const readReceipts = async (
  database: Database,
  chainId: number,
  wallet: Hex,
  order: 'ASC' | 'DESC',
): Promise<{ receipts: NativeReceipt[]; isCut: boolean }> => {
  const receipts = await database.query(
    `SELECT ${hexText('any(e.from_address)')} AS "from",
       ${hexText('any(e.tx_hash)')} AS txHash,
       toUnixTimestamp(any(e.timestamp)) AS atS,
       any(e.all_rows) AS rowsRead
     FROM (SELECT *, count() OVER () AS all_rows FROM (
       SELECT block_number, block_hash, tx_index, from_address, tx_hash, timestamp, version,
         is_deleted
       FROM fact_native_transfers
       WHERE chain_id = {chainId:UInt64} AND to_address = ${asAddress('wallet')}
       ORDER BY chain_id ${order}, to_address ${order}, block_number ${order}
       LIMIT ${RECEIPTS_READ_MAX})) AS e
     GROUP BY e.block_number, e.block_hash, e.tx_index
     HAVING argMax(e.is_deleted, e.version) = 0
     ORDER BY e.block_number ${order}, e.tx_index ${order} ${POINT_READ}`,
    { chainId, wallet: addressParam(wallet) },
    receiptRow,
  );
  return { receipts, isCut: receipts.some(({ rowsRead }) => rowsRead >= RECEIPTS_READ_MAX) };
};

/**
 * The oldest receipts of a wallet, oldest first, and the newest, newest first; the two overlap if there are few. They
 * are read in key order with a limit, so that a wallet with millions costs no more; tombstones are applied after.
 */
export const nativeReceipts = async (
  database: Database,
  chainId: number,
  wallet: Hex,
): Promise<{ oldest: readonly NativeReceipt[]; newest: readonly NativeReceipt[] }> => {
  const { receipts: oldest, isCut } = await readReceipts(database, chainId, wallet, 'ASC');
  if (!isCut) return { oldest, newest: oldest.toReversed() };
  const { receipts: newest } = await readReceipts(database, chainId, wallet, 'DESC');
  return { oldest, newest };
};
