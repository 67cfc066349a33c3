import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../chain/block.ts';
import type { ReorgEvent } from '../chain/chainEvent.ts';
import type { Clickhouse } from './clickhouse.ts';
import { tombstoneParams } from './insertTombstones.ts';
import { createTableWriter } from './rowWriter.ts';

/**
 * The table `graph_neighbours`: the neighbours of an address. Its tombstones are written before those of the table
 * that implies the edges: after a crash in between, that table still lacks its own, so both are written again. Tokens
 * and pools are found only once, so their edges are written first too. Movements are written again in any case, so
 * their edges follow the facts.
 */

/** The kind of a row, as numbered in the column `source`. */
const SOURCES = { edge: 1, token: 2, movement: 3, pool: 4, hub: 5 } as const;

/** One edge between two addresses, stored under both. Unknown fields are absent. */
export interface StoredEdge {
  readonly source: Exclude<keyof typeof SOURCES, 'hub'>;
  readonly kind: string;
  readonly from: Hex;
  readonly to: Hex;
  readonly toIsToken: boolean;
  /** For movements: each is an edge of its own. */
  readonly block?: { readonly number: number; readonly hash: Hex; readonly place: number };
  /** Whole native units, for movements. */
  readonly value?: number;
  /** 0 to 1, for all but movements. */
  readonly weight?: number;
  readonly valueUsd?: number;
  readonly count?: number;
  /** Unix seconds. */
  readonly firstS?: number;
  readonly lastS?: number;
  readonly txHash?: Hex;
  readonly isDeleted?: boolean;
}

/** An address that searches never walk through, or that is no longer one. */
interface StoredHub {
  readonly node: Hex;
  readonly isDeleted: boolean;
}

interface NeighbourRow extends Partial<StoredEdge> {
  readonly chainId: number;
  readonly version: number;
  readonly sourceNumber: number;
  readonly node: Hex;
  readonly other: Hex;
  readonly isSource: boolean;
}

const write = createTableWriter<NeighbourRow>('graph_neighbours', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  node: (row, { node }) => row.fixed(node),
  source: (row, { sourceNumber }) => row.uint8(sourceNumber),
  direction: (row, { isSource }) => row.uint8(isSource ? 0 : 1),
  kind: (row, { kind = 'hub' }) => row.string(kind),
  other: (row, { other }) => row.fixed(other),
  block_number: (row, { block }) => row.uint64(block?.number ?? 0),
  block_hash: (row, { block }) => row.fixed(block?.hash ?? ZERO_HASH),
  place: (row, { block }) => row.uint32(block?.place ?? 0),
  node_is_token: (row, { isSource, toIsToken }) => row.uint8(!isSource && toIsToken ? 1 : 0),
  other_is_token: (row, { isSource, toIsToken }) => row.uint8(isSource && toIsToken ? 1 : 0),
  value: (row, { value = 0 }) => row.float64(value),
  weight: (row, { weight = 0 }) => row.float64(weight),
  value_usd: (row, { valueUsd = 0 }) => row.float64(valueUsd),
  tx_count: (row, { count = 0 }) => row.uint32(count),
  first_at: (row, { firstS = 0 }) => row.uint32(firstS),
  last_at: (row, { lastS = 0 }) => row.uint32(lastS),
  tx_hash: (row, { txHash = ZERO_HASH }) => row.fixed(txHash),
  version: (row, { version }) => row.uint64(version),
  is_deleted: (row, { isDeleted }) => row.uint8(isDeleted ? 1 : 0),
});

/** Stores edges under both of their ends, and hubs. Of equal keys and versions, the later row wins. */
export const insertNeighbours = (
  clickhouse: Pick<Clickhouse, 'insertBinary'>,
  {
    chainId,
    version,
    edges,
    hubs = [],
  }: {
    readonly chainId: number;
    readonly version: number;
    readonly edges: readonly StoredEdge[];
    readonly hubs?: readonly StoredHub[];
  },
): Promise<void> => {
  const of = { chainId, version };
  return write(clickhouse, [
    ...edges.flatMap((edge): NeighbourRow[] => {
      const sourceNumber = SOURCES[edge.source];
      return [
        { ...edge, ...of, sourceNumber, node: edge.from, other: edge.to, isSource: true },
        { ...edge, ...of, sourceNumber, node: edge.to, other: edge.from, isSource: false },
      ];
    }),
    ...hubs.map(
      (hub): NeighbourRow => ({
        ...of,
        sourceNumber: SOURCES.hub,
        other: ZERO_ADDRESS,
        isSource: true,
        ...hub,
      }),
    ),
  ]);
};

/** A table whose rows come from blocks and imply edges: its columns, or expressions of them. */
export interface EdgeTable {
  readonly name: string;
  readonly source: 'token' | 'movement' | 'pool';
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  /** For movements: position in the block. */
  readonly place?: string;
}

/**
 * Deletes the edges implied by live rows of orphaned blocks; must run before those rows are deleted. Idempotent.
 */
export const insertNeighbourTombstones = (
  clickhouse: Pick<Clickhouse, 'exec'>,
  table: EdgeTable,
  reorg: ReorgEvent,
): Promise<void> => {
  const { place, blockNumber, blockHash } = table;
  const key = place ? [blockNumber, blockHash, place] : ['0', "toFixedString('', 32)", '0'];
  return clickhouse.exec(
    `INSERT INTO graph_neighbours (chain_id, node, source, direction, kind, other, block_number, block_hash, place,
        version, is_deleted)
      SELECT {chainId:UInt64}, tupleElement(ends, 1), '${table.source}', CAST(tupleElement(ends, 2), 'Enum8(\\'out\\' = 0, \\'in\\' = 1)'),
        ${table.kind}, tupleElement(ends, 3), ${key.join(', ')}, {version:UInt64}, 1
      FROM ${table.name} FINAL
      ARRAY JOIN [(${table.from}, 0, ${table.to}), (${table.to}, 1, ${table.from})] AS ends
      WHERE chain_id = {chainId:UInt64} AND ${table.blockNumber} > {ancestor:UInt64}
        AND lower(hex(${table.blockHash})) IN {orphaned:Array(String)}`,
    tombstoneParams(reorg),
  );
};

/**
 * Tokens that some wallets created, or were once thought to have created, as a query with one column, `other`. The
 * current creator of a token is in `dim_tokens`. A `LIMIT n BY node` may follow.
 * @param creators right side of `IN`: see `inAddresses`.
 */
export const tokensOfCreators = (creators: string): string =>
  `SELECT other FROM graph_neighbours WHERE chain_id = {chainId:UInt64} AND node IN ${creators}
     AND source = 'token' AND direction = 'out'`;
