import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { NO_CACHE, type ReadCache, type Reads, type Rows } from '../readCache.ts';
import { readLastVerdicts } from '../verdict/lastVerdicts.ts';
import type { PoolLife } from './creatorRecord.ts';
import { type HoldersRow, readHolders, readSpread, type SpreadRow } from './holderStore.ts';
import { FEATURE_WINDOW_S } from './poolFeatures.ts';
import {
  createPoolHistoryStore,
  type PoolSide,
  type SideKey,
  type StoredDay,
  type StoredLpTransfer,
  sideKey,
} from './poolHistoryStore.ts';
import { FOREVER_S, readTouches, type Touch } from './touchStore.ts';
import { asOf, OF_TOKENS, type StoredTransfers, UP_TO } from './transferStore.ts';
import { TOKEN_TRANSFERS_MAX } from './walletFeatures.ts';

/**
 * Pools of the tokens against base tokens, as a table from bound parameters: each table that a query names costs 2 ms
 * of a core.
 */
const basePools = `(SELECT toFixedString(unhex(side.1), 20) AS token, toFixedString(unhex(side.2), 20) AS pool,
    toFixedString(unhex(side.3), 20) AS other_token, side.4 AS token_is_0 FROM (SELECT arrayJoin(arrayZip(
      {poolTokens:Array(String)}, {pools:Array(String)}, {poolBases:Array(String)}, {poolSides:Array(UInt8)})) AS side))`;
const inPools = inAddresses('pools');

/**
 * Confirmed tokens as stored, with their pools against base tokens, and whether they are mature, which means that
 * they have more transfers than are read. Transfers are counted by key only, including those that a reorg deleted.
 */
const profileSql = `SELECT ${hexText('t.token')} AS address, t.name AS name, t.symbol AS symbol, t.decimals AS decimals,
    ${hexText('t.creator')} AS creator_address, t.creator_source AS creator_source, t.created_block AS created_block,
    ${hexText('t.created_block_hash')} AS created_hash, toUnixTimestamp(t.created_at) AS created_at_s,
    ${hexText('t.created_tx')} AS created_tx_hash, ${hexText('t.code_hash')} AS code,
    arrayMap(p -> (${hexText('p.1')}, ${hexText('p.2')}, p.3), p.pools) AS base_pools, f.transfers > {transfersMax:UInt64} AS is_mature
  FROM (SELECT * FROM dim_tokens FINAL WHERE ${OF_TOKENS} AND created_block <= {upTo:UInt64}) AS t
  LEFT JOIN (SELECT token, groupArray((pool, other_token, token_is_0)) AS pools FROM dim_pools FINAL
    WHERE ${OF_TOKENS} AND other_token IN ${inAddresses('bases')} GROUP BY token) AS p ON p.token = t.token
  LEFT JOIN (SELECT token, count() AS transfers FROM fact_transfers WHERE ${OF_TOKENS} GROUP BY token) AS f ON f.token = t.token`;
const profileSchema = z.object({
  address: addressSchema,
  name: z.string(),
  symbol: z.string(),
  decimals: z.number().nullable(),
  creator_address: addressSchema,
  creator_source: z.string(),
  created_block: z.number(),
  created_hash: hashSchema,
  created_at_s: z.number(),
  created_tx_hash: hashSchema,
  code: hashSchema,
});
export type TokenProfileRow = z.infer<typeof profileSchema>;
/** Pool, base token, and whether the token is token 0 of the pool. */
const basePoolSchema = z.tuple([addressSchema, addressSchema, z.number()]);
const knownTokenSchema = profileSchema
  .extend({ base_pools: z.array(basePoolSchema), is_mature: z.number() })
  .transform(({ base_pools: pools, is_mature, ...profile }) => {
    return { profile, pools, isMature: is_mature === 1 };
  });
type KnownToken = z.output<typeof knownTokenSchema>;

/**
 * Transfers read per token. Of a mature token with more, such as a stablecoin, only the latest are read, so that
 * scoring it always takes the same few seconds. Its holders are then those who gained by these transfers, a lower
 * bound, and their concentration is unknown.
 */
const TRANSFERS_READ_MAX = 2_000_000;

/** The block of the earliest transfer that is read, counting back from the last one. */
const firstReadSql = `SELECT block_number FROM fact_transfers
  WHERE chain_id = {chainId:UInt64} AND token = unhex({token:String}) AND ${UP_TO}
    AND toUnixTimestamp(timestamp) <= {asOfS:UInt32}
  ORDER BY chain_id DESC, token DESC, block_number DESC LIMIT 1 OFFSET {transfersMax:UInt64}`;

const firstReadSchema = z.object({ block_number: z.number() });
/**
 * Every pool of the tokens against a base token: its Syncs of the first day, and its current state. Amounts are
 * decimal text: there must be only one conversion to a double, the same as in training.
 */
const poolsSql = `SELECT ${hexText('s.token')} AS address, ${hexText('s.pool')} AS pool_address, ${hexText('any(s.other_token)')} AS base_token,
    any(s.token_is_0) AS token_is_0, count() AS syncs, arraySort(x -> (x.2, x.3), groupArrayIf(
      (toUnixTimestamp(s.timestamp), s.block_number, s.log_index, toString(s.base), toString(s.amount)),
      s.timestamp <= s.first_at + ${FEATURE_WINDOW_S})) AS series,
    toString(argMax(s.base, (s.block_number, s.log_index))) AS current_base,
    toString(argMax(s.amount, (s.block_number, s.log_index))) AS current_token, toString(max(s.base)) AS peak_base,
    max(s.block_number) AS last_block, ${hexText('argMax(s.tx_hash, s.previous - toFloat64(s.base))')} AS largest_drop_tx,
    toUnixTimestamp(any(b.first_sync_at)) AS first_sync_s
  FROM (SELECT p.token AS token, e.pool AS pool, p.other_token AS other_token, p.token_is_0 AS token_is_0, e.block_number AS block_number,
      e.log_index AS log_index, e.timestamp AS timestamp, e.tx_hash AS tx_hash,
      if(p.token_is_0 = 1, e.reserve1, e.reserve0) AS base, if(p.token_is_0 = 1, e.reserve0, e.reserve1) AS amount,
      min(e.timestamp) OVER (PARTITION BY p.token, e.pool) AS first_at,
      lagInFrame(toFloat64(if(p.token_is_0 = 1, e.reserve1, e.reserve0)), 1, 0) OVER (
        PARTITION BY p.token, e.pool ORDER BY e.block_number, e.log_index
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS previous
    FROM (SELECT * FROM fact_pool_events FINAL WHERE chain_id = {chainId:UInt64} AND kind = 'sync' AND ${UP_TO}
      AND pool IN ${inPools}) AS e
    INNER JOIN ${basePools} AS p ON p.pool = e.pool WHERE toUnixTimestamp(e.timestamp) <= ${asOf('p.token')}) AS s
  LEFT JOIN (SELECT pool, first_sync_at FROM pool_first_syncs FINAL WHERE chain_id = {chainId:UInt64}
    AND pool IN ${inPools}) AS b ON b.pool = s.pool
  GROUP BY s.token, s.pool`;
const poolsSchema = z.object({
  address: addressSchema,
  pool_address: addressSchema,
  base_token: addressSchema,
  token_is_0: z.number(),
  syncs: z.number(),
  /** Unix seconds, block, log index, base reserve, token reserve. */
  series: z.array(z.tuple([z.number(), z.number(), z.number(), z.string(), z.string()])),
  current_base: z.string(),
  current_token: z.string(),
  peak_base: z.string(),
  last_block: z.number(),
  largest_drop_tx: hashSchema,
  /** Unix seconds of its first Sync if its creation was seen, else 0. */
  first_sync_s: z.number(),
});
/** A pool of a token: its Syncs, and other stored data about it. */
export type PoolRow = z.infer<typeof poolsSchema> & {
  /** Whether it had Syncs after its first day. */
  readonly days?: readonly StoredDay[] | undefined;
  /** Undefined: not known. */
  readonly lp_transfers?: readonly StoredLpTransfer[] | undefined;
  /** The token's creator; undefined if unknown. */
  readonly creator?: Hex | undefined;
  /** All pools of that creator. */
  readonly creator_pools?: readonly PoolLife[] | undefined;
};

/** Tokens that the creators of the tokens created. */
const creatorsSql = `SELECT ${hexText('t.creator')} AS creator_address, ${hexText('t.token')} AS address, toUnixTimestamp(t.created_at) AS created_at_s
  FROM dim_tokens AS t FINAL WHERE t.chain_id = {chainId:UInt64} AND t.creator IN ${inAddresses('creators')} AND t.creator != toFixedString('', 20)
  ORDER BY t.creator, t.token LIMIT {tokensMax:UInt32} BY t.creator`;
const creatorsSchema = z.object({
  creator_address: addressSchema,
  address: addressSchema,
  created_at_s: z.number(),
});
export interface CreatorTokenRow extends z.infer<typeof creatorsSchema> {
  /** Whether its last verdict says so. */
  readonly isScam: boolean;
}

/** Tokens examined per creator. */
const CREATOR_TOKENS_MAX = 1_000;
/** Those of them whose pools count in the creator's record. */
const PAST_TOKENS_MAX = 200;

/** All stored data of a group of tokens, as of the facts inserted so far. */
export interface TokenFacts {
  readonly profiles: ReadonlyMap<Hex, TokenProfileRow>;
  readonly holders: ReadonlyMap<Hex, HoldersRow>;
  /** Of tokens with at most `TOKEN_TRANSFERS_MAX`. */
  readonly transfers: ReadonlyMap<Hex, StoredTransfers>;
  readonly pools: ReadonlyMap<Hex, readonly PoolRow[]>;
  readonly touches: ReadonlyMap<Hex, Touch>;
  /** How tokens without a Uniswap V2 pool reached their holders; not read for mature ones. */
  readonly spread: ReadonlyMap<Hex, SpreadRow>;
  readonly creatorTokens: ReadonlyMap<Hex, readonly CreatorTokenRow[]>;
  /** Lives of the creators' earlier pools, by token, if a creator has any. */
  readonly lives: ReadonlyMap<Hex, readonly PoolLife[]>;
}

/**
 * Reads the data from which the features of confirmed tokens are computed: one query per subject for the whole group.
 */
export interface FeatureStore {
  /**
   * @param upTo last block whose facts are stored in full; later ones are left out
   * @param asOfS Unix seconds after which a token's facts are left out too, for tokens with such a time. Series of
   * pools, their liquidity tokens and their creators are not cut: features are computed as of a time.
   */
  read(
    chainId: number,
    tokens: readonly Hex[],
    bases: readonly Hex[],
    upTo: number,
    asOfS?: ReadonlyMap<Hex, number>,
  ): Promise<TokenFacts>;
}

/** A stored pool as seen from its token. */
const sideOf = ({ pool_address: pool, token_is_0 }: PoolRow): PoolSide => {
  return { pool, isBase1: token_is_0 === 1 };
};

/** Pools with Syncs after their first day. */
const olderPools = (rows: ReadonlyMap<Hex, readonly PoolRow[]>): PoolSide[] =>
  [...rows.values()].flat().flatMap((row) => (row.syncs > row.series.length ? [sideOf(row)] : []));

/** Pools with their other stored data. */
const withHistories = (
  pools: ReadonlyMap<Hex, readonly PoolRow[]>,
  found: {
    readonly profiles: readonly TokenProfileRow[];
    readonly lpTransfers: ReadonlyMap<Hex, readonly StoredLpTransfer[]>;
    readonly days: ReadonlyMap<SideKey, readonly StoredDay[]>;
    readonly made: ReadonlyMap<Hex, readonly CreatorTokenRow[]>;
    readonly lives: ReadonlyMap<Hex, readonly PoolLife[]>;
  },
): Map<Hex, PoolRow[]> => {
  const { profiles, lpTransfers, days, made, lives } = found;
  const creatorOf = new Map(profiles.map((row) => [row.address, row.creator_address]));
  const withHistory = (row: PoolRow): PoolRow => {
    const creator = creatorOf.get(row.address);
    const history = {
      lp_transfers: lpTransfers.get(row.pool_address),
      days: days.get(sideKey(sideOf(row))),
    };
    if (!creator || creator === ZERO_ADDRESS) return { ...row, ...history };
    const creator_pools = made.get(creator)?.flatMap(({ address }) => lives.get(address) ?? []);
    return { ...row, ...history, creator, creator_pools };
  };
  return new Map([...pools].map(([token, rows]) => [token, rows.map(withHistory)]));
};

/** Tokens whose creator record needs pools: a single pool has no predecessors. */
const tokensWithPast = (
  creatorTokens: ReadonlyMap<Hex, readonly CreatorTokenRow[]>,
  pools: ReadonlyMap<Hex, readonly PoolRow[]>,
): Hex[] => {
  const hasPast = (made: readonly CreatorTokenRow[]): boolean =>
    made.length > 1 || made.some(({ address }) => (pools.get(address)?.length ?? 0) > 1);
  return [...creatorTokens.values()].flatMap((made) =>
    hasPast(made) ? made.slice(0, PAST_TOKENS_MAX).map(({ address }) => address) : [],
  );
};

const merged = (facts: readonly TokenFacts[]): TokenFacts => ({
  profiles: new Map(facts.flatMap(({ profiles }) => [...profiles])),
  holders: new Map(facts.flatMap(({ holders }) => [...holders])),
  transfers: new Map(facts.flatMap(({ transfers }) => [...transfers])),
  pools: new Map(facts.flatMap(({ pools }) => [...pools])),
  touches: new Map(facts.flatMap(({ touches }) => [...touches])),
  spread: new Map(facts.flatMap(({ spread }) => [...spread])),
  creatorTokens: new Map(facts.flatMap(({ creatorTokens }) => [...creatorTokens])),
  lives: new Map(facts.flatMap(({ lives }) => [...lives])),
});

/** The first block read of a mature token; 0 if it was young at the time. */
const firstRead = async (
  clickhouse: Clickhouse,
  place: { chainId: number; token: string; upTo: number; asOfS: number; transfersMax: number },
): Promise<number> => {
  const rows = await clickhouse.query(firstReadSql, place, firstReadSchema);
  return rows[0]?.block_number ?? 0;
};

/** Tokens that are read together, with the data known so far. */
interface Group {
  readonly known: readonly KnownToken[];
  /** The first block whose transfers are read. */
  readonly fromBlock: number;
}

/** First round: what the others need. Mature tokens, and the others. */
const readProfiles = async (
  { clickhouse, cache }: Reads,
  [chainId, tokens, bases, upTo]: Parameters<FeatureStore['read']>,
  transfersMax: number,
): Promise<[KnownToken[], KnownToken[]]> => {
  const found = await cache.read({
    of: `profile ${bases.join()}`,
    keys: tokens,
    upTo,
    dependsOn: (token) => [`token ${token}`, `markets ${token}`],
    read: async (missing) => {
      const lists = { tokens: missing.map(addressParam), bases: bases.map(addressParam) };
      const params = { chainId, ...lists, upTo, transfersMax };
      const rows = await clickhouse.query(profileSql, params, knownTokenSchema);
      return new Map(rows.map((row) => [row.profile.address, row]));
    },
  });
  const known = [...found.values()];
  return [known.filter(({ isMature }) => isMature), known.filter(({ isMature }) => !isMature)];
};

/** Bound parameters of the query for the pools of tokens. */
const poolParams = (
  [chainId, , , upTo, asOfS]: Parameters<FeatureStore['read']>,
  known: readonly KnownToken[],
) => {
  const tokens = known.map(({ profile }) => profile.address);
  const pools = known.flatMap((token) =>
    token.pools.map(([pool, base, side]) => ({ ...token.profile, pool, base, side })),
  );
  return {
    chainId,
    upTo,
    poolTokens: pools.map(({ address }) => addressParam(address)),
    pools: pools.map(({ pool }) => addressParam(pool)),
    poolBases: pools.map(({ base }) => addressParam(base)),
    poolSides: pools.map(({ side }) => side),
    tokens: tokens.map(addressParam),
    asOfS: tokens.map((token) => asOfS?.get(token) ?? FOREVER_S),
  };
};

/** Pools against base tokens, by token. */
const readPools = async (
  { clickhouse, cache }: Reads,
  place: Parameters<FeatureStore['read']>,
  known: readonly KnownToken[],
): Promise<Map<Hex, PoolRow[]>> => {
  const [, , bases, upTo, asOfS] = place;
  const pooled = new Map(
    known
      .filter(({ pools }) => pools.length > 0)
      .map((one) => {
        const { address } = one.profile;
        return [`${address} ${asOfS?.get(address) ?? FOREVER_S}`, one] as const;
      }),
  );
  const found = await cache.read({
    of: `pools ${bases.join()}`,
    keys: [...pooled.keys()],
    upTo,
    dependsOn: (key) => {
      const one = pooled.get(key);
      if (!one) return undefined;
      const events = one.pools.map(([pool]): Rows => `events ${pool}`);
      return [`markets ${one.profile.address}`, ...events];
    },
    read: async (missing) => {
      const asked = missing.flatMap((key) => pooled.get(key) ?? []);
      const rows = await clickhouse.query(poolsSql, poolParams(place, asked), poolsSchema);
      const byToken = groupBy(rows, (row) => row.address);
      return new Map(
        [...pooled].flatMap(([key, { profile }]) => {
          const own = byToken.get(profile.address);
          return own ? [[key, own] as const] : [];
        }),
      );
    },
  });
  return new Map(
    [...found.values()].flatMap((rows) => rows.slice(0, 1).map((row) => [row.address, rows])),
  );
};

/** Tokens of the creators, and how many of them are judged scams. */
const readCreators = async (
  reads: Reads,
  chainId: number,
  creators: readonly Hex[],
): Promise<Map<Hex, CreatorTokenRow[]>> => {
  const found = await reads.cache.read({
    of: 'creator',
    keys: creators,
    dependsOn: (creator) => [`creator ${creator}`],
    read: async (missing) => {
      const params = {
        chainId,
        creators: missing.map(addressParam),
        tokensMax: CREATOR_TOKENS_MAX,
      };
      const rows = await reads.clickhouse.query(creatorsSql, params, creatorsSchema);
      return groupBy(rows, (row) => row.creator_address);
    },
  });
  const made = [...found.values()].flat().map(({ address }) => address);
  const verdicts = await readLastVerdicts(reads, chainId, made);
  const isScam = (token: Hex): boolean => {
    const verdict = verdicts.get(token);
    return verdict?.prediction === 'SCAM' && !verdict.isDeleted;
  };
  return new Map(
    [...found].map(([creator, rows]) => [
      creator,
      rows.map((row) => ({ ...row, isScam: isScam(row.address) })),
    ]),
  );
};

const touchSubjects = ({ known }: Group, asOfS: ReadonlyMap<Hex, number> | undefined) =>
  known.map(({ profile: { address: token }, pools }) => {
    return { token, pools: pools.map(([pool]) => pool), asOfS: asOfS?.get(token) };
  });

/**
 * @param transfersMax transfers read per token: the latest ones of a token with more
 * @param followedMax transfers of a token up to which its holders are followed individually; ClickHouse aggregates
 * those of a token with more
 */
export const createFeatureStore = (
  clickhouse: Clickhouse,
  cache: ReadCache = NO_CACHE,
  transfersMax = TRANSFERS_READ_MAX,
  followedMax = TOKEN_TRANSFERS_MAX,
): FeatureStore => {
  const reads = { clickhouse, cache };
  const histories = createPoolHistoryStore(clickhouse, cache);
  const readFrom = async (
    place: Parameters<FeatureStore['read']>,
    group: Group,
  ): Promise<TokenFacts> => {
    const { known, fromBlock } = group;
    if (known.length === 0) return merged([]);
    const profiles = known.map(({ profile }) => profile);
    const [chainId, , bases, upTo, asOfS] = place;
    const creators = [...new Set(profiles.map((row) => row.creator_address))];
    const ownPools = known.flatMap((token) => token.pools.map(([pool]) => pool));
    const moved = { chainId, fromBlock, upTo, asOfS };
    const touching = readTouches(reads, { chainId, upTo, fromBlock }, touchSubjects(group, asOfS));
    const [held, pools, touches, lpTransfers, made] = await Promise.all([
      touching.then((found) => readHolders(reads, moved, found, followedMax)),
      readPools(reads, place, known),
      touching,
      histories.lpTransfers(chainId, ownPools, upTo),
      readCreators(reads, chainId, creators),
    ]);
    // A cached token was young when it was read.
    const grown = [...touches].filter(([, { transfers }]) => transfers > transfersMax);
    cache.changed(grown.map(([token]): Rows => `token ${token}`));
    const all = profiles.map(({ address }) => address);
    const unpooled = fromBlock > 0 ? [] : all.filter((token) => !pools.has(token));
    const spread = await readSpread(reads, moved, unpooled);
    const past = tokensWithPast(made, pools);
    const [lives, days] = await Promise.all([
      histories.drains({ chainId, tokens: past, bases, upTo }),
      histories.days(chainId, olderPools(pools), upTo),
    ]);
    return {
      profiles: new Map(profiles.map((row) => [row.address, row])),
      ...held,
      pools: withHistories(pools, { profiles, lpTransfers, days, made, lives }),
      touches,
      spread,
      creatorTokens: made,
      lives,
    };
  };
  return {
    read: async (...place) => {
      const [chainId, , , upTo, asOfS] = place;
      const [mature, others] = await readProfiles(reads, place, transfersMax);
      const groups = [await readFrom(place, { known: others, fromBlock: 0 })];
      // One after another: each takes the memory of a large query.
      for (const token of mature) {
        const { address } = token.profile;
        const untilS = asOfS?.get(address) ?? FOREVER_S;
        const last = { chainId, token: addressParam(address), upTo, asOfS: untilS, transfersMax };
        const fromBlock = await firstRead(clickhouse, last);
        groups.push(await readFrom(place, { known: [token], fromBlock }));
      }
      return merged(groups);
    },
  };
};
