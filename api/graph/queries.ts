import assert from 'node:assert/strict';
import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/addressSet.ts';
import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../shared/chain/block.ts';
import { addressSchema, hashSchema } from '../../shared/messages/schemas.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { POINT_READ } from '../server/pointRead.ts';
import type { Database } from '../tokens/verdict.ts';
import { EDGE_TYPES, type EdgeType } from './graph.ts';
import type { NeighbourEdge, NeighbourRow } from './mergeNeighbours.ts';

/** What the index holds of an address; each part is unset where it has none. */
export interface NodeRecord {
  /** Of an indexed token: what it calls itself, and who made it where that is known. */
  readonly token?: { readonly symbol: string; readonly creator: Hex | undefined };
  readonly verdict?: { readonly prediction: 'SCAM' | 'LEGIT'; readonly confidence: number };
  /** What the cluster detector keeps. */
  readonly wallet?: {
    readonly label: string;
    readonly riskScore: number;
    readonly clusterId: string | null;
  };
  readonly isPool?: true;
}

const nodeRow = z.object({
  n: addressSchema,
  part: z.enum(['token', 'verdict', 'wallet', 'pool']),
  label: z.string(),
  is_scam: z.number(),
  score: z.number(),
  cluster_id: z.string(),
  creator_hex: addressSchema,
});

const recordOf = (row: z.output<typeof nodeRow>): NodeRecord => {
  switch (row.part) {
    case 'token': {
      const creator = row.creator_hex === ZERO_ADDRESS ? undefined : row.creator_hex;
      return { token: { symbol: row.label, creator } };
    }
    case 'verdict': {
      const prediction = row.is_scam === 1 ? 'SCAM' : 'LEGIT';
      return { verdict: { prediction, confidence: row.score } };
    }
    case 'wallet': {
      const clusterId = row.cluster_id === '' ? null : row.cluster_id;
      return { wallet: { label: row.label, riskScore: row.score, clusterId } };
    }
    case 'pool':
      return { isPool: true };
  }
};

const ownOf = (column: string): string =>
  `chain_id = {chainId:UInt64} AND ${column} IN ${inAddresses('addresses')}`;
/** What each table holds: a pool is known by its edges, as `dim_pools` is in the order of tokens. */
const NODES_SQL = `SELECT ${hexText('token')} AS n, 'token' AS part, symbol AS label, toUInt8(0) AS is_scam, 0. AS score,
      '' AS cluster_id, ${hexText('creator')} AS creator_hex FROM dim_tokens FINAL WHERE ${ownOf('token')}
    UNION ALL SELECT ${hexText('token')}, 'verdict', '', is_scam, confidence, '', '${ZERO_ADDRESS}'
      FROM token_verdicts FINAL WHERE ${ownOf('token')}
    UNION ALL SELECT ${hexText('wallet')}, 'wallet', label, toUInt8(0), risk_score, cluster_id, '${ZERO_ADDRESS}'
      FROM dim_wallets FINAL WHERE ${ownOf('wallet')}
    UNION ALL SELECT DISTINCT ${hexText('node')}, 'pool', '', toUInt8(0), 0., '', '${ZERO_ADDRESS}'
      FROM graph_neighbours FINAL WHERE ${ownOf('node')} AND source = 'pool' AND direction = 'out'`;

/** What the index holds of addresses; those it has nothing of are left out. */
export const nodeRecords = async (
  database: Database,
  chainId: number,
  addresses: readonly Hex[],
): Promise<Map<Hex, NodeRecord>> => {
  const rows = await database.query(
    `${NODES_SQL} ${POINT_READ}`,
    { chainId, addresses: addresses.map(addressParam) },
    nodeRow,
  );
  const records = new Map<Hex, NodeRecord>();
  for (const row of rows) {
    records.set(row.n, { ...records.get(row.n), ...recordOf(row) });
  }
  return records;
};

/** Rows that one read may touch: above it one of the addresses has a range of its own to be passed over. */
const ROWS_READ_MAX = 40_000;
/** Edges read of a hub that is the centre. */
export const HUB_EDGES_READ_MAX = 2_000;

/** Rows are so close to the key that sorting them out first costs more than it spares. */
const READ_WHOLE =
  'max_threads = 1, optimize_move_to_prewhere = 0, optimize_move_to_prewhere_if_final = 0';

/** Kinds of rows by the edge they are shown as: those of edges, and movements of the chain. */
const TYPE_OF_KIND: Readonly<Record<string, EdgeType>> = {
  ...Object.fromEntries(EDGE_TYPES.map((type) => [type, type])),
  native: 'transferred',
  token: 'transferred',
  proceeds: 'transferred',
  lpPaid: 'transferred',
  lpAdded: 'added_liquidity',
  lpRemoved: 'removed_liquidity',
};

const neighbourRow = z.object({
  node_hex: addressSchema,
  source_name: z.enum(['edge', 'token', 'movement', 'pool', 'hub', 'holder']),
  direction_name: z.enum(['out', 'in']),
  kind_name: z.string(),
  other_hex: addressSchema,
  node_is_token: z.number(),
  other_is_token: z.number(),
  weighs: z.number(),
  units: z.number(),
  usd: z.number(),
  moves: z.number(),
  first_s: z.number(),
  last_s: z.number(),
  tx_hex: hashSchema,
});
type Neighbour = z.output<typeof neighbourRow>;

const STORED = `graph_neighbours FINAL WHERE chain_id = {chainId:UInt64} AND node IN ${inAddresses('nodes')}`;
/** Movements of a kind between two addresses as one row, up to a number of rows: grouped in the order of the key, the read ends with them. */
const ADDED_UP = `(SELECT node, source, direction, kind, other, max(node_is_token) AS node_is_token,
      max(other_is_token) AS other_is_token, max(weight) AS weight, sum(value) AS value, sum(value_usd) AS value_usd,
      sum(tx_count) AS tx_count, min(first_at) AS first_at, max(last_at) AS last_at, any(tx_hash) AS tx_hash
    FROM ${STORED} GROUP BY chain_id, node, source, direction, kind, other LIMIT ${HUB_EDGES_READ_MAX})`;

const neighboursSql = (rows: string): string =>
  `SELECT ${hexText('node')} AS node_hex, toString(source) AS source_name, toString(direction) AS direction_name, kind AS kind_name,
      ${hexText('other')} AS other_hex, node_is_token, other_is_token, weight AS weighs, value AS units, value_usd AS usd,
      toFloat64(tx_count) AS moves, toFloat64(toUnixTimestamp(first_at)) AS first_s,
      toFloat64(toUnixTimestamp(last_at)) AS last_s, ${hexText('tx_hash')} AS tx_hex
    FROM ${rows}`;

const known = (value: number): number | undefined => value || undefined;

const edgeOf = (row: Neighbour, source: NeighbourEdge['source']): NeighbourEdge => {
  const type = TYPE_OF_KIND[row.kind_name];
  assert.ok(type !== undefined, `unknown edge ${row.source_name} ${row.kind_name}`);
  return {
    source,
    direction: row.direction_name,
    type,
    other: row.other_hex,
    nodeIsToken: row.node_is_token === 1,
    otherIsToken: row.other_is_token === 1,
    weight: row.weighs,
    units: row.units,
    valueUsd: source === 'edge' ? row.usd : undefined,
    txCount: known(row.moves),
    firstAtS: known(row.first_s),
    lastAtS: known(row.last_s),
    txHash: row.tx_hex === ZERO_HASH ? undefined : row.tx_hex,
  };
};

/** Who holds a token, as of its verdict in force, and which share as the weight. */
const HOLDERS_SQL = `SELECT ${hexText('token')}, 'holder', 'in', 'holds', ${hexText('holders.1')}, 0, 0, holders.2, 0., 0., 0., 0., 0.,
      '${ZERO_HASH}'
    FROM token_verdicts FINAL ARRAY JOIN holders
    WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('nodes')}`;

const readRows = async (
  database: Database,
  chainId: number,
  nodes: readonly Hex[],
  { from, settings }: { from: string; settings: string },
): Promise<NeighbourRow[]> => {
  const rows = await database.query(
    `${neighboursSql(from)} UNION ALL ${HOLDERS_SQL} ${settings}`,
    { chainId, nodes: nodes.map(addressParam) },
    neighbourRow,
  );
  const found = new Map<
    Hex,
    { edges: NeighbourEdge[]; holders: [Hex, number][]; isListedHub: boolean }
  >();
  for (const row of rows) {
    const node = found.get(row.node_hex) ?? { edges: [], holders: [], isListedHub: false };
    found.set(row.node_hex, node);
    if (row.source_name === 'hub') node.isListedHub = true;
    else if (row.source_name === 'holder') node.holders.push([row.other_hex, row.weighs]);
    else node.edges.push(edgeOf(row, row.source_name));
  }
  return [...found].map(([node, row]) => ({ node, ...row }));
};

/**
 * All that is stored around addresses.
 * @throws FatalError before anything is read where there is too much: see `isTooManyRows`.
 */
export const readNeighbours = (
  database: Database,
  chainId: number,
  nodes: readonly Hex[],
): Promise<NeighbourRow[]> =>
  readRows(database, chainId, nodes, {
    from: STORED,
    settings: `SETTINGS ${READ_WHOLE}, max_rows_to_read = ${ROWS_READ_MAX}`,
  });

/** What is stored around an address that has too much of it, in the order of the key, up to `HUB_EDGES_READ_MAX` edges. */
export const readSomeNeighbours = (
  database: Database,
  chainId: number,
  node: Hex,
): Promise<NeighbourRow[]> =>
  readRows(database, chainId, [node], {
    from: ADDED_UP,
    settings: `SETTINGS ${READ_WHOLE}, optimize_aggregation_in_order = 1`,
  });
