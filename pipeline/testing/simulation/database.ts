import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import type { KeptAlert } from '../../alerts/raise/decideAlerts.ts';
import type { GraphFact } from '../../clusters/facts/graphFact.ts';
import type { GraphProgress } from '../../clusters/graph/graphStore.ts';
import type { StoredRing } from '../../clusters/rings/ringChange.ts';
import type { Progress } from '../../scorer/ingest/activityStore.ts';
import type { FactTable } from '../../scorer/ingest/factStore.ts';
import type { TokenRecord } from '../../scorer/token/confirmToken.ts';
import type { StoredVerdict } from '../../scorer/verdict/verdictStore.ts';

/** Columns of a ReplacingMergeTree(version, is_deleted) row besides its values. */
export interface Versioned {
  readonly version: number;
  readonly isDeleted: boolean;
}

/**
 * ClickHouse's ReplacingMergeTree(version, is_deleted) in memory: of the rows with the same key the one with the
 * highest version counts, of equal versions the last inserted.
 */
export interface ReplacingTable<R extends object> {
  insert(rows: readonly (R & Versioned)[]): void;
  /** Rows as FINAL shows them. */
  final(): readonly (R & Versioned)[];
  /** Rows as a query without FINAL may return them, including superseded ones unless a merge removed them. */
  raw(): (R & Versioned)[];
  /** Rows inserted so far. */
  writes(): number;
}

/** @param merges whether superseded rows vanish at once, as after a merge, or remain as before one. */
const createReplacingTable = <R extends object>(
  keyOf: (row: R) => string,
  merges: boolean,
): ReplacingTable<R> => {
  const winners = new Map<string, R & Versioned>();
  const all: (R & Versioned)[] = [];
  let writes = 0;
  let living: (R & Versioned)[] | undefined;
  return {
    insert: (rows) => {
      writes += rows.length;
      living = undefined;
      for (const row of rows) {
        const key = keyOf(row);
        const known = winners.get(key);
        if (!known || row.version >= known.version) winners.set(key, row);
        if (!merges) all.push(row);
      }
    },
    final: () => (living ??= [...winners.values()].filter(({ isDeleted }) => !isDeleted)),
    writes: () => writes,
    raw: () => (merges ? [...winners.values()] : [...all]),
  };
};

/** The table `alerts`. @param merges see `createReplacingTable` */
export const createAlertTable = (merges: boolean): ReplacingTable<KeptAlert> =>
  createReplacingTable(({ alert }) => `${alert.family}:${alert.id}`, merges);

/** One fact with its block: a row of the fact tables. */
export interface FactRow<F extends Fact = Fact> {
  readonly block: Omit<BlockFacts, 'facts'>;
  readonly fact: F;
}

/** A row of `dim_pools`: a pool as seen by one of its tokens. */
export interface PoolSideRow {
  readonly token: Hex;
  readonly pool: Hex;
  readonly otherToken: Hex;
  readonly tokenIs0: boolean;
  readonly createdBlock: number;
  readonly createdBlockHash: Hex;
}

/** A row of `token_activity`: its version is the position. */
interface ActivityRow {
  readonly token: Hex;
  readonly position: number;
}

/** A row of `token_verdicts`. */
interface VerdictInForce extends StoredVerdict {
  readonly message: ScoreMessage | undefined;
}

/** A row of `pool_first_syncs`. */
export interface FirstSyncRow {
  readonly pool: Hex;
  readonly token0: Hex;
  readonly token1: Hex;
  readonly block: Omit<BlockFacts, 'facts'>;
}

/** A row of `chain_progress` by horizons: its version is the time. */
interface HorizonProgressRow {
  readonly chainId: number;
  readonly scoredUntilS: number;
}

/** A row of `graph_facts`. */
export interface GraphRow {
  readonly block: Omit<BlockFacts, 'facts'>;
  readonly fact: GraphFact;
}

/** An edge of `graph_neighbours` that another table implies; the rows under both ends are one row here. */
export interface NeighbourRow {
  readonly source: 'token' | 'movement' | 'pool';
  readonly kind: string;
  readonly from: Hex;
  readonly to: Hex;
  /** Of movements. */
  readonly block?: Omit<BlockFacts, 'facts'>;
  readonly place?: number;
}

/** The compared fields of a `dim_wallets` row. */
interface WalletOfRing {
  readonly wallet: Hex;
  readonly clusterId: string;
}

/** The tables of one chain in memory, with the keys of `migrations/`. */
export interface Database {
  readonly facts: Readonly<Record<FactTable, ReplacingTable<FactRow>>>;
  readonly tokens: ReplacingTable<TokenRecord>;
  readonly pools: ReplacingTable<PoolSideRow>;
  readonly activity: ReplacingTable<ActivityRow>;
  readonly verdictHistory: ReplacingTable<StoredVerdict>;
  readonly tokenVerdicts: ReplacingTable<VerdictInForce>;
  readonly firstSyncs: ReplacingTable<FirstSyncRow>;
  readonly horizonProgress: ReplacingTable<HorizonProgressRow>;
  readonly alerts: ReplacingTable<KeptAlert>;
  readonly graphFacts: ReplacingTable<GraphRow>;
  readonly neighbours: ReplacingTable<NeighbourRow>;
  readonly clusterProgress: ReplacingTable<GraphProgress>;
  readonly rings: ReplacingTable<StoredRing>;
  readonly wallets: ReplacingTable<WalletOfRing>;
  /** `chain_progress` by the scorer: its version is the chain position. */
  readonly progress: ReplacingTable<Progress>;
}

/** The subject of a fact: the second column of its table's key. */
const subjectOf = (fact: Fact): Hex => {
  if ('pool' in fact) return fact.pool;
  if ('contract' in fact) return fact.contract;
  if ('asset' in fact) return fact.asset;
  return 'token' in fact ? fact.token : fact.to;
};

/** The key of a fact table's row. */
const factKey = ({ block, fact }: FactRow): string => {
  const place = 'logIndex' in fact ? fact.logIndex : fact.txIndex;
  return `${subjectOf(fact)}:${block.number}:${block.hash}:${place}`;
};

/** Key of a verdict's row in `verdict_history`. */
export const historyKey = ({ token, horizonS, verdict }: StoredVerdict): string => {
  const { block_number, block_hash } = verdict.doc.provenance;
  return `${token}:${block_number}:${block_hash}:${horizonS}`;
};

const firstSyncKey = ({ pool, block }: FirstSyncRow): string =>
  `${block.timestampS}:${pool}:${block.hash}`;

const graphKey = ({ block, fact }: GraphRow): string =>
  [block.number, block.hash, fact.kind, fact.place, fact.from, fact.to].join(':');

/** Key of an edge's row. */
export const neighbourKey = ({ source, kind, from, to, block, place }: NeighbourRow): string =>
  [source, kind, from, to, block?.number, block?.hash, place].join(':');

/** @param merges see `createReplacingTable`. */
export const createDatabase = (merges: boolean): Database => {
  const factTable = (): ReplacingTable<FactRow> => createReplacingTable(factKey, merges);
  return {
    facts: {
      fact_transfers: factTable(),
      fact_native_transfers: factTable(),
      fact_pool_events: factTable(),
      fact_markets: factTable(),
      fact_market_events: factTable(),
      fact_ownership_transfers: factTable(),
      fact_locks: factTable(),
      fact_failed_sales: factTable(),
    },
    tokens: createReplacingTable(({ token }) => token, merges),
    pools: createReplacingTable(({ token, pool }) => `${token}:${pool}`, merges),
    activity: createReplacingTable(({ token }) => token, merges),
    verdictHistory: createReplacingTable(historyKey, merges),
    tokenVerdicts: createReplacingTable(({ token }) => token, merges),
    firstSyncs: createReplacingTable(firstSyncKey, merges),
    horizonProgress: createReplacingTable(({ chainId }) => String(chainId), merges),
    progress: createReplacingTable(({ chainId }) => String(chainId), merges),
    alerts: createAlertTable(merges),
    graphFacts: createReplacingTable(graphKey, merges),
    neighbours: createReplacingTable(neighbourKey, merges),
    clusterProgress: createReplacingTable(() => 'chain', merges),
    rings: createReplacingTable(({ id }) => id, merges),
    wallets: createReplacingTable(({ wallet }) => wallet, merges),
  };
};
