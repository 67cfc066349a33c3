import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/addressSet.ts';
import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { createRowWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { EVIDENCE_RULES } from '../graph/ring.ts';
import type { RingWrite, StoredRing } from './ringChange.ts';

/** The tables `clusters`, `cluster_members` and `cluster_evidence`, written by this role alone. */
export interface RingStore {
  /** Rings as they were stored last, merged ones included. */
  read(ids: readonly string[]): Promise<Map<string, StoredRing>>;
  /** All rings that were not merged or dissolved: their ids and wallets. */
  living(): Promise<{ id: string; wallets: Hex[] }[]>;
  /** The living ring, but `id`, to which most of the wallets belong by their rows; null without any. */
  formerRing(wallets: readonly Hex[], id: string): Promise<string | null>;
  /**
   * Makes the stored rings equal to what is; repeating it changes nothing. `publish` runs when all but the
   * members is written: after a crash before the members are, the next attempt publishes again.
   */
  write(writes: readonly RingWrite[], version: number, publish: () => Promise<void>): Promise<void>;
  /** The highest version any row carries. */
  lastVersion(): Promise<number>;
}

const OF_RINGS = 'WHERE chain_id = {chainId:UInt64} AND cluster_id IN {ids:Array(String)}';

const ringsSql = `SELECT cluster_id AS id, name, risk_score, tokens_created, scams, stolen_usd, victims,
    merged_into, toUnixTimestamp(first_seen) AS first_s, toUnixTimestamp(last_activity) AS last_s
  FROM clusters FINAL ${OF_RINGS}`;
const ringSchema = z.object({
  id: z.string(),
  name: z.string(),
  risk_score: z.number(),
  tokens_created: countSchema,
  scams: countSchema,
  stolen_usd: z.number(),
  victims: countSchema,
  merged_into: z.string(),
  first_s: countSchema,
  last_s: countSchema,
});

const membersSql = `SELECT cluster_id AS id, ${hexText('wallet')} AS wallet_hex, toString(role) AS role_name,
    risk_score, toUnixTimestamp(joined_at) AS joined_s
  FROM cluster_members FINAL ${OF_RINGS}`;
const memberSchema = z.object({
  id: z.string(),
  wallet_hex: addressSchema,
  role_name: z.enum(['master', 'puppet']),
  risk_score: z.number(),
  joined_s: countSchema,
});

const evidenceSql = `SELECT cluster_id AS id, rule, ${hexText('wallet_a')} AS a_hex, ${hexText('wallet_b')} AS b_hex,
    confidence, ${hexText('tx_hash')} AS tx_hex, block_number
  FROM cluster_evidence FINAL ${OF_RINGS}`;
const evidenceSchema = z.object({
  id: z.string(),
  rule: z.enum(EVIDENCE_RULES),
  a_hex: addressSchema,
  b_hex: addressSchema,
  confidence: z.number(),
  tx_hex: hashSchema,
  block_number: countSchema,
});

const formerSql = `SELECT w.cluster_id AS id FROM (
    SELECT cluster_id, wallet FROM dim_wallets FINAL
    WHERE chain_id = {chainId:UInt64} AND wallet IN ${inAddresses('wallets')}
      AND cluster_id NOT IN ('', {id:String})) AS w
  GROUP BY w.cluster_id ORDER BY count() DESC, w.cluster_id LIMIT 1`;

const livingSql = `SELECT m.cluster_id AS id, groupArray(${hexText('m.wallet')}) AS wallets
  FROM cluster_members AS m FINAL WHERE m.chain_id = {chainId:UInt64} GROUP BY m.cluster_id`;
const livingSchema = z.object({ id: z.string(), wallets: z.array(addressSchema) });

const versionSql = `SELECT max(v) AS last FROM (
    SELECT max(version) AS v FROM clusters WHERE chain_id = {chainId:UInt64}
    UNION ALL SELECT max(version) FROM dim_wallets WHERE chain_id = {chainId:UInt64}
    UNION ALL SELECT max(version) FROM chain_progress
      WHERE chain_id = {chainId:UInt64} AND reader = 'clusters')`;

const groupBy = <T extends { id: string }>(rows: readonly T[]): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.id);
    if (group) group.push(row);
    else groups.set(row.id, [row]);
  }
  return groups;
};

const readRings = async (
  clickhouse: Clickhouse,
  chainId: number,
  ids: readonly string[],
): Promise<Map<string, StoredRing>> => {
  if (ids.length === 0) return new Map();
  const params = { chainId, ids: [...ids] };
  const [rings, members, evidence] = await Promise.all([
    clickhouse.query(ringsSql, params, ringSchema),
    clickhouse.query(membersSql, params, memberSchema).then(groupBy),
    clickhouse.query(evidenceSql, params, evidenceSchema).then(groupBy),
  ]);
  const storedRing = (id: string, row: z.output<typeof ringSchema> | undefined): StoredRing => ({
    id,
    name: row?.name ?? '',
    riskScore: row?.risk_score ?? 0,
    tokensCreated: row?.tokens_created ?? 0,
    scams: row?.scams ?? 0,
    stolenUsd: row?.stolen_usd ?? 0,
    victims: row?.victims ?? 0,
    firstSeenS: row?.first_s ?? 0,
    lastActivityS: row?.last_s ?? 0,
    mergedInto: row?.merged_into ?? '',
    members: (members.get(id) ?? []).map((member) => ({
      wallet: member.wallet_hex,
      role: member.role_name,
      riskScore: member.risk_score,
      joinedAtS: member.joined_s,
    })),
    evidence: (evidence.get(id) ?? []).map((link) => ({
      rule: link.rule,
      from: link.a_hex,
      to: link.b_hex,
      confidence: link.confidence,
      tx: link.tx_hex === ZERO_HASH ? null : link.tx_hex,
      block: link.block_number,
    })),
  });
  const rows = new Map(rings.map((row) => [row.id, row]));
  // A ring's own row goes before its members do: members without it are of a ring that just ended.
  const known = [...new Set([...rows.keys(), ...members.keys()])];
  return new Map(known.map((id) => [id, storedRing(id, rows.get(id))]));
};

const encodeMembers = (chainId: number, writes: readonly RingWrite[], version: number) => {
  const row = createRowWriter();
  for (const { id, members } of writes) {
    for (const member of members) {
      row.uint64(chainId);
      row.string(id);
      row.fixed(member.wallet);
      row.uint8(member.role === 'master' ? 1 : 0);
      row.float64(member.riskScore);
      row.uint32(member.joinedAtS);
      row.uint64(version);
      row.uint8(member.isDeleted ? 1 : 0);
    }
  }
  return row.finish();
};

const encodeEvidence = (chainId: number, writes: readonly RingWrite[], version: number) => {
  const row = createRowWriter();
  for (const { id, evidence } of writes) {
    for (const link of evidence) {
      row.uint64(chainId);
      row.string(id);
      row.string(link.rule);
      row.fixed(link.from);
      row.fixed(link.to);
      row.float64(link.confidence);
      row.fixed(link.tx ?? ZERO_HASH);
      row.uint64(link.block);
      row.uint64(version);
      row.uint8(link.isDeleted ? 1 : 0);
    }
  }
  return row.finish();
};

const RING_COLUMNS = [
  'chain_id',
  'cluster_id',
  'name',
  'size',
  'risk_score',
  'tokens_created',
  'scams',
  'stolen_usd',
  'victims',
  'merged_into',
  'first_seen',
  'last_activity',
  'updated_at',
];
const MEMBER_COLUMNS = ['chain_id', 'cluster_id', 'wallet', 'role', 'risk_score', 'joined_at'];
const EVIDENCE_COLUMNS = [
  'chain_id',
  'cluster_id',
  'rule',
  'wallet_a',
  'wallet_b',
  'confidence',
  'tx_hash',
  'block_number',
];

const encodeRings = (
  chainId: number,
  writes: readonly RingWrite[],
  version: number,
  nowMs: number,
): Uint8Array => {
  const writer = createRowWriter();
  for (const { row } of writes) {
    if (!row) continue;
    writer.uint64(chainId);
    writer.string(row.id);
    writer.string(row.name);
    writer.uint32(row.members.length);
    writer.float64(row.riskScore);
    writer.uint32(row.tokensCreated);
    writer.uint32(row.scams);
    writer.float64(row.stolenUsd);
    writer.uint32(row.victims);
    writer.string(row.mergedInto);
    writer.uint32(row.firstSeenS);
    writer.uint32(row.lastActivityS);
    writer.uint64(nowMs);
    writer.uint64(version);
    writer.uint8(row.isDeleted ? 1 : 0);
  }
  return writer.finish();
};

/** The rings of one chain in ClickHouse. `now`: Unix milliseconds, for `updated_at` alone. */
export const createRingStore = (
  clickhouse: Clickhouse,
  chainId: number,
  now: () => number,
): RingStore => ({
  read: (ids) => readRings(clickhouse, chainId, ids),
  living: () => clickhouse.query(livingSql, { chainId }, livingSchema),
  formerRing: async (wallets, id) => {
    if (wallets.length === 0) return null;
    const params = { chainId, wallets: wallets.map(addressParam), id };
    const rows = await clickhouse.query(formerSql, params, z.object({ id: z.string() }));
    return rows[0]?.id ?? null;
  },
  write: async (writes, version, publish) => {
    const insert = async (table: string, columns: readonly string[], rows: Uint8Array) => {
      if (rows.length === 0) return;
      await clickhouse.insertBinary(table, [...columns, 'version', 'is_deleted'], rows);
    };
    await Promise.all([
      insert('clusters', RING_COLUMNS, encodeRings(chainId, writes, version, now())),
      insert('cluster_evidence', EVIDENCE_COLUMNS, encodeEvidence(chainId, writes, version)),
    ]);
    await publish();
    await insert('cluster_members', MEMBER_COLUMNS, encodeMembers(chainId, writes, version));
  },
  lastVersion: async () => {
    const rows = await clickhouse.query(versionSql, { chainId }, z.object({ last: countSchema }));
    return rows[0]?.last ?? 0;
  },
});
