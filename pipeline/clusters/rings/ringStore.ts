import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { EVIDENCE_RULES } from '../graph/ring.ts';
import type { StoredRing, WrittenRing } from './ringChange.ts';

const ringsSql = `SELECT r.cluster_id AS id, r.name AS name, r.risk_score AS riskScore, r.tokens_created AS tokensCreated,
    r.scams AS scams, r.stolen_usd AS stolenUsd, r.victims AS victims, r.merged_into AS mergedInto,
    arrayMap(m -> (${hexText('m.wallet')}, toString(m.role), m.risk_score, toUnixTimestamp(m.joined_at)), r.members) AS members,
    arrayMap(e -> (e.rule, ${hexText('e.wallet_a')}, ${hexText('e.wallet_b')}, e.confidence, ${hexText('e.tx_hash')},
      e.block_number), r.evidence) AS evidence,
    toUnixTimestamp(r.first_seen) AS firstSeenS, toUnixTimestamp(r.last_activity) AS lastActivityS
  FROM clusters AS r FINAL WHERE r.chain_id = {chainId:UInt64} AND r.cluster_id IN {ids:Array(String)}`;
const ringSchema = z.object({
  id: z.string(),
  name: z.string(),
  riskScore: z.number(),
  tokensCreated: countSchema,
  scams: countSchema,
  stolenUsd: z.number(),
  victims: countSchema,
  firstSeenS: countSchema,
  lastActivityS: countSchema,
  members: z.array(
    z
      .tuple([addressSchema, z.enum(['master', 'puppet']), z.number(), countSchema])
      .transform(([wallet, role, riskScore, joinedAtS]) => ({
        wallet,
        role,
        riskScore,
        joinedAtS,
      })),
  ),
  evidence: z.array(
    z
      .tuple([
        z.enum(EVIDENCE_RULES),
        addressSchema,
        addressSchema,
        z.number(),
        hashSchema,
        countSchema,
      ])
      .transform(([rule, from, to, confidence, tx, block]) => {
        return { rule, from, to, confidence, tx: tx === ZERO_HASH ? null : tx, block };
      }),
  ),
  mergedInto: z.string(),
});

const formerSql = `SELECT w.cluster_id AS id FROM (
    SELECT cluster_id, wallet FROM dim_wallets FINAL
    WHERE chain_id = {chainId:UInt64} AND wallet IN ${inAddresses('wallets')}
      AND cluster_id NOT IN ('', {id:String})) AS w
  GROUP BY w.cluster_id ORDER BY count() DESC, w.cluster_id LIMIT 1`;

const livingSql = `SELECT r.cluster_id AS id, arrayMap(wallet -> ${hexText('wallet')}, r.members.wallet) AS wallets
  FROM clusters AS r FINAL WHERE r.chain_id = {chainId:UInt64} AND r.merged_into = '' ORDER BY r.cluster_id`;
const livingSchema = z.object({ id: z.string(), wallets: z.array(addressSchema) });

const versionSql = `SELECT max(v) AS last FROM (
    SELECT max(version) AS v FROM clusters WHERE chain_id = {chainId:UInt64}
    UNION ALL SELECT max(version) FROM dim_wallets WHERE chain_id = {chainId:UInt64}
    UNION ALL SELECT max(version) FROM chain_progress
      WHERE chain_id = {chainId:UInt64} AND reader = 'clusters')`;

/** Time and version of a written row. */
interface Written {
  readonly chainId: number;
  readonly version: number;
  readonly nowMs: number;
}

const writeRings = createTableWriter<WrittenRing & Written>('clusters', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  cluster_id: (row, { id }) => row.string(id),
  name: (row, { name }) => row.string(name),
  size: (row, { members }) => row.uint32(members.length),
  risk_score: (row, { riskScore }) => row.float64(riskScore),
  tokens_created: (row, { tokensCreated }) => row.uint32(tokensCreated),
  scams: (row, { scams }) => row.uint32(scams),
  stolen_usd: (row, { stolenUsd }) => row.float64(stolenUsd),
  victims: (row, { victims }) => row.uint32(victims),
  members: (row, { members }) => {
    row.length(members.length);
    for (const member of members) {
      row.fixed(member.wallet);
      row.uint8(member.role === 'master' ? 1 : 0);
      row.float64(member.riskScore);
      row.uint32(member.joinedAtS);
    }
  },
  evidence: (row, { evidence }) => {
    row.length(evidence.length);
    for (const link of evidence) {
      row.string(link.rule);
      row.fixed(link.from);
      row.fixed(link.to);
      row.float64(link.confidence);
      row.fixed(link.tx ?? ZERO_HASH);
      row.uint64(link.block);
    }
  },
  merged_into: (row, { mergedInto }) => row.string(mergedInto),
  first_seen: (row, { firstSeenS }) => row.uint32(firstSeenS),
  last_activity: (row, { lastActivityS }) => row.uint32(lastActivityS),
  updated_at: (row, { nowMs }) => row.uint64(nowMs),
  version: (row, { version }) => row.uint64(version),
  is_deleted: (row, { isDeleted }) => row.uint8(isDeleted ? 1 : 0),
});

/** The rings of one chain in ClickHouse. `now`: Unix milliseconds, for `updated_at` only. */
export const createRingStore = (clickhouse: Clickhouse, chainId: number, now: () => number) => ({
  /** Rings as last stored, merged ones included. */
  read: async (ids: readonly string[]): Promise<Map<string, StoredRing>> => {
    if (ids.length === 0) return new Map();
    const rings = await clickhouse.query(ringsSql, { chainId, ids: [...ids] }, ringSchema);
    return new Map(rings.map((ring) => [ring.id, ring]));
  },
  /** All rings that were not merged or dissolved: their ids and wallets. */
  living: (): Promise<{ id: string; wallets: Hex[] }[]> =>
    clickhouse.query(livingSql, { chainId }, livingSchema),
  /**
   * The existing ring other than `id` to which most of the wallets belong according to their rows; null if there is
   * none.
   */
  formerRing: async (wallets: readonly Hex[], id: string): Promise<string | null> => {
    if (wallets.length === 0) return null;
    const params = { chainId, wallets: wallets.map(addressParam), id };
    const rows = await clickhouse.query(formerSql, params, z.object({ id: z.string() }));
    return rows[0]?.id ?? null;
  },
  /** Writes rings; idempotent. */
  write: (rings: readonly WrittenRing[], version: number): Promise<void> => {
    const of: Written = { chainId, version, nowMs: now() };
    return writeRings(
      clickhouse,
      rings.map((ring) => ({ ...ring, ...of })),
    );
  },
  /** The highest version of any row. */
  lastVersion: async (): Promise<number> => {
    const rows = await clickhouse.query(versionSql, { chainId }, z.object({ last: countSchema }));
    return rows[0]?.last ?? 0;
  },
});
/** The table `clusters`, written only by this role. */
export type RingStore = ReturnType<typeof createRingStore>;
