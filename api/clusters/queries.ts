import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/addressSet.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import { tokensOfCreators } from '../../shared/platform/graphNeighbours.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { POINT_READ } from '../server/pointRead.ts';
import { type Share, unshared } from '../server/sharedReads.ts';
import type { Database } from '../tokens/verdict.ts';
import type { Cluster, ClusterDetail, ClusterPage, Clusters } from './cluster.ts';

/** Wallets, tokens and links shown of one ring, the most telling first. */
const MEMBERS_MAX = 1_000;
const TOKENS_MAX = 1_000;
const EVIDENCE_MAX = 1_000;

const CLUSTER_COLUMNS = `cluster_id, name, size, risk_score, tokens_created, scams, stolen_usd,
  victims, version, merged_into`;
const clusterFields = z.object({
  cluster_id: z.string(),
  name: z.string(),
  size: countSchema,
  risk_score: z.number(),
  tokens_created: countSchema,
  scams: countSchema,
  stolen_usd: z.number(),
  victims: countSchema,
  version: countSchema,
  merged_into: z.string(),
});

const clusterOf = (row: z.output<typeof clusterFields>): Cluster => ({
  id: row.cluster_id,
  name: row.name,
  size: row.size,
  riskScore: row.risk_score,
  tokensCreated: row.tokens_created,
  scams: row.scams,
  stolenUsd: row.stolen_usd,
  victims: row.victims,
  version: row.version,
});

const SORT_COLUMNS: Record<ClusterPage['sort'], string> = {
  risk_score: 'risk_score',
  size: 'size',
  total_stolen: 'stolen_usd',
};

/** A page of the rings of at least a size, and how many there are. Merged ones are left out. */
const listClusters = async (
  database: Database,
  chainId: number,
  page: ClusterPage,
): Promise<{ clusters: Cluster[]; total: number }> => {
  const direction = page.order === 'asc' ? 'ASC' : 'DESC';
  const rings = `clusters FINAL WHERE chain_id = {chainId:UInt64} AND merged_into = ''
    AND size >= {sizeMin:UInt32}`;
  const params = { ...page, chainId };
  const [rows, totals] = await Promise.all([
    database.query(
      `SELECT ${CLUSTER_COLUMNS} FROM ${rings}
       ORDER BY ${SORT_COLUMNS[page.sort]} ${direction}, size DESC, cluster_id
       LIMIT {limit:UInt32} OFFSET {offset:UInt32} ${POINT_READ}`,
      params,
      clusterFields,
    ),
    database.query(
      `SELECT count() AS total FROM ${rings} ${POINT_READ}`,
      params,
      z.object({ total: countSchema }),
    ),
  ]);
  return { clusters: rows.map(clusterOf), total: totals[0]?.total ?? 0 };
};

const memberRow = z
  .object({ wallet_hex: addressSchema, role_name: z.enum(['master', 'puppet']), risk: z.number() })
  .transform((row) => ({ address: row.wallet_hex, role: row.role_name, riskScore: row.risk }));

const tokenRow = z
  .object({
    token_hex: addressSchema,
    name: z.string(),
    prediction_name: z.enum(['SCAM', 'LEGIT']),
    confidence: z.number(),
  })
  .transform((row) => ({
    address: row.token_hex,
    name: row.name,
    prediction: row.prediction_name,
    confidence: row.confidence,
  }));

const evidenceRow = z
  .object({
    rule: z.string(),
    a_hex: addressSchema,
    b_hex: addressSchema,
    has_tx: z.number(),
    tx_hex: hashSchema,
    confidence: z.number(),
  })
  .transform((row) => ({
    rule: row.rule,
    wallets: [row.a_hex, row.b_hex],
    txHash: row.has_tx === 1 ? row.tx_hex : null,
    confidence: row.confidence,
  }));

/** Tokens of wallets, the newest first. */
const tokensMadeBy = (
  database: Database,
  chainId: number,
  wallets: readonly Hex[],
): Promise<z.output<typeof tokenRow>[]> =>
  database.query(
    `SELECT ${hexText('token')} AS token_hex, name, toString(prediction) AS prediction_name, confidence
     FROM token_verdicts FINAL
     WHERE chain_id = {chainId:UInt64} AND token IN (
       ${tokensOfCreators(inAddresses('wallets'))})
       AND creator IN ${inAddresses('wallets')}
     ORDER BY created_at DESC, token LIMIT ${TOKENS_MAX} ${POINT_READ}`,
    { chainId, wallets: wallets.map(addressParam) },
    tokenRow,
  );

/** What belongs to one ring: masters first, newest tokens first, strongest links first. */
const clusterParts = async (
  database: Database,
  chainId: number,
  id: string,
): Promise<Pick<ClusterDetail, 'wallets' | 'tokens' | 'evidence'>> => {
  const params = { chainId, id };
  const [wallets, evidence] = await Promise.all([
    database.query(
      `SELECT ${hexText('wallet')} AS wallet_hex, toString(role) AS role_name, risk_score AS risk
       FROM cluster_members FINAL
       WHERE chain_id = {chainId:UInt64} AND cluster_id = {id:String}
       ORDER BY role DESC, risk_score DESC, wallet LIMIT ${MEMBERS_MAX} ${POINT_READ}`,
      params,
      memberRow,
    ),
    database.query(
      `SELECT rule, ${hexText('wallet_a')} AS a_hex, ${hexText('wallet_b')} AS b_hex,
         tx_hash != toFixedString('', 32) AS has_tx, ${hexText('tx_hash')} AS tx_hex, confidence
       FROM cluster_evidence FINAL
       WHERE chain_id = {chainId:UInt64} AND cluster_id = {id:String}
       ORDER BY confidence DESC, rule, wallet_a, wallet_b LIMIT ${EVIDENCE_MAX} ${POINT_READ}`,
      params,
      evidenceRow,
    ),
  ]);
  const members = wallets.map(({ address }) => address);
  const tokens = await tokensMadeBy(database, chainId, members);
  return { wallets, tokens, evidence };
};

/** Rings of one chain in ClickHouse. Lists are shared by those who ask for the same. */
export const createClusters = (
  database: Database,
  chainId: number,
  share: Share = unshared,
): Clusters => ({
  list: (page) =>
    share(`rings ${JSON.stringify(page)}`, () => listClusters(database, chainId, page)),
  find: async (id) => {
    const [rows, parts] = await Promise.all([
      database.query(
        `SELECT ${CLUSTER_COLUMNS} FROM clusters FINAL
         WHERE chain_id = {chainId:UInt64} AND cluster_id = {id:String} ${POINT_READ}`,
        { chainId, id },
        clusterFields,
      ),
      clusterParts(database, chainId, id),
    ]);
    const row = rows[0];
    if (!row) return undefined;
    if (row.merged_into !== '') return { kind: 'merged', into: row.merged_into };
    return { kind: 'found', cluster: { ...clusterOf(row), ...parts } };
  },
});
