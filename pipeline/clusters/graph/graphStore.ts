import { z } from 'zod';
import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import {
  BLOCKS_PER_EPOCH_MAX,
  factVersion,
  tombstoneVersion,
} from '../../../shared/chain/version.ts';
import { addressSchema, countSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  insertTombstones,
  type TombstoneTable,
} from '../../../shared/platform/insertTombstones.ts';
import { createRowWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { type BlockGraph, GRAPH_KINDS, type GraphFact } from '../facts/graphFact.ts';

/** How far the detector has come on its chain. */
export interface GraphProgress {
  readonly epoch: number;
  readonly block: BlockRef & { readonly timestampS: number };
}

/** The table `graph_facts`, and how far it reaches in `chain_progress`: what the rings are rebuilt from. */
export interface GraphStore {
  /** Writes the facts of blocks; repeating it changes nothing. */
  insert(blocks: readonly BlockGraph[], epoch: number): Promise<void>;
  /** Writes tombstones of the facts of orphaned blocks; where they were the latest movement of a pair of addresses, the one before is restored. */
  insertTombstones(reorg: ReorgEvent): Promise<void>;
  /** Canonical facts of the blocks up to a height, in order of height, in pages. */
  blocksUpTo(height: number): AsyncIterable<readonly BlockGraph[]>;
  /** The facts that a reorg orphaned. */
  tombstonesOf(reorg: ReorgEvent): Promise<BlockGraph[]>;
  saveProgress(progress: GraphProgress, version: number): Promise<void>;
  progress(): Promise<GraphProgress | undefined>;
}

const COLUMNS = [
  'chain_id',
  'block_number',
  'block_hash',
  'kind',
  'place',
  'from_address',
  'to_address',
  'token',
  'value',
  'timestamp',
  'tx_hash',
  'code_hash',
] as const;
const TABLE: TombstoneTable = {
  name: 'graph_facts',
  columns: COLUMNS,
  blockNumber: 'block_number',
  blockHash: 'block_hash',
};
/** Rows of one page of a rebuild. */
const PAGE_ROWS = 100_000;

/** Heights at which pages end: whole blocks, about `PAGE_ROWS` rows each. */
const pagesSql = `SELECT max(height) AS last FROM (
    SELECT block_number AS height, intDiv(sum(count()) OVER (ORDER BY block_number), ${PAGE_ROWS}) AS page
    FROM graph_facts WHERE chain_id = {chainId:UInt64} AND block_number <= {height:UInt64}
    GROUP BY block_number)
  GROUP BY page ORDER BY page`;

const FACT_COLUMNS = `f.block_number AS number, ${hexText('f.block_hash')} AS hash, toString(f.kind) AS kind_name,
    f.place AS place, ${hexText('f.from_address')} AS from_hex, ${hexText('f.to_address')} AS to_hex,
    ${hexText('f.token')} AS token_hex, f.value AS value, toUnixTimestamp(f.timestamp) AS timestamp_s,
    ${hexText('f.tx_hash')} AS tx_hex, ${hexText('f.code_hash')} AS code_hex`;
const pageSql = `SELECT ${FACT_COLUMNS} FROM graph_facts AS f FINAL
  WHERE f.chain_id = {chainId:UInt64} AND f.block_number BETWEEN {first:UInt64} AND {last:UInt64}
  ORDER BY f.block_number, f.block_hash, f.kind, f.place, f.from_address, f.to_address`;
/** Tombstones carry the reorg's version: they name what it orphaned. */
const tombstonesSql = `SELECT ${FACT_COLUMNS} FROM graph_facts AS f
  WHERE f.chain_id = {chainId:UInt64} AND f.block_number > {ancestor:UInt64} AND f.version = {version:UInt64}`;
const factRow = z.object({
  number: countSchema,
  hash: hashSchema,
  kind_name: z.enum(GRAPH_KINDS),
  place: countSchema,
  from_hex: addressSchema,
  to_hex: addressSchema,
  token_hex: addressSchema,
  value: z.number(),
  timestamp_s: countSchema,
  tx_hex: hashSchema,
  code_hex: hashSchema,
});

/**
 * A tombstone takes the edge of its two addresses from `graph_neighbours`, which holds the latest movement of a kind
 * alone: where an earlier one stays, it is written again, after the tombstone and before whatever comes in the epoch.
 * The weight is that of the view `neighbours_by_facts`.
 */
const restoreSql = `INSERT INTO graph_neighbours (chain_id, node, source, direction, kind, other, node_is_token,
    other_is_token, weight, last_at, tx_hash, version)
  SELECT {chainId:UInt64}, m.address, 'fact', m.direction, toString(m.kind), m.other,
    m.is_of_token AND m.direction = 'in', m.is_of_token AND m.direction = 'out',
    if(m.amount > 0, least(1, log1p(m.amount * 1000) / log1p(1000000)), 0.25), m.at, m.tx, {version:UInt64} * ${BLOCKS_PER_EPOCH_MAX} + ${BLOCKS_PER_EPOCH_MAX - 1}
  FROM (SELECT address, direction, kind, other, kind IN ('bought', 'sold', 'lpAdded', 'lpRemoved') AS is_of_token,
      argMax(value, (block_number, place)) AS amount, max(timestamp) AS at, argMax(tx_hash, (block_number, place)) AS tx
    FROM graph_facts_by_address FINAL
    WHERE chain_id = {chainId:UInt64} AND (address, direction, kind, other) IN (
      SELECT tupleElement(ends, 1), CAST(tupleElement(ends, 2), 'Enum8(\\'out\\' = 0, \\'in\\' = 1)'), kind, tupleElement(ends, 3)
      FROM graph_facts ARRAY JOIN [(from_address, 0, to_address), (to_address, 1, from_address)] AS ends
      WHERE chain_id = {chainId:UInt64} AND block_number > {ancestor:UInt64} AND version = {version:UInt64}
        AND kind != 'created' AND from_address != to_address)
    GROUP BY address, direction, kind, other) AS m`;

/** Number of the reader `clusters` in `chain_progress`. */
const CLUSTERS_READER = 3;
const PROGRESS_COLUMNS = [
  'chain_id',
  'reader',
  'epoch',
  'block_number',
  'block_hash',
  'timestamp',
  'version',
];
const progressSql = `SELECT p.epoch AS epoch, p.block_number AS number, ${hexText('p.block_hash')} AS hash,
    toUnixTimestamp(p.timestamp) AS timestamp_s
  FROM chain_progress AS p FINAL WHERE p.chain_id = {chainId:UInt64} AND p.reader = 'clusters'`;
const progressRow = z
  .object({
    epoch: countSchema,
    number: countSchema,
    hash: hashSchema,
    timestamp_s: countSchema,
  })
  .transform(
    ({ epoch, number, hash, timestamp_s }): GraphProgress => ({
      epoch,
      block: { number, hash, timestampS: timestamp_s },
    }),
  );

const groupByBlock = (rows: readonly z.output<typeof factRow>[]): BlockGraph[] => {
  const blocks = new Map<Hex, BlockGraph & { readonly facts: GraphFact[] }>();
  for (const row of rows) {
    const block = blocks.get(row.hash) ?? {
      number: row.number,
      hash: row.hash,
      timestampS: row.timestamp_s,
      facts: [],
    };
    blocks.set(row.hash, block);
    block.facts.push({
      kind: row.kind_name,
      from: row.from_hex,
      to: row.to_hex,
      token: row.token_hex,
      value: row.value,
      place: row.place,
      txHash: row.tx_hex,
      codeHash: row.code_hex,
    });
  }
  return [...blocks.values()];
};

const encode = (chainId: number, blocks: readonly BlockGraph[], version: number): Uint8Array => {
  const row = createRowWriter();
  for (const { number, hash, timestampS, facts } of blocks) {
    for (const fact of facts) {
      row.uint64(chainId);
      row.uint64(number);
      row.fixed(hash);
      row.uint8(GRAPH_KINDS.indexOf(fact.kind) + 1);
      row.uint32(fact.place);
      row.fixed(fact.from);
      row.fixed(fact.to);
      row.fixed(fact.token);
      row.float64(fact.value);
      row.uint32(timestampS);
      row.fixed(fact.txHash);
      row.fixed(fact.codeHash);
      row.uint64(version);
      row.uint8(0);
    }
  }
  return row.finish();
};

/** The graph facts of one chain in ClickHouse. */
export const createGraphStore = (clickhouse: Clickhouse, chainId: number): GraphStore => ({
  insert: async (blocks, epoch) => {
    if (!blocks.some(({ facts }) => facts.length > 0)) return;
    const rows = encode(chainId, blocks, factVersion(epoch));
    await clickhouse.insertBinary(TABLE.name, [...COLUMNS, 'version', 'is_deleted'], rows);
  },
  insertTombstones: async (reorg) => {
    await insertTombstones(clickhouse, TABLE, reorg);
    const { ancestor, epoch } = reorg;
    const params = { chainId, ancestor: ancestor.number, version: tombstoneVersion(epoch) };
    await clickhouse.exec(restoreSql, params);
  },
  blocksUpTo: async function* (height) {
    const lastOf = z.object({ last: countSchema });
    let first = 0;
    for (const { last } of await clickhouse.query(pagesSql, { chainId, height }, lastOf)) {
      yield groupByBlock(await clickhouse.query(pageSql, { chainId, first, last }, factRow));
      first = last + 1;
    }
  },
  tombstonesOf: async ({ epoch, ancestor }) => {
    const params = { chainId, ancestor: ancestor.number, version: tombstoneVersion(epoch) };
    return groupByBlock(await clickhouse.query(tombstonesSql, params, factRow));
  },
  saveProgress: ({ epoch, block }, version) => {
    const row = createRowWriter();
    row.uint64(chainId);
    row.uint8(CLUSTERS_READER);
    row.uint64(epoch);
    row.uint64(block.number);
    row.fixed(block.hash);
    row.uint32(block.timestampS);
    row.uint64(version);
    return clickhouse.insertBinary('chain_progress', PROGRESS_COLUMNS, row.finish());
  },
  progress: async () => (await clickhouse.query(progressSql, { chainId }, progressRow))[0],
});
