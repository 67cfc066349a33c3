import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlocksEvent, ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import type { LockFact } from '../../../shared/chain/fact.ts';
import { marketId } from '../../../shared/market/marketId.ts';
import { BESIDE_UNISWAP_V2 } from '../../../shared/market/marketReads.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { NO_CACHE, type ReadCache, type Rows } from '../readCache.ts';
import {
  type AssetState,
  type HeldLock,
  heldLocks,
  type MarketPosition,
  marketPositionSchema,
} from './heldLocks.ts';
import { foldLocks, lockRowSchema, positionKey } from './lockLedger.ts';

/** A token, with the pools whose liquidity can be locked. */
export interface LockSubject {
  readonly token: Hex;
  /** Pools whose liquidity is a token. */
  readonly pools: readonly Hex[];
  /** Pools with concentrated liquidity. */
  readonly concentrated: readonly Hex[];
}

/** Rows of locks read per group of tokens. */
const ROWS_MAX = 20_000;
/** Positions per pool among which locked ones are looked for, the first ones created. */
const POSITIONS_PER_POOL_MAX = 500;

const CHAIN = 'chain_id = {chainId:UInt64}';
const SELECTED = `toString(l.act) AS act, ${hexText('l.locker')} AS locker, toString(l.lock_id) AS lockId,
    ${hexText('l.asset')} AS asset, toString(l.position) AS position, ${hexText('l.owner')} AS owner, toString(l.amount) AS amount,
    l.unlock_at AS unlockAtS, toUnixTimestamp(l.timestamp) AS atS, ${hexText('l.tx_hash')} AS txHash`;
const found = `(SELECT * FROM fact_locks FINAL WHERE ${CHAIN} AND block_number <= {upTo:UInt64}
    AND ((asset IN ${inAddresses('assets')} AND position = 0) OR (asset IN ${inAddresses('managers')} AND position IN (SELECT toUInt256(arrayJoin({positions:Array(String)}))))))`;
const rowsSql = `SELECT ${SELECTED} FROM ${found} AS l ORDER BY l.block_number, l.log_index LIMIT {rowsMax:UInt32}`;
/** The same with logs that have only the number of a lock: their asset is that of the lock. */
const rowsByNumberSql = `SELECT ${SELECTED} FROM (SELECT * FROM ${found}
    UNION ALL SELECT * FROM fact_locks FINAL WHERE ${CHAIN} AND block_number <= {upTo:UInt64} AND asset = toFixedString('', 20)
      AND (locker, lock_id) IN (SELECT locker, lock_id FROM ${found} WHERE act = 'locked')) AS l
  ORDER BY l.block_number, l.log_index LIMIT {rowsMax:UInt32}`;

/** The supply of tokens, and what lockers hold and ever received of them. */
const balancesSql = `SELECT ${hexText('t.token')} AS asset, ${hexText('t.holder')} AS holder, toString(sum(t.delta)) AS balance,
    toString(sumIf(t.delta, t.delta > 0)) AS received
  FROM (SELECT token, arrayJoin([(from_address, -toInt256(value)), (to_address, toInt256(value))]) AS move, move.1 AS holder, move.2 AS delta
    FROM fact_transfers FINAL WHERE ${CHAIN} AND block_number <= {upTo:UInt64} AND token IN ${inAddresses('assets')}) AS t
  WHERE t.holder = toFixedString('', 20) OR t.holder IN ${inAddresses('lockers')} GROUP BY t.token, t.holder`;
const balanceSchema = z.object({
  asset: addressSchema,
  holder: addressSchema,
  balance: z.coerce.bigint(),
  received: z.coerce.bigint(),
});

const marketEvents = `(SELECT * FROM fact_market_events FINAL WHERE ${CHAIN} AND block_number <= {upTo:UInt64} AND manager = toFixedString('', 20)
    AND market IN (SELECT toFixedString(unhex(arrayJoin({markets:Array(String)})), 32)))`;
/**
 * Positions of pools, with the liquidity at the pool's price. A position's range is that of its first added
 * liquidity.
 */
const positionsSql = `SELECT ${hexText('i.market')} AS pool, ${hexText('i.asset')} AS manager, toString(i.position) AS position,
    toBool(any(m.tick_lower <= p.price_tick AND m.tick_upper > p.price_tick)) AS isInRange, toString(any(p.active)) AS poolLiquidity
  FROM (SELECT * FROM fact_locks FINAL WHERE ${CHAIN} AND block_number <= {upTo:UInt64} AND act = 'increased' AND market IN ${inAddresses('pools')}
    ORDER BY block_number LIMIT ${POSITIONS_PER_POOL_MAX} BY market) AS i
  INNER JOIN (SELECT * FROM ${marketEvents} WHERE kind = 'mint') AS m
    ON substring(m.market, 13) = toString(i.market) AND m.tx_hash = i.tx_hash AND m.position_owner = i.asset AND m.position_liquidity = i.amount
  INNER JOIN (SELECT e.market AS market, any(t.price_tick) AS price_tick,
      sumIf(if(e.kind = 'mint', 1, -1) * toInt256(e.position_liquidity), e.tick_lower <= t.price_tick AND e.tick_upper > t.price_tick) AS active
    FROM (SELECT * FROM ${marketEvents} WHERE kind IN ('mint', 'burn')) AS e
    INNER JOIN (SELECT market, argMax(tick, (block_number, log_index)) AS price_tick FROM ${marketEvents}
      WHERE kind IN ('swap', 'priced') AND sqrt_price_x96 > 0 GROUP BY market) AS t ON t.market = e.market
    GROUP BY e.market) AS p ON p.market = m.market
  GROUP BY i.market, i.asset, i.position`;

/** Assets of lock events. */
type Claim = Pick<LockFact, 'asset' | 'locker'> & {
  readonly position: bigint;
  readonly lockId: bigint;
  readonly block: number;
};

/** Actions that change the locks of a token; positions change with transfers of the token itself. */
const LOCKER_ACTS: ReadonlySet<string> = new Set([
  'locked',
  'extended',
  'added',
  'withdrawn',
  'handedOver',
]);

/** Locks by number, if a log has no more. */
const namedSql = `SELECT ${hexText('l.locker')} AS locker, toString(l.lock_id) AS lockId, ${hexText('l.asset')} AS asset, toString(l.position) AS position
  FROM fact_locks AS l FINAL WHERE l.${CHAIN} AND l.act = 'locked' AND l.locker IN ${inAddresses('lockers')} AND l.lock_id IN (SELECT toUInt256(arrayJoin({ids:Array(String)})))`;
const namedSchema = z.object({
  locker: addressSchema,
  lockId: z.coerce.bigint(),
  asset: addressSchema,
  position: z.coerce.bigint(),
});

const orphanedSql = `SELECT DISTINCT ${hexText('l.locker')} AS locker, toString(l.lock_id) AS lockId, ${hexText('l.asset')} AS asset, toString(l.position) AS position
  FROM fact_locks AS l WHERE l.${CHAIN} AND l.block_number > {ancestor:UInt64} AND l.is_deleted = 0 AND l.locker != toFixedString('', 20)
    AND l.block_hash IN (SELECT toFixedString(unhex(arrayJoin({orphaned:Array(String)})), 32))`;

const pools = `(SELECT toFixedString(unhex(arrayJoin({assets:Array(String)})), 20) AS pool, toUInt256(0) AS position
    UNION ALL SELECT market, position FROM fact_locks FINAL WHERE ${CHAIN} AND act = 'increased' AND market != toFixedString('', 20)
      AND asset IN ${inAddresses('assets')} AND position IN (SELECT toUInt256(arrayJoin({positions:Array(String)}))))`;
/** Tokens behind a locked asset: the asset itself, the tokens of its pool, and those of a position's pool. */
const tokensSql = `SELECT DISTINCT toString(a.position) AS position, ${hexText('a.token')} AS address FROM (
    SELECT pool AS token, position FROM ${pools}
    UNION ALL SELECT d.token, p.position FROM ${pools} AS p
      INNER JOIN (SELECT token, pool FROM dim_pools FINAL WHERE ${CHAIN} AND pool IN (SELECT pool FROM ${pools})) AS d ON d.pool = p.pool
    UNION ALL SELECT arrayJoin([m.token0, m.token1]), p.position FROM ${pools} AS p
      INNER JOIN (SELECT token0, token1, toFixedString(substring(market, 13), 20) AS pool FROM fact_markets FINAL WHERE ${CHAIN} AND ${BESIDE_UNISWAP_V2}
        AND market IN (SELECT toFixedString(concat(repeat('\0', 12), pool), 32) FROM ${pools})) AS m ON m.pool = p.pool) AS a
  INNER JOIN (SELECT token FROM dim_tokens FINAL WHERE ${CHAIN}) AS k ON k.token = a.token`;
const tokenSchema = z.object({ address: addressSchema });

const claimsOf = (events: readonly BlocksEvent[]): Claim[] =>
  events.flatMap(({ blocks }) =>
    blocks.flatMap(({ number: block, facts }) =>
      facts.flatMap((fact): Claim[] => {
        if (fact.kind !== 'lock' || !LOCKER_ACTS.has(fact.act)) return [];
        const { asset, locker } = fact;
        return [
          { asset, locker, position: BigInt(fact.position), lockId: BigInt(fact.lockId), block },
        ];
      }),
    ),
  );

/** Assets of locks of which only the numbers are logged. */
const named = async (
  clickhouse: Clickhouse,
  chainId: number,
  claims: readonly Claim[],
): Promise<Claim[]> => {
  const bare = claims.filter(({ asset }) => asset === ZERO_ADDRESS);
  if (bare.length === 0) return [...claims];
  const lockers = [...new Set(bare.map(({ locker }) => addressParam(locker)))];
  const ids = [...new Set(bare.map(({ lockId }) => String(lockId)))];
  const rows = await clickhouse.query(namedSql, { chainId, lockers, ids }, namedSchema);
  return claims.flatMap((claim) => {
    if (claim.asset !== ZERO_ADDRESS) return [claim];
    return rows
      .filter(({ locker, lockId }) => locker === claim.locker && lockId === claim.lockId)
      .map(({ asset, position }) => ({ ...claim, asset, position }));
  });
};

/** Tokens of claims, each with the last block of those that are about it. */
const tokensOf = async (
  clickhouse: Clickhouse,
  chainId: number,
  some: readonly Claim[],
): Promise<Map<Hex, number>> => {
  const tokens = new Map<Hex, number>();
  const claims = await named(clickhouse, chainId, some);
  const byBlock = groupBy(claims, ({ block }) => block);
  for (const [block, own] of byBlock) {
    const assets = [...new Set(own.map(({ asset }) => addressParam(asset)))];
    const positions = [...new Set(own.map(({ position }) => String(position)))];
    const rows = await clickhouse.query(tokensSql, { chainId, assets, positions }, tokenSchema);
    for (const { address } of rows) {
      tokens.set(address, Math.max(block, tokens.get(address) ?? 0));
    }
  }
  return tokens;
};

/** The NFT positions of pools, by key. */
const positionsOf = async (
  clickhouse: Clickhouse,
  chainId: number,
  concentrated: readonly Hex[],
  upTo: number,
): Promise<Map<string, MarketPosition>> => {
  if (concentrated.length === 0) return new Map();
  const params = {
    chainId,
    upTo,
    pools: concentrated.map(addressParam),
    markets: concentrated.map((pool) => marketId(pool).slice(2)),
  };
  const rows = await clickhouse.query(positionsSql, params, marketPositionSchema);
  return new Map(
    rows.map((row) => [positionKey({ asset: row.manager, position: row.position }), row]),
  );
};

const assetsOf = async (
  clickhouse: Clickhouse,
  chainId: number,
  locks: readonly { asset: Hex; locker: Hex; position: bigint }[],
  upTo: number,
): Promise<Map<Hex, AssetState>> => {
  const tokens = locks.filter(({ position }) => position === 0n);
  if (tokens.length === 0) return new Map();
  const params = {
    chainId,
    upTo,
    assets: [...new Set(tokens.map(({ asset }) => addressParam(asset)))],
    lockers: [...new Set(tokens.map(({ locker }) => addressParam(locker)))],
  };
  const rows = await clickhouse.query(balancesSql, params, balanceSchema);
  return new Map(
    [...groupBy(rows, ({ asset }) => asset)].map(([asset, own]) => {
      const minted = own.find(({ holder }) => holder === ZERO_ADDRESS)?.balance ?? 0n;
      return [asset, { supply: -minted, lockers: new Map(own.map((row) => [row.holder, row])) }];
    }),
  );
};

/** Locks of tokens and of their pools, by token; absent for tokens without locks or positions. */
const readLocks = async (
  clickhouse: Clickhouse,
  chainId: number,
  subjects: readonly LockSubject[],
  upTo: number,
): Promise<Map<Hex, readonly HeldLock[]>> => {
  const concentrated = subjects.flatMap((subject) => subject.concentrated);
  const marketPositions = await positionsOf(clickhouse, chainId, concentrated, upTo);
  const places = [...marketPositions.values()];
  const params = {
    chainId,
    upTo,
    assets: subjects.flatMap(({ token, pools: own }) => [token, ...own].map(addressParam)),
    managers: [...new Set(places.map(({ manager }) => addressParam(manager)))],
    positions: [...new Set(places.map(({ position }) => String(position)))],
    rowsMax: ROWS_MAX,
  };
  const named = await clickhouse.query(rowsSql, params, lockRowSchema);
  // Most tokens have no locks: nothing more is read for them.
  const locked = new Set(named.flatMap(({ act, asset }) => (act === 'locked' ? [asset] : [])));
  if (locked.size === 0) return new Map();
  const rows = await clickhouse.query(rowsByNumberSql, params, lockRowSchema);
  const { locks, positions } = foldLocks(rows);
  const assets = await assetsOf(clickhouse, chainId, locks, upTo);
  const facts = { locks, positions, assets, marketPositions };
  return new Map(
    subjects
      .filter(
        ({ token, pools: own, concentrated: others }) =>
          others.length > 0 || [token, ...own].some((asset) => locked.has(asset)),
      )
      .map(({ token, pools: own, concentrated: others }) => [
        token,
        heldLocks(token, new Set([...own, ...others]), facts),
      ]),
  );
};

/** The table `fact_locks`, and the transfers and pools beside it. */
export const createLockStore = (clickhouse: Clickhouse, cache: ReadCache = NO_CACHE) => ({
  /** The locks of tokens and of their pools, by token; absent for tokens without. */
  read: async (
    chainId: number,
    subjects: readonly LockSubject[],
    upTo: number,
  ): Promise<Map<Hex, readonly HeldLock[]>> => {
    const subjectOf = new Map(
      subjects.map((one) => [[one.token, ...one.pools, '|', ...one.concentrated].join(), one]),
    );
    const found = await cache.read({
      of: 'locks',
      keys: [...subjectOf.keys()],
      upTo,
      read: async (missing) => {
        const asked = missing.flatMap((key) => subjectOf.get(key) ?? []);
        const held = await readLocks(clickhouse, chainId, asked, upTo);
        return new Map(
          missing.flatMap((key) => {
            const locks = held.get(subjectOf.get(key)?.token ?? ZERO_ADDRESS);
            return locks ? [[key, locks] as const] : [];
          }),
        );
      },
      // Only the absence of locks is cached: locks change with lockers' holdings, positions with the price.
      dependsOn: (key, locks) => {
        const subject = subjectOf.get(key);
        if (!subject || locks || subject.concentrated.length > 0) return undefined;
        return [subject.token, ...subject.pools].map((asset): Rows => `locks ${asset}`);
      },
    });
    return new Map(
      [...found].flatMap(([key, locks]) => {
        const token = subjectOf.get(key)?.token;
        return token && locks.length > 0 ? [[token, locks] as const] : [];
      }),
    );
  },
  /** Tokens whose locks these blocks changed, with the last block that did. */
  touchedBy: async (events: readonly BlocksEvent[]): Promise<Map<Hex, number>> => {
    const claims = claimsOf(events);
    const [first] = events;
    return first && claims.length > 0 ? tokensOf(clickhouse, first.chainId, claims) : new Map();
  },
  /** Tokens whose locks a reorg partly reverted. */
  touchedByReorg: async ({ chainId, ancestor, orphaned }: ReorgEvent): Promise<Hex[]> => {
    const params = {
      chainId,
      ancestor: ancestor.number,
      orphaned: orphaned.map(({ hash }) => hash.slice(2)),
    };
    const rows = await clickhouse.query(orphanedSql, params, namedSchema);
    const claims = rows.map((row) => ({ ...row, block: 0 }));
    return [...(await tokensOf(clickhouse, chainId, claims)).keys()];
  },
});
/** Reads locks from the facts. */
export type LockStore = ReturnType<typeof createLockStore>;
