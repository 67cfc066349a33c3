import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { EVIDENCE_RULES } from '../graph/ring.ts';
import type { RingWrite, StoredRing } from './ringChange.ts';
import type { MemberRow } from './ringRow.ts';

/** The tables `clusters` and `cluster_members`, written by this role alone. */
export interface RingStore {
  /** Rings as they were stored last, merged ones included. */
  read(ids: readonly string[]): Promise<Map<string, StoredRing>>;
  /** All rings that were not merged or dissolved: their ids and wallets; none of those whose members a crash left unwritten. */
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

const ringsSql = `SELECT r.cluster_id AS id, r.name AS name, r.risk_score AS riskScore, r.tokens_created AS tokensCreated,
    r.scams AS scams, r.stolen_usd AS stolenUsd, r.victims AS victims, r.merged_into AS mergedInto,
    arrayMap(e -> (e.rule, ${hexText('e.wallet_a')}, ${hexText('e.wallet_b')}, e.confidence, ${hexText('e.tx_hash')},
      e.block_number), r.evidence) AS evidence,
    toUnixTimestamp(r.first_seen) AS firstSeenS, toUnixTimestamp(r.last_activity) AS lastActivityS
  FROM clusters AS r FINAL ${OF_RINGS}`;
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

const membersSql = `SELECT m.cluster_id AS id, ${hexText('m.wallet')} AS wallet, toString(m.role) AS role,
    m.risk_score AS riskScore, toUnixTimestamp(m.joined_at) AS joinedAtS
  FROM cluster_members AS m FINAL ${OF_RINGS}`;
const memberSchema = z.object({
  id: z.string(),
  wallet: addressSchema,
  role: z.enum(['master', 'puppet']),
  riskScore: z.number(),
  joinedAtS: countSchema,
});

const formerSql = `SELECT w.cluster_id AS id FROM (
    SELECT cluster_id, wallet FROM dim_wallets FINAL
    WHERE chain_id = {chainId:UInt64} AND wallet IN ${inAddresses('wallets')}
      AND cluster_id NOT IN ('', {id:String})) AS w
  GROUP BY w.cluster_id ORDER BY count() DESC, w.cluster_id LIMIT 1`;

const livingSql = `SELECT r.id AS id, arrayFilter(wallet -> wallet != '', groupArray(r.wallet_hex)) AS wallets FROM (
    SELECT cluster_id AS id, ${hexText('wallet')} AS wallet_hex FROM cluster_members FINAL WHERE chain_id = {chainId:UInt64}
    UNION ALL SELECT cluster_id, '' FROM clusters FINAL WHERE chain_id = {chainId:UInt64} AND merged_into = '') AS r
  GROUP BY r.id ORDER BY r.id`;
const livingSchema = z.object({ id: z.string(), wallets: z.array(addressSchema) });

const versionSql = `SELECT max(v) AS last FROM (
    SELECT max(version) AS v FROM clusters WHERE chain_id = {chainId:UInt64}
    UNION ALL SELECT max(version) FROM dim_wallets WHERE chain_id = {chainId:UInt64}
    UNION ALL SELECT max(version) FROM chain_progress
      WHERE chain_id = {chainId:UInt64} AND reader = 'clusters')`;

/** What is known of a ring without a row. */
export const NO_RING: Omit<StoredRing, 'id' | 'members'> = {
  name: '',
  riskScore: 0,
  tokensCreated: 0,
  scams: 0,
  stolenUsd: 0,
  victims: 0,
  firstSeenS: 0,
  lastActivityS: 0,
  evidence: [],
  mergedInto: '',
};

const readRings = async (
  clickhouse: Clickhouse,
  chainId: number,
  ids: readonly string[],
): Promise<Map<string, StoredRing>> => {
  if (ids.length === 0) return new Map();
  const params = { chainId, ids: [...ids] };
  const [rings, rowsOfMembers] = await Promise.all([
    clickhouse.query(ringsSql, params, ringSchema),
    clickhouse.query(membersSql, params, memberSchema),
  ]);
  const members = groupBy(
    rowsOfMembers,
    ({ id }) => id,
    ({ id: _id, ...member }): MemberRow => member,
  );
  const rows = new Map(rings.map((row) => [row.id, row]));
  // A ring's own row goes before its members do: members without it are of a ring that just ended.
  const known = [...new Set([...rows.keys(), ...members.keys()])];
  return new Map(
    known.map((id) => [id, { id, ...NO_RING, ...rows.get(id), members: members.get(id) ?? [] }]),
  );
};

/** When and as what a row is written. */
interface Written {
  readonly chainId: number;
  readonly version: number;
}

const writeMembers = createTableWriter<RingWrite['members'][number] & Written & { ring: string }>(
  'cluster_members',
  {
    chain_id: (row, { chainId }) => row.uint64(chainId),
    cluster_id: (row, { ring }) => row.string(ring),
    wallet: (row, { wallet }) => row.fixed(wallet),
    role: (row, { role }) => row.uint8(role === 'master' ? 1 : 0),
    risk_score: (row, { riskScore }) => row.float64(riskScore),
    joined_at: (row, { joinedAtS }) => row.uint32(joinedAtS),
    version: (row, { version }) => row.uint64(version),
    is_deleted: (row, { isDeleted }) => row.uint8(isDeleted ? 1 : 0),
  },
);

const writeRings = createTableWriter<
  NonNullable<RingWrite['row']> & Written & { readonly nowMs: number }
>('clusters', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  cluster_id: (row, { id }) => row.string(id),
  name: (row, { name }) => row.string(name),
  size: (row, { members }) => row.uint32(members.length),
  risk_score: (row, { riskScore }) => row.float64(riskScore),
  tokens_created: (row, { tokensCreated }) => row.uint32(tokensCreated),
  scams: (row, { scams }) => row.uint32(scams),
  stolen_usd: (row, { stolenUsd }) => row.float64(stolenUsd),
  victims: (row, { victims }) => row.uint32(victims),
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
    const of = { chainId, version };
    const rings = writes.flatMap(({ row }) => (row ? [{ ...row, ...of, nowMs: now() }] : []));
    await writeRings(clickhouse, rings);
    await publish();
    const members = writes.flatMap(({ id: ring, members: some }) =>
      some.map((member) => ({ ...member, ...of, ring })),
    );
    await writeMembers(clickhouse, members);
  },
  lastVersion: async () => {
    const rows = await clickhouse.query(versionSql, { chainId }, z.object({ last: countSchema }));
    return rows[0]?.last ?? 0;
  },
});
