import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import { type Hex, ZERO_HASH } from '../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { tokensOfCreators } from '../../shared/platform/graphNeighbours.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import type { Range } from '../search/search.ts';
import { type Share, unshared } from '../server/sharedReads.ts';

export const CLUSTER_SORTS = ['risk_score', 'size', 'total_stolen'] as const;
export type ClusterSort = (typeof CLUSTER_SORTS)[number];

/** What `clusterRow` reads of `clusters AS c`. */
const CLUSTER_COLUMNS = `c.cluster_id AS id, c.name AS name, c.size AS size, c.risk_score AS riskScore,
  c.tokens_created AS tokensCreated, c.scams AS scams, c.stolen_usd AS stolenUsd, c.victims AS victims, c.version AS version`;
const clusterRow = z.object({
  id: z.string(),
  name: z.string(),
  /** Wallets. */
  size: countSchema,
  /** 0 to 100. */
  riskScore: z.number(),
  tokensCreated: countSchema,
  scams: countSchema,
  stolenUsd: z.number(),
  victims: countSchema,
  version: countSchema,
});
/** A ring of wallets. */
export type Cluster = Readonly<z.infer<typeof clusterRow>>;

/** Which rings to list; an absent field does not filter. */
interface ClusterFilter {
  readonly id?: string | undefined;
  /** Folded part of the name: see `foldText`. */
  readonly text?: string | undefined;
  readonly size?: Range | undefined;
  readonly riskScore?: Range | undefined;
  readonly tokensCreated?: Range | undefined;
  readonly scamRate?: Range | undefined;
  readonly stolenUsd?: Range | undefined;
}

/** One page of rings. */
export interface ClusterPage extends ClusterFilter {
  readonly sort: ClusterSort;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
}

/** Rings of one chain. */
export interface Clusters {
  list(page: ClusterPage): Promise<{ clusters: Cluster[]; total: number }>;
  /** The ring, the id of the ring it was merged into, or nothing. */
  find(
    id: string,
  ): Promise<
    { kind: 'found'; cluster: ClusterDetail } | { kind: 'merged'; into: string } | undefined
  >;
}

/** Wallets and tokens shown per ring, the most significant first. */
const MEMBERS_MAX = 1_000;
const TOKENS_MAX = 1_000;

const SORT_VALUES: Record<ClusterSort, (ring: Cluster) => number> = {
  risk_score: ({ riskScore }) => riskScore,
  size: ({ size }) => size,
  total_stolen: ({ stolenUsd }) => stolenUsd,
};

const isWithin = (value: number, { min = value, max = value }: Range = {}): boolean =>
  value >= min && value <= max;

const holds = (ring: Cluster, { id = ring.id, text = '', ...bounds }: ClusterFilter): boolean =>
  ring.id === id &&
  // Names of rings are ASCII.
  ring.name.toLowerCase().includes(text) &&
  isWithin(ring.size, bounds.size) &&
  isWithin(ring.riskScore, bounds.riskScore) &&
  isWithin(ring.tokensCreated, bounds.tokensCreated) &&
  isWithin(ring.scams / Math.max(ring.tokensCreated, 1), bounds.scamRate) &&
  isWithin(ring.stolenUsd, bounds.stolenUsd);

/**
 * Rings that were not merged. All are read at once because they are few: reading 3,000 costs the database 20 CPU ms,
 * but it happens once a second, where each page cost 9 to 14 ms. One machine then answered 714 to 1,185 lists a
 * second instead of 57 to 64.
 */
const readClusters = (database: Database, chainId: number): Promise<Cluster[]> =>
  database.query(
    `SELECT ${CLUSTER_COLUMNS} FROM clusters AS c FINAL
     WHERE c.chain_id = {chainId:UInt64} AND c.merged_into = '' ${POINT_READ}`,
    { chainId },
    clusterRow,
  );

/** A page of rings, and how many there are. Equal values are sorted by size, largest first, then by id. */
const pageOf = (
  rings: readonly Cluster[],
  { sort, order, limit, offset, ...filter }: ClusterPage,
) => {
  const valueOf = SORT_VALUES[sort];
  const direction = order === 'asc' ? 1 : -1;
  const found = rings
    .filter((ring) => holds(ring, filter))
    .sort(
      (a, b) => direction * (valueOf(a) - valueOf(b)) || b.size - a.size || (a.id < b.id ? -1 : 1),
    );
  return { clusters: found.slice(offset, offset + limit), total: found.length };
};

const memberTuple = z
  .tuple([addressSchema, z.enum(['master', 'puppet']), z.number()])
  .transform(([address, role, riskScore]) => ({ address, role, riskScore }));
/** Masters first, then those of the highest risk. */
const MEMBERS = `arrayMap(m -> (${hexText('m.wallet')}, toString(m.role), m.risk_score),
  arraySlice(arraySort(m -> (m.role = 'puppet', -m.risk_score, m.wallet), c.members), 1, ${MEMBERS_MAX})) AS members`;

const tokenRow = z.object({
  address: addressSchema,
  name: z.string(),
  prediction: z.enum(['SCAM', 'LEGIT']),
  confidence: z.number(),
});

/** The strongest links come first because they are stored in that order. */
const linkTuple = z
  .tuple([z.string(), addressSchema, addressSchema, z.number(), hashSchema])
  .transform(([rule, a, b, confidence, txHash]) => ({
    rule,
    wallets: [a, b],
    txHash: txHash === ZERO_HASH ? null : txHash,
    confidence,
  }));
/**
 * A ring with its wallets, tokens and the reasons why they were joined; `walletRole` is a wallet's main role:
 * creator, funder, …
 */
export interface ClusterDetail extends Cluster {
  readonly wallets: readonly (z.output<typeof memberTuple> & { walletRole: string })[];
  readonly tokens: readonly z.output<typeof tokenRow>[];
  readonly evidence: readonly z.output<typeof linkTuple>[];
}
const LINKS = `arrayMap(e -> (e.rule, ${hexText('e.wallet_a')}, ${hexText('e.wallet_b')}, e.confidence, ${hexText('e.tx_hash')}),
  c.evidence) AS evidence`;

/** Tokens of wallets, the newest first. */
const tokensMadeBy = (
  database: Database,
  chainId: number,
  wallets: readonly Hex[],
): Promise<z.output<typeof tokenRow>[]> =>
  database.query(
    `SELECT ${hexText('token')} AS address, name, prediction, confidence
     FROM token_verdicts FINAL
     WHERE chain_id = {chainId:UInt64} AND token IN (
       ${tokensOfCreators(inAddresses('wallets'))})
       AND creator IN ${inAddresses('wallets')}
     ORDER BY created_at DESC, token LIMIT ${TOKENS_MAX} ${POINT_READ}`,
    { chainId, wallets: wallets.map(addressParam) },
    tokenRow,
  );

/** Main role and own risk of wallets, as shown on their pages, by address. */
const walletsOf = async (
  database: Database,
  chainId: number,
  wallets: readonly Hex[],
): Promise<ReadonlyMap<Hex, { role: string; riskScore: number }>> => {
  const rows = await database.query(
    `SELECT ${hexText('wallet')} AS address, role, risk_score AS riskScore FROM dim_wallets FINAL
     WHERE chain_id = {chainId:UInt64} AND wallet IN ${inAddresses('wallets')} ${POINT_READ}`,
    { chainId, wallets: wallets.map(addressParam) },
    z.object({ address: addressSchema, role: z.string(), riskScore: z.number() }),
  );
  return new Map(rows.map((row) => [row.address, row]));
};

/** Rings of one chain in ClickHouse. List requests share one read. */
export const createClusters = (
  database: Database,
  chainId: number,
  share: Share = unshared,
): Clusters => ({
  list: async (page) => pageOf(await share('rings', () => readClusters(database, chainId)), page),
  find: async (id) => {
    const [row] = await database.query(
      `SELECT ${CLUSTER_COLUMNS}, c.merged_into AS mergedInto, ${MEMBERS}, ${LINKS} FROM clusters AS c FINAL
       WHERE c.chain_id = {chainId:UInt64} AND c.cluster_id = {id:String} ${POINT_READ}`,
      { chainId, id },
      clusterRow.extend({
        mergedInto: z.string(),
        members: z.array(memberTuple),
        evidence: z.array(linkTuple),
      }),
    );
    if (!row) return undefined;
    const { mergedInto: into, members, ...cluster } = row;
    if (into !== '') return { kind: 'merged', into };
    const addresses = members.map(({ address }) => address);
    const [tokens, known] = await Promise.all([
      tokensMadeBy(database, chainId, addresses),
      walletsOf(database, chainId, addresses),
    ]);
    const wallets = members.map((member) => {
      const { role, riskScore } = known.get(member.address) ?? member;
      return { ...member, riskScore, walletRole: role };
    });
    return { kind: 'found', cluster: { ...cluster, wallets, tokens } };
  },
});
