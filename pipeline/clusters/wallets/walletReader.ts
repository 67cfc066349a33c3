import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { tokensOfCreators } from '../../../shared/platform/graphNeighbours.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { ActivityTimes } from '../rings/ringRow.ts';
import {
  type MadeToken,
  type MovementSum,
  movementSumSchema,
  type VerdictTurn,
} from './walletFacts.ts';

/** A token without its losses, which are stored separately. */
export type MadeTokenFacts = Omit<MadeToken, 'loss'>;

/** Counterparties read per wallet. */
const MOVEMENTS_MAX = 1_000;
/** Tokens read per creator. */
const MADE_MAX = 1_000;
/** Verdicts read per token: more than it ever reverses. */
const VERDICTS_MAX = 200;
/** Buyers per token that get a row. */
const BUYERS_MAX = 200;
/** Wallets remembered as known. */
const KNOWN_MAX = 500_000;

const MOVEMENTS = `graph_neighbours AS n FINAL
  WHERE n.chain_id = {chainId:UInt64} AND n.node IN ${inAddresses('wallets')} AND n.source = 'movement'`;

const movementsSql = `SELECT ${hexText('n.node')} AS of, toString(n.direction) AS direction, n.kind AS kind,
    ${hexText('n.other')} AS other, count() AS count, sum(n.value) AS value,
    toUnixTimestamp(min(n.first_at)) AS firstS, toUnixTimestamp(max(n.first_at)) AS lastS,
    min(n.block_number) AS firstBlock, argMin(n.place, (n.block_number, n.place)) AS firstPlace,
    ${hexText('argMin(n.tx_hash, (n.block_number, n.place))')} AS firstTx
  FROM ${MOVEMENTS}
  GROUP BY n.node, n.direction, n.kind, n.other
  ORDER BY sum(n.value) DESC, count() DESC, n.other LIMIT ${MOVEMENTS_MAX} BY n.node`;
const movementRow = movementSumSchema.extend({ of: addressSchema });

const MADE = `(SELECT token, creator, created_block, created_tx, created_at
    FROM dim_tokens FINAL WHERE chain_id = {chainId:UInt64}
      AND token IN (${tokensOfCreators(inAddresses('wallets'))} ORDER BY first_at DESC LIMIT ${MADE_MAX} BY node)
      AND creator IN ${inAddresses('wallets')})`;

const madeSql = `SELECT ${hexText('m.creator')} AS of, ${hexText('m.token')} AS token,
    m.created_block AS block, ${hexText('m.created_tx')} AS txHash,
    toUnixTimestamp(m.created_at) AS atS, v.verdicts AS turns, k.failed AS failedChecks
  FROM ${MADE} AS m
  LEFT JOIN (SELECT token, arraySort(x -> x.1, groupArray((block_number,
      toUnixTimestamp(toDateTime(analyzed_at)), toUInt8(prediction = 'SCAM')))) AS verdicts
    FROM (SELECT token, block_number, analyzed_at, prediction FROM verdict_history FINAL
      WHERE chain_id = {chainId:UInt64} AND token IN (SELECT token FROM ${MADE}) AND horizon_s = 0
      ORDER BY token, block_number DESC LIMIT ${VERDICTS_MAX} BY token)
    GROUP BY token) AS v ON v.token = m.token
  LEFT JOIN (SELECT token, arrayMap(c -> JSONExtractString(c, 'id'), arrayFilter(
      c -> JSONExtractString(c, 'status') = 'fail', JSONExtractArrayRaw(doc, 'checks'))) AS failed
    FROM token_verdicts FINAL WHERE chain_id = {chainId:UInt64} AND token IN (SELECT token FROM ${MADE})) AS k
    ON k.token = m.token
  ORDER BY m.created_block, m.token`;
const verdictSchema = z
  .tuple([countSchema, countSchema, z.number()])
  .transform(([block, atS, flag]): VerdictTurn => ({ isScam: flag === 1, block, atS }));
const madeRow = z.object({
  of: addressSchema,
  token: addressSchema,
  block: countSchema,
  atS: countSchema,
  txHash: hashSchema,
  /** Those verdicts that differ from the previous one. */
  turns: z
    .array(verdictSchema)
    .transform((all) => all.filter(({ isScam }, i) => all[i - 1]?.isScam !== isScam)),
  failedChecks: z.array(z.string()),
});

const recordsSql = `SELECT ${hexText('m.creator')} AS of, count() AS made,
    countIf(k.is_scam = 1) AS scams
  FROM ${MADE} AS m
  LEFT JOIN (SELECT token, toUInt8(prediction = 'SCAM') AS is_scam FROM token_verdicts FINAL
    WHERE chain_id = {chainId:UInt64} AND token IN (SELECT token FROM ${MADE})) AS k ON k.token = m.token
  GROUP BY m.creator`;
const recordRow = z.object({ of: addressSchema, made: countSchema, scams: countSchema });

const launchesSql = `SELECT ${hexText('n.node')} AS of, min(n.block_number) AS block
  FROM ${MOVEMENTS} AND n.direction = 'in' AND n.kind = 'lpAdded' GROUP BY n.node`;
const launchRow = z.object({ of: addressSchema, block: countSchema });

const activitySql = `SELECT ${hexText('n.node')} AS of, toUnixTimestamp(min(n.first_at)) AS firstS,
    toUnixTimestamp(max(n.first_at)) AS lastS
  FROM ${MOVEMENTS} GROUP BY n.node`;
const activityRow = z.object({ of: addressSchema, firstS: countSchema, lastS: countSchema });

const buyersSql = `SELECT DISTINCT ${hexText('b.buyer')} AS of FROM (
    SELECT n.node, n.other AS buyer FROM ${MOVEMENTS} AND n.direction = 'in' AND n.kind = 'bought'
    GROUP BY n.node, n.other ORDER BY sum(n.value) DESC, n.other LIMIT ${BUYERS_MAX} BY n.node) AS b`;
const buyerRow = z.object({ of: addressSchema });

const knownSql = `SELECT ${hexText('w.wallet')} AS wallet, w.cluster_id AS clusterId FROM dim_wallets AS w FINAL
  WHERE w.chain_id = {chainId:UInt64} ORDER BY w.cluster_id != '' DESC, w.last_activity DESC LIMIT ${KNOWN_MAX}`;
const knownRow = z.object({ wallet: addressSchema, clusterId: z.string() });

/** Rows without their key. */
const valueOf = <R extends { readonly of: Hex }>({ of: _of, ...value }: R): Omit<R, 'of'> => value;
const keyOf = ({ of }: { readonly of: Hex }): Hex => of;

/** The wallets of one chain in ClickHouse. */
export const createWalletReader = (clickhouse: Clickhouse, chainId: number) => {
  const read = <S extends z.ZodTypeAny>(
    sql: string,
    wallets: readonly Hex[],
    row: S,
  ): Promise<z.output<S>[]> =>
    wallets.length === 0
      ? Promise.resolve([])
      : clickhouse.query(sql, { chainId, wallets: wallets.map(addressParam) }, row);
  return {
    /** Movements of wallets, by counterparty and kind, the largest of each wallet. */
    movements: async (wallets: readonly Hex[]): Promise<Map<Hex, MovementSum[]>> =>
      groupBy(await read(movementsSql, wallets, movementRow), keyOf, valueOf),
    /** Tokens that wallets created, with their verdicts; the newest of each wallet. */
    made: async (wallets: readonly Hex[]): Promise<Map<Hex, MadeTokenFacts[]>> =>
      groupBy(await read(madeSql, wallets, madeRow), keyOf, valueOf),
    /** For wallets that created tokens: how many, and how many of them are scams. */
    records: async (
      wallets: readonly Hex[],
    ): Promise<Map<Hex, { made: number; scams: number }>> => {
      const rows = await read(recordsSql, wallets, recordRow);
      return new Map(rows.map((row) => [row.of, valueOf(row)]));
    },
    /** Block in which tokens got their first liquidity. */
    launches: async (tokens: readonly Hex[]): Promise<Map<Hex, number>> => {
      const rows = await read(launchesSql, tokens, launchRow);
      return new Map(rows.map(({ of, block }) => [of, block]));
    },
    /** First and last movement of wallets. */
    activity: async (wallets: readonly Hex[]): Promise<ActivityTimes> => {
      const rows = await read(activitySql, wallets, activityRow);
      return new Map(rows.map((row) => [row.of, valueOf(row)]));
    },
    /** Wallets that bought a token, those that paid most first. */
    buyers: async (tokens: readonly Hex[]): Promise<Hex[]> =>
      (await read(buyersSql, tokens, buyerRow)).map(keyOf),
    /** Wallets that have a row, and the ring it names, empty for none. */
    known: (): Promise<{ readonly wallet: Hex; readonly clusterId: string }[]> =>
      clickhouse.query(knownSql, { chainId }, knownRow),
  };
};
/** Data on wallets: canonical graph facts, and the index that the scorer maintains. */
export type WalletReader = ReturnType<typeof createWalletReader>;
