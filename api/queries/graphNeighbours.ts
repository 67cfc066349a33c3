import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { addressParam, inAddresses } from '../../shared/encode/addressSet.ts';
import { addressSchema, countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import { EDGE_TYPES, type EdgeFilter, type EdgeType } from '../graph/graph.ts';
import type { NeighbourEdge, NeighbourRow } from '../graph/mergeNeighbours.ts';
import type { Database } from './verdict.ts';

/** Counterparties from which an address is a hub. */
export const HUB_COUNTERPARTIES_MAX = 1_000;
/** Rows that one read of several addresses may touch: above it one of them has a range of its own to be passed over. */
const ROWS_READ_MAX = 50_000;
/** Rows read of a hub that is asked for itself. */
const HUB_ROWS_READ_MAX = 2_000;

/** Movements of the chain by the edge they are shown as. */
const KINDS_OF_TYPE: Partial<Record<EdgeType, readonly string[]>> = {
  transferred: ['native', 'token', 'proceeds', 'lpPaid'],
  added_liquidity: ['lpAdded'],
  removed_liquidity: ['lpRemoved'],
};
const TYPE_OF_KIND: Readonly<Record<string, EdgeType>> = {
  ...Object.fromEntries(EDGE_TYPES.map((type) => [type, type])),
  ...Object.fromEntries(
    Object.entries(KINDS_OF_TYPE).flatMap(([type, kinds]) =>
      kinds.map((kind) => [kind, type as EdgeType]),
    ),
  ),
};

const kindsOf = (types: readonly EdgeType[] = EDGE_TYPES): string[] =>
  types.flatMap((type) => [type, ...(KINDS_OF_TYPE[type] ?? [])]);

const edgeCells = z
  .tuple([
    z.number(),
    addressSchema,
    z.enum(['edge', 'token', 'fact', 'pool']),
    z.enum(['out', 'in']),
    z.string(),
    z.number(),
    z.number(),
    z.number(),
    countSchema,
    countSchema,
    countSchema,
    hashSchema,
  ])
  .transform((cells, context): NeighbourEdge => {
    const [heaviness, other, source, direction, kind, nodeIsToken, otherIsToken, ...rest] = cells;
    const [valueUsd, txCount, firstAtS, lastAtS, txHash] = rest;
    const type = TYPE_OF_KIND[kind];
    if (!type) {
      context.addIssue({ code: 'custom', message: `unknown kind of edge ${kind}` });
      return z.NEVER;
    }
    return {
      source,
      direction,
      type,
      other,
      nodeIsToken: nodeIsToken === 1,
      otherIsToken: otherIsToken === 1,
      weight: -heaviness,
      valueUsd: source === 'edge' ? valueUsd : undefined,
      txCount: txCount === 0 ? undefined : txCount,
      firstAtS: firstAtS === 0 ? undefined : firstAtS,
      lastAtS: lastAtS === 0 ? undefined : lastAtS,
      txHash: /^0x0*$/.test(txHash) ? undefined : txHash,
    };
  });

const neighbourRow = z
  .object({
    node_hex: addressSchema,
    counterparties: countSchema,
    is_listed: z.number(),
    wanted: countSchema,
    edges: z.array(edgeCells),
    held_by: z.array(z.tuple([addressSchema, z.number()])),
  })
  .transform(
    (row): NeighbourRow => ({
      node: row.node_hex,
      isHub: row.is_listed === 1 || row.counterparties > HUB_COUNTERPARTIES_MAX,
      edges: row.edges,
      isCut: row.wanted > row.edges.length || row.counterparties > HUB_COUNTERPARTIES_MAX,
      holders: row.held_by,
    }),
  );

const lowHex = (column: string): string => `concat('0x', lower(hex(${column})))`;
const IS_EDGE = "source NOT IN ('holders', 'hub')";
const WANTED = `${IS_EDGE} AND kind IN {kinds:Array(String)} AND weight >= {minWeight:Float64}
  AND ({direction:String} = 'both' OR toString(direction) = {direction:String})`;
const CELLS = `tuple(-weight, ${lowHex('other')}, toString(source), toString(direction), toString(kind),
  node_is_token, other_is_token, value_usd, tx_count, toUnixTimestamp(first_at), toUnixTimestamp(last_at),
  ${lowHex('tx_hash')})`;

const select = (rows: string, edgesMax: number, areHubsRead: boolean): string => {
  const heaviest = `groupArraySortedIf(${edgesMax})(${CELLS}, ${WANTED})`;
  const isHub = `max(source = 'hub') = 1 OR uniqExactIf(other, ${IS_EDGE}) > ${HUB_COUNTERPARTIES_MAX}`;
  return `SELECT ${lowHex('node')} AS node_hex, uniqExactIf(other, ${IS_EDGE}) AS counterparties,
      max(source = 'hub') AS is_listed, countIf(${WANTED}) AS wanted,
      ${areHubsRead ? heaviest : `if(${isHub}, [], ${heaviest})`} AS edges,
      arrayMap(x -> (${lowHex('x.1')}, x.2), arrayFlatten(groupArray(holders))) AS held_by
    FROM ${rows} GROUP BY node`;
};

const ROWS = `graph_neighbours FINAL
  WHERE chain_id = {chainId:UInt64} AND node IN ${inAddresses('nodes')}`;

const ask = (
  database: Database,
  sql: string,
  request: { chainId: number; nodes: readonly Hex[]; filter: EdgeFilter },
): Promise<NeighbourRow[]> =>
  database.query(
    sql,
    {
      chainId: request.chainId,
      nodes: request.nodes.map(addressParam),
      kinds: kindsOf(request.filter.types),
      minWeight: request.filter.minWeight ?? 0,
      direction: request.filter.direction,
    },
    neighbourRow,
  );

/**
 * The heaviest edges of addresses, at most `edgesMax` of each; none of hubs unless `areHubsRead`.
 * @throws FatalError of too many rows: see `isTooManyRows`.
 */
export const readNeighbours = (
  database: Database,
  request: { chainId: number; nodes: readonly Hex[]; filter: EdgeFilter },
  options: { edgesMax: number; areHubsRead: boolean },
): Promise<NeighbourRow[]> =>
  ask(
    database,
    `${select(ROWS, options.edgesMax, options.areHubsRead)}
     SETTINGS max_threads = 1, max_rows_to_read = ${ROWS_READ_MAX}`,
    request,
  );

/** Some edges of an address that has too many to be read, in the order of the key. */
export const readSomeNeighbours = (
  database: Database,
  request: { chainId: number; nodes: readonly [Hex]; filter: EdgeFilter },
): Promise<NeighbourRow[]> =>
  ask(
    database,
    `${select(`(SELECT * FROM ${ROWS} LIMIT ${HUB_ROWS_READ_MAX})`, HUB_ROWS_READ_MAX, true)}
     SETTINGS max_threads = 1`,
    request,
  );
