import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import type { ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { chainPosition, tombstoneVersion } from '../../../shared/chain/version.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';

/** A token and the chain position up to which its verdict should reach. */
export interface Activity {
  readonly token: Hex;
  /** See `chainPosition`. */
  readonly position: number;
}

/** Progress of reading the chain, as shown by the API. */
export type Progress = Readonly<z.output<typeof progressSchema>>;

/** The chain position up to which facts are stored. */
export const positionOf = ({ epoch, block }: Progress): number =>
  chainPosition(epoch, block.number);

/** A token that a reorg removed, or one whose verdict must be removed with it. */
const dueSql = `SELECT ${hexText('a.token')} AS token, a.position AS position
  FROM token_activity AS a FINAL
  LEFT JOIN (SELECT token, version, 1 AS present FROM token_verdicts FINAL
    WHERE chain_id = {chainId:UInt64}) AS v ON v.token = a.token
  LEFT JOIN (SELECT token, 1 AS present FROM dim_tokens FINAL
    WHERE chain_id = {chainId:UInt64}) AS t ON t.token = a.token
  WHERE a.chain_id = {chainId:UInt64} AND a.position > v.version AND (v.present = 1 OR t.present = 1)
  ORDER BY a.position LIMIT {limit:UInt32}`;

const activitySchema = z.object({ token: addressSchema, position: z.number() });

/**
 * Tombstones have the reorg's version: deleted rows show what was touched. GLOBAL is explicit because the analyzer of
 * ClickHouse before https://github.com/ClickHouse/ClickHouse/pull/118639 does not add it for a union in IN, and a
 * scorer on shards would stop.
 */
const reorgSql = `SELECT DISTINCT ${hexText('address')} AS address FROM (
    SELECT token AS address FROM fact_transfers
      WHERE chain_id = {chainId:UInt64} AND block_number > {ancestor:UInt64} AND version = {version:UInt64}
    UNION ALL SELECT token FROM fact_failed_sales
      WHERE chain_id = {chainId:UInt64} AND block_number > {ancestor:UInt64} AND version = {version:UInt64}
    UNION ALL SELECT contract FROM fact_ownership_transfers
      WHERE chain_id = {chainId:UInt64} AND block_number > {ancestor:UInt64} AND version = {version:UInt64}
    UNION ALL SELECT token FROM dim_tokens
      WHERE chain_id = {chainId:UInt64} AND created_block > {ancestor:UInt64} AND version = {version:UInt64}
    UNION ALL SELECT token FROM dim_pools WHERE chain_id = {chainId:UInt64} AND pool GLOBAL IN (
      SELECT pool FROM fact_pool_events
        WHERE chain_id = {chainId:UInt64} AND block_number > {ancestor:UInt64} AND version = {version:UInt64}
      UNION ALL SELECT toFixedString(substring(market, 13), 20) FROM fact_markets
        WHERE chain_id = {chainId:UInt64} AND protocol = 'uniswap_v2' AND block_number > {ancestor:UInt64} AND version = {version:UInt64}))`;

const progressSql = `SELECT p.chain_id AS chainId, p.epoch AS epoch, p.block_number AS number,
    ${hexText('p.block_hash')} AS hash, toUnixTimestamp(p.timestamp) AS timestampS,
    p.head AS head, toUnixTimestamp64Milli(p.updated_at) AS updatedAtMs
  FROM chain_progress AS p FINAL WHERE p.chain_id = {chainId:UInt64} AND p.reader = 'scorer'`;
const progressSchema = z
  .object({
    chainId: z.number(),
    epoch: z.number(),
    number: z.number(),
    hash: hashSchema,
    timestampS: z.number(),
    /** Highest block that the node reported. */
    head: z.number(),
    /** Unix milliseconds. */
    updatedAtMs: z.number(),
  })
  .transform(({ number, hash, timestampS, ...row }) => ({
    ...row,
    block: { number, hash, timestampS },
  }));

/** Number of the reader `scorer` in `chain_progress`. */
const SCORER_READER = 1;
const writeProgress = createTableWriter<Progress>('chain_progress', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  reader: (row) => row.uint8(SCORER_READER),
  block_number: (row, { block }) => row.uint64(block.number),
  block_hash: (row, { block }) => row.fixed(block.hash),
  timestamp: (row, { block }) => row.uint32(block.timestampS),
  head: (row, { head }) => row.uint64(head),
  epoch: (row, { epoch }) => row.uint64(epoch),
  // DateTime64(3) is a signed count of milliseconds; positive ones look like UInt64.
  updated_at: (row, { updatedAtMs }) => row.uint64(updatedAtMs),
  version: (row, progress) => row.uint64(positionOf(progress)),
});
const writeActivity = createTableWriter<Activity & { readonly chainId: number }>('token_activity', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  token: (row, { token }) => row.fixed(token),
  position: (row, { position }) => row.uint64(position),
});

/** The table `token_activity`, and the scorer's progress in `chain_progress`. */
export const createActivityStore = (clickhouse: Clickhouse) => ({
  record: (chainId: number, activities: readonly Activity[]): Promise<void> =>
    writeActivity(
      clickhouse,
      activities.map((activity) => ({ ...activity, chainId })),
    ),
  /** Tokens whose verdict does not cover their last activity, oldest activity first. */
  due: (chainId: number, limit: number): Promise<Activity[]> =>
    clickhouse.query(dueSql, { chainId, limit }, activitySchema),
  /** Tokens that lost facts in this reorg, with the position that begins the new epoch. */
  touchedByReorg: async ({ chainId, epoch, ancestor }: ReorgEvent): Promise<Activity[]> => {
    const params = { chainId, ancestor: ancestor.number, version: tombstoneVersion(epoch) };
    const rows = await clickhouse.query(reorgSql, params, z.object({ address: addressSchema }));
    const position = chainPosition(epoch, ancestor.number);
    return rows.map(({ address }) => ({ token: address, position }));
  },
  /**
   * Keeps the highest position: messages of an earlier epoch that are delivered again after a crash must not move it
   * back, because blocks of a later epoch may be stored in part by then.
   */
  saveProgress: (progress: Progress): Promise<void> => writeProgress(clickhouse, [progress]),
  /** The scorer's progress; undefined before the first block. */
  progress: async (chainId: number): Promise<Progress | undefined> => {
    const rows = await clickhouse.query(progressSql, { chainId }, progressSchema);
    return rows[0];
  },
});
/** Which tokens were touched when, and the scorer's progress. */
export type ActivityStore = ReturnType<typeof createActivityStore>;
