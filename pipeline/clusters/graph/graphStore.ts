import { z } from 'zod';
import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { factVersion, tombstoneVersion } from '../../../shared/chain/version.ts';
import { addressSchema, countSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  type EdgeTable,
  insertNeighbours,
  insertNeighbourTombstones,
  type StoredEdge,
} from '../../../shared/platform/graphNeighbours.ts';
import {
  insertTombstones,
  type TombstoneTable,
} from '../../../shared/platform/insertTombstones.ts';
import { type ColumnWriters, createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { type BlockGraph, GRAPH_KINDS, type GraphFact, TO_TOKEN } from '../facts/graphFact.ts';

/** The detector's position on its chain. */
export interface GraphProgress {
  readonly epoch: number;
  readonly block: BlockRef & { readonly timestampS: number };
}

interface GraphRow extends GraphFact {
  readonly chainId: number;
  readonly block: BlockGraph;
  readonly version: number;
}

const COLUMNS: ColumnWriters<GraphRow> = {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  block_number: (row, { block }) => row.uint64(block.number),
  block_hash: (row, { block }) => row.fixed(block.hash),
  kind: (row, { kind }) => row.uint8(GRAPH_KINDS.indexOf(kind) + 1),
  place: (row, { place }) => row.uint32(place),
  from_address: (row, { from }) => row.fixed(from),
  to_address: (row, { to }) => row.fixed(to),
  token: (row, { token }) => row.fixed(token),
  value: (row, { value }) => row.float64(value),
  timestamp: (row, { block }) => row.uint32(block.timestampS),
  tx_hash: (row, { txHash }) => row.fixed(txHash),
  code_hash: (row, { codeHash }) => row.fixed(codeHash),
};
const TABLE: TombstoneTable = {
  name: 'graph_facts',
  columns: Object.keys(COLUMNS),
  blockNumber: 'block_number',
  blockHash: 'block_hash',
};
const writeFacts = createTableWriter<GraphRow>(TABLE.name, {
  ...COLUMNS,
  version: (row, { version }) => row.uint64(version),
});
const MOVEMENTS: EdgeTable = {
  ...TABLE,
  source: 'movement',
  kind: 'toString(kind)',
  from: 'from_address',
  to: 'to_address',
  place: 'place',
};
/** Rows per page of a rebuild. */
const PAGE_ROWS = 100_000;

/** Heights at which pages end: whole blocks, about `PAGE_ROWS` rows each. */
const pagesSql = `SELECT max(height) AS last FROM (
    SELECT block_number AS height, intDiv(sum(count()) OVER (ORDER BY block_number), ${PAGE_ROWS}) AS page
    FROM graph_facts WHERE chain_id = {chainId:UInt64} AND block_number <= {height:UInt64}
    GROUP BY block_number)
  GROUP BY page ORDER BY page`;

const FACT_COLUMNS = `f.block_number AS number, ${hexText('f.block_hash')} AS hash, toUnixTimestamp(f.timestamp) AS timestampS,
    toString(f.kind) AS kind, ${hexText('f.from_address')} AS from, ${hexText('f.to_address')} AS to, ${hexText('f.token')} AS token,
    f.value AS value, f.place AS place, ${hexText('f.tx_hash')} AS txHash, ${hexText('f.code_hash')} AS codeHash`;
const pageSql = `SELECT ${FACT_COLUMNS} FROM graph_facts AS f FINAL
  WHERE f.chain_id = {chainId:UInt64} AND f.block_number BETWEEN {first:UInt64} AND {last:UInt64}
  ORDER BY f.block_number, f.block_hash, f.kind, f.place, f.from_address, f.to_address`;
/** Tombstones have the reorg's version, so they show what it orphaned. */
const tombstonesSql = `SELECT ${FACT_COLUMNS} FROM graph_facts AS f
  WHERE f.chain_id = {chainId:UInt64} AND f.block_number > {ancestor:UInt64} AND f.version = {version:UInt64}`;
const factRow = z.object({
  number: countSchema,
  hash: hashSchema,
  timestampS: countSchema,
  kind: z.enum(GRAPH_KINDS),
  from: addressSchema,
  to: addressSchema,
  token: addressSchema,
  value: z.number(),
  place: countSchema,
  txHash: hashSchema,
  codeHash: hashSchema,
});

/** Number of the reader `clusters` in `chain_progress`. */
const CLUSTERS_READER = 3;
const writeProgress = createTableWriter<
  GraphProgress & { readonly chainId: number; readonly version: number }
>('chain_progress', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  reader: (row) => row.uint8(CLUSTERS_READER),
  epoch: (row, { epoch }) => row.uint64(epoch),
  block_number: (row, { block }) => row.uint64(block.number),
  block_hash: (row, { block }) => row.fixed(block.hash),
  timestamp: (row, { block }) => row.uint32(block.timestampS),
  version: (row, { version }) => row.uint64(version),
});
const progressSql = `SELECT p.epoch AS epoch, p.block_number AS number, ${hexText('p.block_hash')} AS hash,
    toUnixTimestamp(p.timestamp) AS timestampS
  FROM chain_progress AS p FINAL WHERE p.chain_id = {chainId:UInt64} AND p.reader = 'clusters'`;
const progressRow = z
  .object({
    epoch: countSchema,
    number: countSchema,
    hash: hashSchema,
    timestampS: countSchema,
  })
  .transform(({ epoch, ...block }): GraphProgress => ({ epoch, block }));

const groupByBlock = (rows: readonly z.output<typeof factRow>[]): BlockGraph[] => {
  const blocks = new Map<Hex, BlockGraph & { readonly facts: GraphFact[] }>();
  for (const { number, hash, timestampS, ...fact } of rows) {
    const block = blocks.get(hash) ?? { number, hash, timestampS, facts: [] };
    blocks.set(hash, block);
    block.facts.push(fact);
  }
  return [...blocks.values()];
};

const movementOf = ({ block, ...fact }: GraphRow): StoredEdge => ({
  source: 'movement',
  kind: fact.kind,
  from: fact.from,
  to: fact.to,
  toIsToken: TO_TOKEN.has(fact.kind),
  block: { number: block.number, hash: block.hash, place: fact.place },
  value: fact.value,
  count: 1,
  firstS: block.timestampS,
  lastS: block.timestampS,
  txHash: fact.txHash,
});

const rowsOf = (chainId: number, blocks: readonly BlockGraph[], epoch: number): GraphRow[] => {
  const version = factVersion(epoch);
  return blocks.flatMap((block) =>
    block.facts.map((fact) => ({ ...fact, chainId, block, version })),
  );
};

const writeEdges = (
  clickhouse: Clickhouse,
  { chainId, epoch, rows }: { chainId: number; epoch: number; rows: readonly GraphRow[] },
): Promise<void> =>
  insertNeighbours(clickhouse, {
    chainId,
    version: factVersion(epoch),
    edges: rows.map(movementOf),
  });

/** The graph facts of one chain in ClickHouse. */
export const createGraphStore = (clickhouse: Clickhouse, chainId: number) => ({
  /**
   * Writes the facts of blocks, then their edges; idempotent. In this order, because a reorg deletes the edges of
   * existing facts. After a crash in between, the reorg may be handled before the blocks are delivered again, and
   * facts of the removed tokens are then no longer found in them.
   */
  insert: async (blocks: readonly BlockGraph[], epoch: number): Promise<void> => {
    const rows = rowsOf(chainId, blocks, epoch);
    await writeFacts(clickhouse, rows);
    await writeEdges(clickhouse, { chainId, epoch, rows });
  },
  /** Writes only the edges: before facts that are not written again once they exist. */
  insertEdges: (blocks: readonly BlockGraph[], epoch: number): Promise<void> => {
    const rows = rowsOf(chainId, blocks, epoch);
    return writeEdges(clickhouse, { chainId, epoch, rows });
  },
  /** Writes tombstones of the facts of orphaned blocks. */
  insertTombstones: async (reorg: ReorgEvent): Promise<void> => {
    await insertNeighbourTombstones(clickhouse, MOVEMENTS, reorg);
    await insertTombstones(clickhouse, TABLE, reorg);
  },
  /** Canonical facts of the blocks up to a height, in order of height, in pages. */
  blocksUpTo: async function* (height: number): AsyncIterable<readonly BlockGraph[]> {
    const lastOf = z.object({ last: countSchema });
    let first = 0;
    for (const { last } of await clickhouse.query(pagesSql, { chainId, height }, lastOf)) {
      yield groupByBlock(await clickhouse.query(pageSql, { chainId, first, last }, factRow));
      first = last + 1;
    }
  },
  /** The facts that a reorg orphaned. */
  tombstonesOf: async ({ epoch, ancestor }: ReorgEvent): Promise<BlockGraph[]> => {
    const params = { chainId, ancestor: ancestor.number, version: tombstoneVersion(epoch) };
    return groupByBlock(await clickhouse.query(tombstonesSql, params, factRow));
  },
  saveProgress: (progress: GraphProgress, version: number): Promise<void> =>
    writeProgress(clickhouse, [{ ...progress, chainId, version }]),
  progress: async (): Promise<GraphProgress | undefined> =>
    (await clickhouse.query(progressSql, { chainId }, progressRow))[0],
});
/**
 * The table `graph_facts` and its movements in `graph_neighbours`, and its position in `chain_progress`: the rings
 * are rebuilt from these.
 */
export type GraphStore = ReturnType<typeof createGraphStore>;
