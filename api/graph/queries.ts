import assert from 'node:assert/strict';
import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { EDGE_TYPES, type EdgeType, type NodeFacts } from './graph.ts';
import type { NeighbourEdge, NeighbourRow } from './mergeNeighbours.ts';

/** What the index stores about an address; absent parts are unset. */
export interface NodeRecord {
  /** Of an indexed token: its own name, and its creator if known. */
  readonly token?: { readonly symbol: string; readonly creator: Hex | undefined };
  /** What the cluster detector stores. */
  readonly wallet?: {
    readonly label: string;
    readonly riskScore: number;
    readonly clusterId: string | null;
  };
}

/** One string per row: validating seven columns of hundreds of rows costs the API several times as much. */
const nodeRow = z.object({ n: addressSchema, record: z.string() });

/** Parses a row of `NODES_SQL`. Free text comes last because it may contain spaces. */
const recordOf = (text: string): NodeRecord => {
  const [part = '', first = '', second = '', ...rest] = text.split(' ');
  switch (part) {
    case 'token': {
      const creator = first === ZERO_ADDRESS ? undefined : (first as Hex);
      return { token: { symbol: [second, ...rest].join(' '), creator } };
    }
    case 'wallet': {
      const clusterId = second === '' ? null : second;
      return { wallet: { label: rest.join(' '), riskScore: Number(first), clusterId } };
    }
    default:
      throw new Error(`unknown part of a node ${part}`);
  }
};

/** What is shown of a verdict. */
export type NodeVerdict = NonNullable<NodeFacts['verdict']>;

const ownOf = (column: string): string =>
  `chain_id = {chainId:UInt64} AND ${column} IN ${inAddresses('addresses')}`;
const NODES_SQL = `SELECT ${hexText('token')} AS n, concatWithSeparator(' ', 'token', ${hexText('creator')}, symbol) AS record
      FROM dim_tokens FINAL WHERE ${ownOf('token')}
    UNION ALL SELECT ${hexText('wallet')}, concatWithSeparator(' ', 'wallet', toString(risk_score), cluster_id, label)
      FROM dim_wallets FINAL WHERE ${ownOf('wallet')}`;

/** What the index stores about addresses; unknown ones are left out. */
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
  for (const { n, record } of rows) {
    records.set(n, { ...records.get(n), ...recordOf(record) });
  }
  return records;
};

const verdictRow = z.object({
  n: addressSchema,
  prediction: z.enum(['SCAM', 'LEGIT']),
  confidence: z.number(),
});

/** Verdicts in force; tokens without one are left out. */
export const nodeVerdicts = async (
  database: Database,
  chainId: number,
  addresses: readonly Hex[],
): Promise<Map<Hex, NodeVerdict>> => {
  const rows = await database.query(
    `SELECT ${hexText('token')} AS n, prediction, confidence FROM token_verdicts FINAL WHERE ${ownOf('token')} ${POINT_READ}`,
    { chainId, addresses: addresses.map(addressParam) },
    verdictRow,
  );
  return new Map(rows.map(({ n, ...verdict }) => [n, verdict]));
};

/** PREWHERE is off: the rows are so close to the key that filtering first costs more than it saves. */
const READ_WHOLE =
  'max_threads = 1, optimize_move_to_prewhere = 0, optimize_move_to_prewhere_if_final = 0';

/**
 * Rows that one read may touch; above it, one of the addresses has a large range of its own that would be scanned.
 */
const ROWS_READ_MAX = 40_000;
/** Edges read for a hub at the centre. */
export const HUB_EDGES_READ_MAX = 2_000;

/** Kinds of rows by the edge that shows them: stored edges, and movements of the chain. */
const TYPE_OF_KIND: Readonly<Record<string, EdgeType>> = {
  ...Object.fromEntries(EDGE_TYPES.map((type) => [type, type])),
  native: 'transferred',
  token: 'transferred',
  proceeds: 'transferred',
  lpPaid: 'transferred',
  lpAdded: 'added_liquidity',
  lpRemoved: 'removed_liquidity',
};

const SOURCES: ReadonlySet<string> = new Set(['edge', 'token', 'movement', 'pool']);
/** An unknown transaction: zeros. */
const NO_HASH = /^0*$/;

const STORED = `graph_neighbours FINAL WHERE chain_id = {chainId:UInt64} AND node IN ${inAddresses('nodes')}`;
/**
 * Movements of a kind between two addresses as one row, up to a number of rows. They are grouped in key order, so the
 * read stops at that number.
 */
const ADDED_UP = `(SELECT node, source, direction, kind, other, max(node_is_token) AS node_is_token,
      max(other_is_token) AS other_is_token, max(weight) AS weight, sum(value) AS value, sum(value_usd) AS value_usd,
      sum(tx_count) AS tx_count, min(first_at) AS first_at, max(last_at) AS last_at, any(tx_hash) AS tx_hash
    FROM ${STORED} GROUP BY chain_id, node, source, direction, kind, other LIMIT ${HUB_EDGES_READ_MAX})`;

/**
 * Edges of a node as lines of one string: validating thirteen columns of thousands of rows costs the API several
 * times as much.
 */
const neighboursSql = (rows: string): string =>
  `SELECT ${hexText('node')} AS n, arrayStringConcat(groupArray(concatWithSeparator(' ', toString(source), lower(hex(other)), toString(direction),
      kind, toString(node_is_token), toString(other_is_token), toString(weight), toString(value), toString(value_usd),
      toString(tx_count), toString(toUnixTimestamp(first_at)), toString(toUnixTimestamp(last_at)), lower(hex(tx_hash)))), '\\n') AS lines
    FROM ${rows} GROUP BY node`;
const neighboursRow = z.object({ n: addressSchema, lines: z.string() });

const positive = (text: string | undefined): number | undefined => Number(text) || undefined;

/** Parses an edge written by `neighboursSql`. */
const edgeOf = (cells: readonly string[]): NeighbourEdge => {
  const [source = '', other, direction, kind = '', nodeIsToken, otherIsToken] = cells;
  const [weight, units, valueUsd, txCount, firstAtS, lastAtS, txHash = ''] = cells.slice(6);
  const type = TYPE_OF_KIND[kind];
  assert.ok(SOURCES.has(source) && type !== undefined, `unknown edge ${source} ${kind}`);
  assert.ok(direction === 'out' || direction === 'in', `unknown direction ${direction}`);
  return {
    source: source as NeighbourEdge['source'],
    direction,
    type,
    other: `0x${other}`,
    nodeIsToken: nodeIsToken === '1',
    otherIsToken: otherIsToken === '1',
    weight: Number(weight),
    units: Number(units),
    valueUsd: source === 'edge' ? Number(valueUsd) : undefined,
    txCount: positive(txCount),
    firstAtS: positive(firstAtS),
    lastAtS: positive(lastAtS),
    txHash: NO_HASH.test(txHash) ? undefined : `0x${txHash}`,
  };
};

/** Holders of a token and their shares, as of its verdict in force: one row per token. */
const HOLDERS_SQL = `SELECT ${hexText('token')}, arrayStringConcat(arrayConcat(['holders'],
      arrayMap(holder -> concat(lower(hex(holder.1)), ' ', toString(holder.2)), holders)), ' ')
    FROM token_verdicts FINAL
    WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('nodes')}`;

const holdersOf = (cells: readonly string[]): [Hex, number][] =>
  Array.from({ length: cells.length >> 1 }, (_, at) => [
    `0x${cells[at * 2 + 1]}`,
    Number(cells[at * 2 + 2]),
  ]);

const readRows = async (
  database: Database,
  chainId: number,
  nodes: readonly Hex[],
  { from, settings }: { from: string; settings: string },
): Promise<NeighbourRow[]> => {
  const rows = await database.query(
    `${neighboursSql(from)} UNION ALL ${HOLDERS_SQL} ${settings}`,
    { chainId, nodes: nodes.map(addressParam) },
    neighboursRow,
  );
  const found = new Map<
    Hex,
    { edges: NeighbourEdge[]; holders: [Hex, number][]; isListedHub: boolean }
  >();
  for (const { n, lines } of rows) {
    const node = found.get(n) ?? { edges: [], holders: [], isListedHub: false };
    found.set(n, node);
    for (const cells of lines.split('\n').map((line) => line.split(' '))) {
      if (cells[0] === 'hub') node.isListedHub = true;
      else if (cells[0] === 'holders') node.holders = holdersOf(cells);
      else node.edges.push(edgeOf(cells));
    }
  }
  return [...found].map(([node, row]) => ({ node, ...row }));
};

/**
 * Everything stored around addresses.
 * @throws FatalError before anything is read if there is too much: see `isTooManyRows`.
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

/** What is stored around an address with too many rows, in key order, up to `HUB_EDGES_READ_MAX` edges. */
export const readSomeNeighbours = (
  database: Database,
  chainId: number,
  node: Hex,
): Promise<NeighbourRow[]> =>
  readRows(database, chainId, [node], {
    from: ADDED_UP,
    settings: `SETTINGS ${READ_WHOLE}, optimize_aggregation_in_order = 1`,
  });
