import { z } from 'zod';
import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import { addressParam, asAddress, inAddresses } from '../../shared/encode/addressSet.ts';
import { addressSchema, countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import { EDGE_TYPES, type GraphEdge } from '../graph/graph.ts';
import type { TokenLabel } from './graphNodes.ts';
import { POINT_READ } from './pointRead.ts';
import type { Database } from './verdict.ts';

/** Counterparties from which an address is a hub, and edges read of any one address. */
export const HUB_COUNTERPARTIES_MAX = 1_000;
const EDGES_READ_MAX = HUB_COUNTERPARTIES_MAX + 1;
/** Edges read of a hub that is asked for itself. */
const HUB_EDGES_READ_MAX = 2_000;
/** Transfers of one token, oldest first, from which its holders are told. */
const TRANSFERS_READ_MAX = 50_000;
/** Holders shown of one token. */
const HOLDERS_MAX = 50;
/** Native transfers to one wallet, oldest first, from which its funders are told. */
const RECEIPTS_READ_MAX = 2_000;

const hex = (column: string): string => `concat('0x', lower(hex(${column})))`;
const BURN_ADDRESSES = `(toFixedString('', 20),
    toFixedString(unhex('000000000000000000000000000000000000dead'), 20))`;

/** A share of a whole on a logarithmic scale: 1 is 1, a tenth about 0.67, a thousandth 0.1. */
const SHARE_SCALE = 1_000;
const shareWeight = (share: number): number =>
  Math.min(1, Math.log1p(Math.max(0, share) * SHARE_SCALE) / Math.log1p(SHARE_SCALE));

const storedRow = z
  .object({
    node_hex: addressSchema,
    other_hex: addressSchema,
    direction_name: z.enum(['out', 'in']),
    kind: z.enum(EDGE_TYPES),
    node_is_token: z.number(),
    other_is_token: z.number(),
    weight: z.number(),
    value_usd: z.number(),
    tx_count: countSchema,
    first_at_s: countSchema,
    last_at_s: countSchema,
    has_tx: z.number(),
    tx_hex: hashSchema,
  })
  .transform((row): GraphEdge => {
    const isOut = row.direction_name === 'out';
    return {
      source: isOut ? row.node_hex : row.other_hex,
      target: isOut ? row.other_hex : row.node_hex,
      type: row.kind,
      weight: row.weight,
      valueUsd: row.value_usd,
      txCount: row.tx_count,
      firstAtS: row.first_at_s,
      lastAtS: row.last_at_s,
      txHash: row.has_tx === 1 ? row.tx_hex : undefined,
      tokens: [
        ...(row.node_is_token === 1 ? [row.node_hex] : []),
        ...(row.other_is_token === 1 ? [row.other_hex] : []),
      ],
    };
  });

/** Edges the cluster detector keeps of some addresses; a single one may be a hub. */
export const storedEdges = async (
  database: Database,
  chainId: number,
  nodes: readonly Hex[],
): Promise<GraphEdge[]> => {
  if (nodes.length === 0) return [];
  const limit =
    nodes.length === 1 ? `LIMIT ${HUB_EDGES_READ_MAX}` : `LIMIT ${EDGES_READ_MAX} BY node`;
  return database.query(
    `SELECT ${hex('node')} AS node_hex, ${hex('other')} AS other_hex,
       toString(direction) AS direction_name, kind, node_is_token, other_is_token, weight, value_usd,
       tx_count, toUnixTimestamp(first_at) AS first_at_s, toUnixTimestamp(last_at) AS last_at_s,
       tx_hash != toFixedString('', 32) AS has_tx, ${hex('tx_hash')} AS tx_hex
     FROM wallet_edges FINAL
     WHERE chain_id = {chainId:UInt64} AND node IN ${inAddresses('nodes')} ${limit} ${POINT_READ}`,
    { chainId, nodes: nodes.map(addressParam) },
    storedRow,
  );
};

const createdEdge = (token: Hex, creator: Hex, atS: number, txHash: Hex): GraphEdge => ({
  source: creator,
  target: token,
  type: 'created',
  weight: 1,
  txCount: 1,
  firstAtS: atS,
  lastAtS: atS,
  txHash,
  tokens: [token],
});

/** Who made the tokens. */
export const makerEdges = (tokens: ReadonlyMap<Hex, TokenLabel>): GraphEdge[] =>
  [...tokens].flatMap(([token, { created }]) =>
    created ? [createdEdge(token, created.creator, created.atS, created.txHash)] : [],
  );

const createdRow = z
  .object({
    token_hex: addressSchema,
    creator_hex: addressSchema,
    created_at_s: countSchema,
    created_tx_hex: hashSchema,
  })
  .transform((row) =>
    createdEdge(row.token_hex, row.creator_hex, row.created_at_s, row.created_tx_hex),
  );

/** Which tokens some addresses made. */
export const madeEdges = (
  database: Database,
  chainId: number,
  nodes: readonly Hex[],
): Promise<GraphEdge[]> =>
  database.query(
    `SELECT ${hex('token')} AS token_hex, ${hex('creator')} AS creator_hex,
       toUnixTimestamp(created_at) AS created_at_s, ${hex('created_tx')} AS created_tx_hex
     FROM dim_tokens FINAL
     WHERE chain_id = {chainId:UInt64} AND token IN (
       SELECT token FROM tokens_by_creator WHERE chain_id = {chainId:UInt64}
         AND creator IN ${inAddresses('nodes')} LIMIT ${EDGES_READ_MAX} BY creator)
       AND creator IN ${inAddresses('nodes')} ${POINT_READ}`,
    { chainId, nodes: nodes.map(addressParam) },
    createdRow,
  );

/** A pool's stake in a token is not told by the pool itself: the holders tell it. */
const POOL_EDGE_WEIGHT = 0.5;

const poolRow = z.object({
  pool_hex: addressSchema,
  token_hex: addressSchema,
  other_hex: addressSchema,
});

const poolStakes = (pool: Hex, tokens: readonly [Hex, Hex]): GraphEdge[] =>
  tokens.map((token) => ({
    source: pool,
    target: token,
    type: 'holds',
    weight: POOL_EDGE_WEIGHT,
    tokens: [...tokens],
  }));

/** The tokens of pools. */
export const pairEdges = (pairs: ReadonlyMap<Hex, readonly [Hex, Hex]>): GraphEdge[] =>
  [...pairs].flatMap(([pool, tokens]) => poolStakes(pool, tokens));

/** Pools of those of the addresses that are tokens. */
export const poolEdges = async (
  database: Database,
  chainId: number,
  nodes: readonly Hex[],
): Promise<GraphEdge[]> => {
  const rows = await database.query(
    `SELECT ${hex('pool')} AS pool_hex, ${hex('token')} AS token_hex,
       ${hex('other_token')} AS other_hex
     FROM dim_pools FINAL
     WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('nodes')}
     LIMIT ${EDGES_READ_MAX} BY token ${POINT_READ}`,
    { chainId, nodes: nodes.map(addressParam) },
    poolRow,
  );
  return rows.flatMap((row) => poolStakes(row.pool_hex, [row.token_hex, row.other_hex]));
};

const holderRow = z.object({
  token_hex: addressSchema,
  holder_hex: addressSchema,
  share: z.number(),
  moves: countSchema,
  first_at_s: countSchema,
  last_at_s: countSchema,
  read: countSchema,
});

/** One SELECT for each address, each cut by itself. */
const unionOf = (
  addresses: readonly Hex[],
  select: (parameter: string) => string,
): { sql: string; params: Record<string, string> } => ({
  sql: addresses.map((_, index) => `SELECT * FROM (${select(`node${index}`)})`).join(' UNION ALL '),
  params: Object.fromEntries(
    addresses.map((address, index) => [`node${index}`, addressParam(address)]),
  ),
});

const holdersSql = (parameter: string): string =>
  `SELECT concat('0x', lower({${parameter}:String})) AS token_hex, ${hex('holder')} AS holder_hex,
     toFloat64(balance) / sum(toFloat64(balance)) OVER () AS share, moves, first_at_s, last_at_s,
     max(rows_read) OVER () AS read
   FROM (SELECT move.1 AS holder, sum(move.2) AS balance, count() AS moves,
       toUnixTimestamp(min(timestamp)) AS first_at_s, toUnixTimestamp(max(timestamp)) AS last_at_s,
       any(rows_read) AS rows_read
     FROM (SELECT timestamp, count() OVER () AS rows_read,
         arrayJoin([(from_address, -toInt256(value)), (to_address, toInt256(value))]) AS move
       FROM (SELECT timestamp, from_address, to_address, value FROM fact_transfers FINAL
         WHERE chain_id = {chainId:UInt64} AND token = ${asAddress(parameter)}
         ORDER BY chain_id, token, block_number LIMIT ${TRANSFERS_READ_MAX}))
     WHERE move.1 NOT IN ${BURN_ADDRESSES} GROUP BY holder HAVING balance > 0)
   ORDER BY share DESC, holder_hex LIMIT ${HOLDERS_MAX}`;

/** Who holds most of some tokens, by their first transfers; whether there were more of these. */
export const holderEdges = async (
  database: Database,
  chainId: number,
  tokens: readonly Hex[],
): Promise<{ edges: GraphEdge[]; isCut: boolean }> => {
  if (tokens.length === 0) return { edges: [], isCut: false };
  const { sql, params } = unionOf(tokens, holdersSql);
  const rows = await database.query(sql, { chainId, ...params }, holderRow);
  const edges = rows.map(
    (row): GraphEdge => ({
      source: row.holder_hex,
      target: row.token_hex,
      type: 'holds',
      weight: shareWeight(row.share),
      txCount: row.moves,
      firstAtS: row.first_at_s,
      lastAtS: row.last_at_s,
      tokens: [row.token_hex],
    }),
  );
  return { edges, isCut: rows.some(({ read }) => read >= TRANSFERS_READ_MAX) };
};

const funderRow = z.object({
  wallet_hex: addressSchema,
  sender_hex: addressSchema,
  share: z.number(),
  moves: countSchema,
  first_at_s: countSchema,
  last_at_s: countSchema,
  first_tx_hex: hashSchema,
  is_first: z.number(),
  rows_read: countSchema,
});

const fundersSql = `SELECT ${hex('receiver')} AS wallet_hex, ${hex('sender')} AS sender_hex,
     toFloat64(amount) / greatest(sum(toFloat64(amount)) OVER (PARTITION BY receiver), 1) AS share,
     moves, first_at_s, last_at_s, ${hex('first_tx')} AS first_tx_hex,
     place = min(place) OVER (PARTITION BY receiver) AS is_first, rows_read
   FROM (SELECT receiver, sender, sum(value) AS amount, count() AS moves,
       min((block_number, tx_index)) AS place, toUnixTimestamp(min(at)) AS first_at_s,
       toUnixTimestamp(max(at)) AS last_at_s, argMin(tx, (block_number, tx_index)) AS first_tx,
       any(read) AS rows_read
     FROM (SELECT e.to_address AS receiver, e.block_number AS block_number, e.tx_index AS tx_index,
         any(e.from_address) AS sender, any(e.value) AS value, any(e.timestamp) AS at,
         any(e.tx_hash) AS tx, any(e.rows_read) AS read
       FROM (SELECT count() OVER () AS rows_read, * FROM (SELECT to_address, block_number, block_hash, tx_index, from_address, value, timestamp,
           tx_hash, version, is_deleted
         FROM fact_native_transfers
         WHERE chain_id = {chainId:UInt64} AND to_address IN ${inAddresses('wallets')}
         ORDER BY chain_id, to_address, block_number LIMIT {rowsMax:UInt32})) AS e
       GROUP BY e.to_address, e.block_number, e.block_hash, e.tx_index
       HAVING argMax(e.is_deleted, e.version) = 0)
     GROUP BY receiver, sender)
   ORDER BY amount DESC, sender_hex LIMIT ${EDGES_READ_MAX} BY receiver ${POINT_READ}`;

const busyRow = z.object({ wallet_hex: addressSchema });

/** Those of the wallets that received more often than is read. Only the key is looked at. */
const busyReceivers = async (
  database: Database,
  chainId: number,
  wallets: readonly Hex[],
): Promise<Set<Hex>> => {
  const rows = await database.query(
    `SELECT ${hex('to_address')} AS wallet_hex FROM fact_native_transfers
     WHERE chain_id = {chainId:UInt64} AND to_address IN ${inAddresses('wallets')}
     GROUP BY to_address HAVING count() > ${RECEIPTS_READ_MAX} ${POINT_READ}`,
    { chainId, wallets: wallets.map(addressParam) },
    busyRow,
  );
  return new Set(rows.map(({ wallet_hex }) => wallet_hex));
};

/** The senders to some wallets, by so many rows of the wallets' receipts. */
const readFunders = (
  database: Database,
  chainId: number,
  wallets: readonly Hex[],
  rowsMax: number,
): Promise<z.output<typeof funderRow>[]> =>
  database.query(fundersSql, { chainId, wallets: wallets.map(addressParam), rowsMax }, funderRow);

const funderEdge = (row: z.output<typeof funderRow>): GraphEdge => ({
  source: row.sender_hex,
  target: row.wallet_hex,
  type: row.is_first === 1 ? 'funded' : 'transferred',
  weight: shareWeight(row.share),
  txCount: row.moves,
  firstAtS: row.first_at_s,
  lastAtS: row.last_at_s,
  txHash: row.first_tx_hex,
  tokens: [],
});

/**
 * Who sent native currency to some wallets: the first sender funded, others transferred. A wallet
 * that receives all the time is only read, from its beginning, when it is asked for alone. Nearly
 * always all of them together received less than one busy wallet: then one query tells.
 */
export const funderEdges = async (
  database: Database,
  chainId: number,
  wallets: readonly Hex[],
): Promise<{ edges: GraphEdge[]; isCut: boolean }> => {
  const receivers = wallets.filter((wallet) => wallet !== ZERO_ADDRESS);
  if (receivers.length === 0) return { edges: [], isCut: false };
  const first = await readFunders(database, chainId, receivers, RECEIPTS_READ_MAX + 1);
  const isCut = first.some(({ rows_read }) => rows_read > RECEIPTS_READ_MAX);
  if (!isCut || receivers.length === 1) return { edges: first.map(funderEdge), isCut };
  const busy = await busyReceivers(database, chainId, receivers);
  const read = receivers.filter((each) => !busy.has(each));
  const rows = await readFunders(database, chainId, read, RECEIPTS_READ_MAX * read.length);
  return { edges: rows.map(funderEdge), isCut: busy.size > 0 };
};
