import assert from 'node:assert/strict';
import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/addressSet.ts';
import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import { POINT_READ } from '../server/pointRead.ts';
import type { Database } from '../tokens/verdict.ts';
import { EDGE_TYPES, type EdgeType } from './graph.ts';
import type { NeighbourEdge, NeighbourRow } from './mergeNeighbours.ts';

/** What the index says of an address; each part is unset where it says nothing of the kind. */
export interface NodeRecord {
  /** Of an indexed token: what it calls itself, and who made it where that is known. */
  readonly token?: { readonly symbol: string; readonly creator: Hex | undefined };
  readonly verdict?: { readonly prediction: 'SCAM' | 'LEGIT'; readonly confidence: number };
  /** What the cluster detector says. */
  readonly wallet?: {
    readonly label: string;
    readonly riskScore: number;
    readonly clusterId: string | null;
  };
  readonly isPool?: true;
}

const nodeRow = z.object({
  n: addressSchema,
  told_by: z.enum(['token', 'verdict', 'wallet', 'pool']),
  label: z.string(),
  is_scam: z.number(),
  score: z.number(),
  cluster_id: z.string(),
  creator_hex: addressSchema,
});

const recordOf = (row: z.output<typeof nodeRow>): NodeRecord => {
  switch (row.told_by) {
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

const hex = (column: string): string => `concat('0x', lower(hex(${column})))`;
const ownOf = (column: string): string =>
  `chain_id = {chainId:UInt64} AND ${column} IN ${inAddresses('addresses')}`;
/** What each table says: a pool is told by its edges, as `dim_pools` is in the order of tokens. */
const NODES_SQL = `SELECT ${hex('token')} AS n, 'token' AS told_by, symbol AS label, toUInt8(0) AS is_scam, 0. AS score,
      '' AS cluster_id, ${hex('creator')} AS creator_hex FROM dim_tokens FINAL WHERE ${ownOf('token')}
    UNION ALL SELECT ${hex('token')}, 'verdict', '', is_scam, confidence, '', '${ZERO_ADDRESS}'
      FROM token_verdicts FINAL WHERE ${ownOf('token')}
    UNION ALL SELECT ${hex('wallet')}, 'wallet', label, toUInt8(0), risk_score, cluster_id, '${ZERO_ADDRESS}'
      FROM dim_wallets FINAL WHERE ${ownOf('wallet')}
    UNION ALL SELECT DISTINCT ${hex('node')}, 'pool', '', toUInt8(0), 0., '', '${ZERO_ADDRESS}'
      FROM graph_neighbours FINAL WHERE ${ownOf('node')} AND source = 'pool' AND direction = 'out'`;

/** What the index says of addresses: those it knows nothing of are left out. */
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
/** Rows read of a hub that is asked for itself. */
const HUB_ROWS_READ_MAX = 2_000;

/** Rows are so close to the key that sorting them out first costs more than it spares. */
const READ_WHOLE =
  'max_threads = 1, optimize_move_to_prewhere = 0, optimize_move_to_prewhere_if_final = 0';

/** Kinds of rows by the edge they are shown as: those of `wallet_edges`, and movements of the chain. */
const TYPE_OF_KIND: Readonly<Record<string, EdgeType>> = {
  ...Object.fromEntries(EDGE_TYPES.map((type) => [type, type])),
  native: 'transferred',
  token: 'transferred',
  proceeds: 'transferred',
  lpPaid: 'transferred',
  lpAdded: 'added_liquidity',
  lpRemoved: 'removed_liquidity',
};
const SOURCES: ReadonlySet<string> = new Set(['edge', 'token', 'fact', 'pool']);
/** A transaction that is not known: zeros. */
const NO_HASH = /^0*$/;

/**
 * One text a row: columns cost the server more than splitting one costs here, and a step reads a thousand rows.
 * `doc` of the table goes on after source, other, direction, kind and weight.
 */
const TOLD = `concatWithSeparator(' ', toString(source), lower(hex(other)), toString(direction), toString(kind),
    toString(weight), doc)`;
const neighbourRow = z.object({ n: addressSchema, told: z.string() });

const positive = (text: string | undefined): number | undefined => Number(text) || undefined;

/** Reads what `TOLD` wrote of an edge. */
const edgeOf = (cells: readonly string[]): NeighbourEdge => {
  const [source = '', other, direction, kind = '', weight, nodeIsToken, otherIsToken, ...rest] =
    cells;
  const [valueUsd, txCount, firstAtS, lastAtS, txHash = ''] = rest;
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
    valueUsd: source === 'edge' ? Number(valueUsd) : undefined,
    txCount: positive(txCount),
    firstAtS: positive(firstAtS),
    lastAtS: positive(lastAtS),
    txHash: NO_HASH.test(txHash) ? undefined : `0x${txHash}`,
  };
};

/** Who holds a token, as of its verdict in force, and which share: in one text, as edges are. */
const HOLDERS_SQL = `SELECT concat('0x', lower(hex(token))) AS n, concat('holders ', arrayStringConcat(
    arrayMap(one -> concat(lower(hex(one.1)), ':', toString(one.2)), holders), ' ')) AS told FROM token_verdicts FINAL
  WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('nodes')} AND notEmpty(holders)`;

const holdersOf = (cells: readonly string[]): [Hex, number][] =>
  cells.slice(1).flatMap((cell): [Hex, number][] => {
    const [holder, share] = cell.split(':');
    return holder ? [[`0x${holder}`, Number(share)]] : [];
  });

const readRows = async (
  database: Database,
  chainId: number,
  nodes: readonly Hex[],
  { limit = '', settings }: { limit?: string; settings: string },
): Promise<NeighbourRow[]> => {
  const rows = await database.query(
    `SELECT n, told FROM (SELECT concat('0x', lower(hex(node))) AS n, ${TOLD} AS told FROM graph_neighbours FINAL
       WHERE chain_id = {chainId:UInt64} AND node IN ${inAddresses('nodes')} ${limit})
     UNION ALL ${HOLDERS_SQL} ${settings}`,
    { chainId, nodes: nodes.map(addressParam) },
    neighbourRow,
  );
  const found = new Map<
    Hex,
    { edges: NeighbourEdge[]; holders: [Hex, number][]; isListedHub: boolean }
  >();
  for (const { n, told } of rows) {
    const row = found.get(n) ?? { edges: [], holders: [], isListedHub: false };
    found.set(n, row);
    const cells = told.split(' ');
    if (cells[0] === 'hub') row.isListedHub = true;
    else if (cells[0] === 'holders') row.holders.push(...holdersOf(cells));
    else row.edges.push(edgeOf(cells));
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
    settings: `SETTINGS ${READ_WHOLE}, max_rows_to_read = ${ROWS_READ_MAX}`,
  });

/** Some of what is stored around an address that has too much of it, in the order of the key. */
export const readSomeNeighbours = (
  database: Database,
  chainId: number,
  node: Hex,
): Promise<NeighbourRow[]> =>
  readRows(database, chainId, [node], {
    limit: `LIMIT ${HUB_ROWS_READ_MAX}`,
    settings: `SETTINGS ${READ_WHOLE}`,
  });
