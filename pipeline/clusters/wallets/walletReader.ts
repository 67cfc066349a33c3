import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { tokensOfCreators } from '../../../shared/platform/graphNeighbours.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { GRAPH_KINDS } from '../facts/graphFact.ts';
import type { ActivityTimes } from '../rings/ringRow.ts';
import type { MadeToken, MovementSum, VerdictTurn } from './walletFacts.ts';

/** A token without what was lost with it, which is kept apart. */
export type MadeTokenFacts = Omit<MadeToken, 'loss'>;

/** What is known of wallets: canonical graph facts, and the index that the scorer keeps. */
export interface WalletReader {
  /** Movements of wallets, by counterparty and kind, the largest of each wallet. */
  movements(wallets: readonly Hex[]): Promise<Map<Hex, MovementSum[]>>;
  /** Tokens that wallets made, with their verdicts; of each wallet the newest. */
  made(wallets: readonly Hex[]): Promise<Map<Hex, MadeTokenFacts[]>>;
  /** How many tokens those of the wallets that made any made, and how many are scams. */
  records(wallets: readonly Hex[]): Promise<Map<Hex, { made: number; scams: number }>>;
  /** Block in which tokens got their first liquidity. */
  launches(tokens: readonly Hex[]): Promise<Map<Hex, number>>;
  /** First and last movement of wallets. */
  activity(wallets: readonly Hex[]): Promise<ActivityTimes>;
  /** Wallets that bought a token, those that paid most first. */
  buyers(tokens: readonly Hex[]): Promise<Hex[]>;
  /** Wallets that have a row, and the ring it names, empty for none. */
  known(): Promise<{ readonly wallet: Hex; readonly clusterId: string }[]>;
}

/** Counterparties read of one wallet. */
const MOVEMENTS_MAX = 1_000;
/** Tokens read of one creator. */
const MADE_MAX = 1_000;
/** Verdicts read of one token: more than it turns. */
const VERDICTS_MAX = 200;
/** Buyers of one token that get a row. */
const BUYERS_MAX = 200;
/** Wallets held in memory as known. */
const KNOWN_MAX = 500_000;

const MOVEMENTS = `graph_neighbours FINAL
  WHERE chain_id = {chainId:UInt64} AND node IN ${inAddresses('wallets')} AND source = 'movement'`;

const movementsSql = `SELECT ${hexText('node')} AS wallet_hex, toString(direction) AS direction_name,
    kind AS kind_name, ${hexText('other')} AS other_hex, count() AS moves, sum(value) AS total,
    toUnixTimestamp(min(first_at)) AS first_s, toUnixTimestamp(max(first_at)) AS last_s,
    min(block_number) AS first_block, argMin(place, (block_number, place)) AS first_place,
    ${hexText('argMin(block_hash, (block_number, place))')} AS first_hash,
    ${hexText('argMin(tx_hash, (block_number, place))')} AS first_tx
  FROM ${MOVEMENTS}
  GROUP BY node, direction, kind, other
  ORDER BY total DESC, moves DESC, other LIMIT ${MOVEMENTS_MAX} BY node`;
const movementRow = z.object({
  wallet_hex: addressSchema,
  direction_name: z.enum(['out', 'in']),
  kind_name: z.enum(GRAPH_KINDS),
  other_hex: addressSchema,
  moves: countSchema,
  total: z.number(),
  first_s: countSchema,
  last_s: countSchema,
  first_block: countSchema,
  first_place: countSchema,
  first_hash: hashSchema,
  first_tx: hashSchema,
});

const MADE = `(SELECT token, creator, created_block, created_block_hash, created_tx, created_at
    FROM dim_tokens FINAL WHERE chain_id = {chainId:UInt64}
      AND token IN (${tokensOfCreators(inAddresses('wallets'))} ORDER BY first_at DESC LIMIT ${MADE_MAX} BY node)
      AND creator IN ${inAddresses('wallets')})`;

const madeSql = `SELECT ${hexText('m.creator')} AS wallet_hex, ${hexText('m.token')} AS token_hex,
    m.created_block AS block, ${hexText('m.created_block_hash')} AS hash, ${hexText('m.created_tx')} AS tx_hex,
    toUnixTimestamp(m.created_at) AS at_s, v.verdicts AS verdicts, k.failed AS failed
  FROM ${MADE} AS m
  LEFT JOIN (SELECT token, arraySort(x -> x.1, groupArray((block_number, ${hexText('block_hash')},
      toUnixTimestamp(toDateTime(analyzed_at)), toUInt8(prediction = 'SCAM')))) AS verdicts
    FROM (SELECT token, block_number, block_hash, analyzed_at, prediction FROM verdict_history FINAL
      WHERE chain_id = {chainId:UInt64} AND token IN (SELECT token FROM ${MADE}) AND horizon_s = 0
      ORDER BY token, block_number DESC LIMIT ${VERDICTS_MAX} BY token)
    GROUP BY token) AS v ON v.token = m.token
  LEFT JOIN (SELECT token, arrayMap(c -> JSONExtractString(c, 'id'), arrayFilter(
      c -> JSONExtractString(c, 'status') = 'fail', JSONExtractArrayRaw(doc, 'checks'))) AS failed
    FROM token_verdicts FINAL WHERE chain_id = {chainId:UInt64} AND token IN (SELECT token FROM ${MADE})) AS k
    ON k.token = m.token
  ORDER BY m.created_block, m.token`;
const madeRow = z.object({
  wallet_hex: addressSchema,
  token_hex: addressSchema,
  block: countSchema,
  hash: hashSchema,
  tx_hex: hashSchema,
  at_s: countSchema,
  /** Block, its hash, Unix seconds, whether a scam. */
  verdicts: z.array(z.tuple([countSchema, hashSchema, countSchema, z.number()])),
  failed: z.array(z.string()),
});

const recordsSql = `SELECT ${hexText('m.creator')} AS wallet_hex, count() AS made,
    countIf(k.is_scam = 1) AS scams
  FROM ${MADE} AS m
  LEFT JOIN (SELECT token, toUInt8(prediction = 'SCAM') AS is_scam FROM token_verdicts FINAL
    WHERE chain_id = {chainId:UInt64} AND token IN (SELECT token FROM ${MADE})) AS k ON k.token = m.token
  GROUP BY m.creator`;
const recordRow = z.object({ wallet_hex: addressSchema, made: countSchema, scams: countSchema });

const launchesSql = `SELECT ${hexText('node')} AS wallet_hex, min(block_number) AS block
  FROM ${MOVEMENTS} AND direction = 'in' AND kind = 'lpAdded' GROUP BY node`;
const launchRow = z.object({ wallet_hex: addressSchema, block: countSchema });

const activitySql = `SELECT ${hexText('node')} AS wallet_hex, toUnixTimestamp(min(first_at)) AS first_s,
    toUnixTimestamp(max(first_at)) AS last_s
  FROM ${MOVEMENTS} GROUP BY node`;
const activityRow = z.object({
  wallet_hex: addressSchema,
  first_s: countSchema,
  last_s: countSchema,
});

const buyersSql = `SELECT DISTINCT ${hexText('buyer')} AS wallet_hex FROM (
    SELECT node, other AS buyer, sum(value) AS paid FROM ${MOVEMENTS} AND direction = 'in' AND kind = 'bought'
    GROUP BY node, other ORDER BY paid DESC, other LIMIT ${BUYERS_MAX} BY node)`;
const walletRow = z.object({ wallet_hex: addressSchema });

const knownSql = `SELECT ${hexText('wallet')} AS wallet_hex, cluster_id FROM dim_wallets FINAL
  WHERE chain_id = {chainId:UInt64} ORDER BY cluster_id != '' DESC, last_activity DESC LIMIT ${KNOWN_MAX}`;
const knownRow = walletRow.extend({ cluster_id: z.string() });

/** Those of a token's verdicts that differ from the one before. */
const turnsOf = (verdicts: z.output<typeof madeRow>['verdicts']): VerdictTurn[] =>
  verdicts
    .map(([block, blockHash, atS, flag]) => ({ isScam: flag === 1, block, blockHash, atS }))
    .filter(({ isScam }, i) => i === 0 || (verdicts[i - 1]?.[3] === 1) !== isScam);

const walletOf = ({ wallet_hex }: { readonly wallet_hex: Hex }): Hex => wallet_hex;

/** The wallets of one chain in ClickHouse. */
export const createWalletReader = (clickhouse: Clickhouse, chainId: number): WalletReader => {
  const read = <S extends z.ZodTypeAny>(
    sql: string,
    wallets: readonly Hex[],
    row: S,
  ): Promise<z.output<S>[]> =>
    wallets.length === 0
      ? Promise.resolve([])
      : clickhouse.query(sql, { chainId, wallets: wallets.map(addressParam) }, row);
  return {
    movements: async (wallets) =>
      groupBy(await read(movementsSql, wallets, movementRow), walletOf, (row) => ({
        direction: row.direction_name,
        kind: row.kind_name,
        other: row.other_hex,
        count: row.moves,
        value: row.total,
        firstS: row.first_s,
        lastS: row.last_s,
        firstBlock: row.first_block,
        firstBlockHash: row.first_hash,
        firstPlace: row.first_place,
        firstTx: row.first_tx,
      })),
    made: async (wallets) =>
      groupBy(await read(madeSql, wallets, madeRow), walletOf, (row) => ({
        token: row.token_hex,
        block: row.block,
        blockHash: row.hash,
        atS: row.at_s,
        txHash: row.tx_hex,
        turns: turnsOf(row.verdicts),
        failedChecks: row.failed,
      })),
    records: async (wallets) => {
      const rows = await read(recordsSql, wallets, recordRow);
      return new Map(rows.map(({ wallet_hex, made, scams }) => [wallet_hex, { made, scams }]));
    },
    launches: async (tokens) => {
      const rows = await read(launchesSql, tokens, launchRow);
      return new Map(rows.map(({ wallet_hex, block }) => [wallet_hex, block]));
    },
    activity: async (wallets) => {
      const rows = await read(activitySql, wallets, activityRow);
      return new Map(
        rows.map(({ wallet_hex, first_s, last_s }) => [
          wallet_hex,
          { firstS: first_s, lastS: last_s },
        ]),
      );
    },
    buyers: async (tokens) =>
      (await read(buyersSql, tokens, walletRow)).map(({ wallet_hex }) => wallet_hex),
    known: async () => {
      const rows = await clickhouse.query(knownSql, { chainId }, knownRow);
      return rows.map((row) => ({ wallet: row.wallet_hex, clusterId: row.cluster_id }));
    },
  };
};
