import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import { type Hex, ZERO_HASH } from '../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { tokensOfCreators } from '../../shared/platform/graphNeighbours.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { type Share, unshared } from '../server/sharedReads.ts';

export const CLUSTER_SORTS = ['risk_score', 'size', 'total_stolen'] as const;
export type ClusterSort = (typeof CLUSTER_SORTS)[number];

/** A ring of wallets. */
export interface Cluster {
  readonly id: string;
  readonly name: string;
  /** Wallets. */
  readonly size: number;
  /** 0 to 100. */
  readonly riskScore: number;
  readonly tokensCreated: number;
  readonly scams: number;
  readonly stolenUsd: number;
  readonly victims: number;
  readonly version: number;
}

/** A ring with its wallets, tokens and why they were joined. */
export interface ClusterDetail extends Cluster {
  readonly wallets: readonly {
    address: Hex;
    role: 'master' | 'puppet';
    /** What the wallet mostly is: creator, funder, … */
    walletRole: string;
    riskScore: number;
  }[];
  readonly tokens: readonly {
    address: Hex;
    name: string;
    prediction: 'SCAM' | 'LEGIT';
    confidence: number;
  }[];
  readonly evidence: readonly {
    rule: string;
    wallets: readonly Hex[];
    txHash: Hex | null;
    confidence: number;
  }[];
}

/** One page of rings. */
export interface ClusterPage {
  readonly sizeMin: number;
  readonly sort: ClusterSort;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
}

/** Rings of one chain. */
export interface Clusters {
  list(page: ClusterPage): Promise<{ clusters: Cluster[]; total: number }>;
  /** The ring, the id of the one it was merged into, or nothing. */
  find(
    id: string,
  ): Promise<
    { kind: 'found'; cluster: ClusterDetail } | { kind: 'merged'; into: string } | undefined
  >;
}

/** Wallets and tokens shown of one ring, the most telling first. */
const MEMBERS_MAX = 1_000;
const TOKENS_MAX = 1_000;

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

/** The strongest links come first, as they are stored. */
const linkTuple = z
  .tuple([z.string(), addressSchema, addressSchema, z.number(), hashSchema])
  .transform(([rule, a, b, confidence, txHash]) => ({
    rule,
    wallets: [a, b],
    txHash: txHash === ZERO_HASH ? null : txHash,
    confidence,
  }));
const LINKS = `arrayMap(e -> (e.rule, ${hexText('e.wallet_a')}, ${hexText('e.wallet_b')}, e.confidence, ${hexText('e.tx_hash')}),
  evidence) AS links`;

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

/** What wallets mostly are, by address. */
const rolesOf = async (
  database: Database,
  chainId: number,
  wallets: readonly Hex[],
): Promise<ReadonlyMap<Hex, string>> => {
  const rows = await database.query(
    `SELECT ${hexText('wallet')} AS wallet_hex, role FROM dim_wallets FINAL
     WHERE chain_id = {chainId:UInt64} AND wallet IN ${inAddresses('wallets')} ${POINT_READ}`,
    { chainId, wallets: wallets.map(addressParam) },
    z.object({ wallet_hex: addressSchema, role: z.string() }),
  );
  return new Map(rows.map((row) => [row.wallet_hex, row.role]));
};

/** Wallets of a ring, masters first, and their tokens, newest first. */
const clusterParts = async (
  database: Database,
  chainId: number,
  id: string,
): Promise<Pick<ClusterDetail, 'wallets' | 'tokens'>> => {
  const wallets = await database.query(
    `SELECT ${hexText('wallet')} AS wallet_hex, toString(role) AS role_name, risk_score AS risk
     FROM cluster_members FINAL
     WHERE chain_id = {chainId:UInt64} AND cluster_id = {id:String}
     ORDER BY role DESC, risk_score DESC, wallet LIMIT ${MEMBERS_MAX} ${POINT_READ}`,
    { chainId, id },
    memberRow,
  );
  const members = wallets.map(({ address }) => address);
  const [tokens, roles] = await Promise.all([
    tokensMadeBy(database, chainId, members),
    rolesOf(database, chainId, members),
  ]);
  const withRole = wallets.map((one) => ({
    ...one,
    walletRole: roles.get(one.address) ?? one.role,
  }));
  return { wallets: withRole, tokens };
};

/** Rings of one chain in ClickHouse. Equal requests share a list. */
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
        `SELECT ${CLUSTER_COLUMNS}, ${LINKS} FROM clusters FINAL
         WHERE chain_id = {chainId:UInt64} AND cluster_id = {id:String} ${POINT_READ}`,
        { chainId, id },
        clusterFields.extend({ links: z.array(linkTuple) }),
      ),
      clusterParts(database, chainId, id),
    ]);
    const row = rows[0];
    if (!row) return undefined;
    if (row.merged_into !== '') return { kind: 'merged', into: row.merged_into };
    return { kind: 'found', cluster: { ...clusterOf(row), ...parts, evidence: row.links } };
  },
});
