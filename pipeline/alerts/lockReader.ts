import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { BESIDE_UNISWAP_V2 } from '../../shared/market/marketReads.ts';
import { addressSchema, hashSchema } from '../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import type { TokenLock } from './rules/locks.ts';

/** Contents of a lock. */
export interface LockPlace {
  readonly asset: Hex;
  /** Decimal, 0: none. */
  readonly position: string;
}

/** A lock as its locker logged it. */
export type LoggedLock = Omit<TokenLock, 'token' | 'kind' | 'share'>;

const CHAIN = 'chain_id = {chainId:UInt64}';
/** Locks read per group. */
const LOCKS_MAX = 10_000;

const lockersSql = `SELECT DISTINCT ${hexText('l.locker')} AS address FROM fact_locks AS l WHERE l.${CHAIN} AND l.act = 'locked'`;

/**
 * State of the locks that match a condition: when they end, who owns them, and whether anything is left. Locks
 * without numbers are combined per locker and asset. If a log contains only a lock's number, the asset is taken from
 * the lock.
 */
const foldedSql = (
  condition: string,
): string => `SELECT ${hexText('l.locker')} AS locker, toString(l.lock_id) AS lock_id,
    ${hexText('l.of_asset')} AS asset, toString(max(l.position)) AS position,
    ${hexText(`argMaxIf(l.owner, (l.block_number, l.log_index), l.owner != toFixedString('', 20))`)} AS owner,
    argMaxIf(l.unlock_at, (l.block_number, l.log_index), l.unlock_at > 0) AS ends,
    ${hexText(`argMinIf(l.tx_hash, (l.block_number, l.log_index), l.act = 'locked')`)} AS locked_tx,
    toUInt8(countIf(l.act = 'withdrawn') = 0 OR (sumIf(l.amount, l.act IN ('locked', 'added')) > sumIf(l.amount, l.act = 'withdrawn')
      AND sumIf(l.amount, l.act = 'withdrawn') > 0)) AS is_open
  FROM (SELECT *, if(asset = toFixedString('', 20), max(asset) OVER (PARTITION BY locker, lock_id), asset) AS of_asset
    FROM fact_locks FINAL WHERE ${CHAIN} AND locker != toFixedString('', 20) AND (locker, lock_id) IN
    (SELECT locker, lock_id FROM fact_locks FINAL WHERE ${CHAIN} AND act IN ('locked', 'extended') AND ${condition})) AS l
  GROUP BY l.locker, l.lock_id, l.of_asset
  HAVING countIf(l.act = 'locked') > 0 LIMIT ${LOCKS_MAX}`;
const foldedRow = z
  .object({
    locker: addressSchema,
    lock_id: z.string(),
    asset: addressSchema,
    position: z.string(),
    owner: addressSchema,
    ends: z.number(),
    locked_tx: hashSchema,
    is_open: z.number(),
  })
  .transform(({ lock_id: lockId, ends: unlockAtS, locked_tx: lockedTx, is_open, ...row }) => {
    return { ...row, lockId, unlockAtS, lockedTx, isOpen: is_open === 1 };
  });
type Folded = LoggedLock & { readonly isOpen: boolean };

const positions = '(SELECT toUInt256(arrayJoin({positions:Array(String)})))';
const endingSql = foldedSql('unlock_at > {afterS:UInt64} AND unlock_at <= {untilS:UInt64}');
const atSql = foldedSql(`asset IN ${inAddresses('assets')} AND position IN ${positions}`);

const pools = `(SELECT toFixedString(unhex(arrayJoin({assets:Array(String)})), 20) AS asset, toUInt256(0) AS position, asset AS pool
    UNION ALL SELECT asset, position, market FROM fact_locks FINAL WHERE ${CHAIN} AND act = 'increased' AND market != toFixedString('', 20)
      AND asset IN ${inAddresses('assets')} AND position IN ${positions})`;
/** Tokens behind a locked asset: the asset itself, the tokens of its pool, and those of a position's pool. */
const tokensSql = `SELECT DISTINCT ${hexText('a.asset')} AS asset, toString(a.position) AS position, ${hexText('a.token')} AS address FROM (
    SELECT asset, position, pool AS token FROM ${pools}
    UNION ALL SELECT p.asset, p.position, d.token FROM ${pools} AS p
      INNER JOIN (SELECT token, pool FROM dim_pools FINAL WHERE ${CHAIN} AND pool IN (SELECT pool FROM ${pools})) AS d ON d.pool = p.pool
    UNION ALL SELECT p.asset, p.position, arrayJoin([m.token0, m.token1]) FROM ${pools} AS p
      INNER JOIN (SELECT token0, token1, toFixedString(substring(market, 13), 20) AS pool FROM fact_markets FINAL WHERE ${CHAIN} AND ${BESIDE_UNISWAP_V2}
        AND market IN (SELECT toFixedString(concat(repeat('\\0', 12), pool), 32) FROM ${pools})) AS m ON m.pool = p.pool) AS a
  INNER JOIN (SELECT token FROM dim_tokens FINAL WHERE ${CHAIN}) AS k ON k.token = a.token
  WHERE a.token NOT IN ${inAddresses('bases')}`;
const tokenRow = z.object({ asset: addressSchema, position: z.string(), address: addressSchema });

/** What the last verdict says about the locks of tokens. */
const sharesSql = `SELECT ${hexText('v.token')} AS address, l.locker AS locker, l.lock_id AS lock_id, l.share AS share
  FROM (SELECT token, locks FROM token_verdicts FINAL WHERE ${CHAIN} AND token IN ${inAddresses('tokens')}) AS v ARRAY JOIN v.locks AS l
  WHERE l.state != 'withdrawn'`;
const shareRow = z.object({
  address: addressSchema,
  locker: addressSchema,
  lock_id: z.string(),
  share: z.number(),
});

/** Which locks to read. */
interface LockScope {
  readonly chainId: number;
  /** Tokens in which others are priced: a lock of their pool is irrelevant to them. */
  readonly bases: readonly Hex[];
}

/** Adds the tokens behind locks: one row for each token, unknown tokens left out. */
const withTokens = async (
  clickhouse: Clickhouse,
  { chainId, bases }: LockScope,
  folded: readonly LoggedLock[],
): Promise<TokenLock[]> => {
  if (folded.length === 0) return [];
  const places = {
    chainId,
    bases: bases.map(addressParam),
    assets: [...new Set(folded.map(({ asset }) => addressParam(asset)))],
    positions: [...new Set(folded.map(({ position }) => position))],
  };
  const tokens = await clickhouse.query(tokensSql, places, tokenRow);
  const params = {
    chainId,
    tokens: [...new Set(tokens.map(({ address }) => addressParam(address)))],
  };
  const shares = await clickhouse.query(sharesSql, params, shareRow);
  return folded.flatMap(({ locker, lockId, asset, position, owner, unlockAtS, lockedTx }) =>
    tokens
      .filter((one) => one.asset === asset && one.position === position)
      .map(({ address: token }): TokenLock => {
        const known = shares.find(
          (one) => one.address === token && one.locker === locker && one.lock_id === lockId,
        );
        const kind = position === '0' ? (asset === token ? 'supply' : 'liquidity') : 'position';
        const lock = { kind, locker, lockId, asset, position, owner, unlockAtS, lockedTx } as const;
        return { ...lock, token, share: known?.share ?? null };
      }),
  );
};

/** The locks of one chain in ClickHouse. */
export const createLockReader = (clickhouse: Clickhouse, scope: LockScope) => {
  const { chainId } = scope;
  const read = async (sql: string, params: Record<string, unknown>): Promise<Folded[]> =>
    clickhouse.query(sql, { chainId, ...params }, foldedRow);
  return {
    /** Contracts that ever logged a lock. */
    lockers: async (): Promise<Hex[]> => {
      const rows = await clickhouse.query(
        lockersSql,
        { chainId },
        z.object({ address: addressSchema }),
      );
      return rows.map(({ address }) => address);
    },
    /** Locks that end within a time span (Unix seconds, start exclusive) and still hold something. */
    ending: async (afterS: number, untilS: number): Promise<TokenLock[]> => {
      const rows = await read(endingSql, { afterS, untilS });
      const ending = rows.filter(
        ({ unlockAtS, isOpen }) => isOpen && unlockAtS > afterS && unlockAtS <= untilS,
      );
      return withTokens(clickhouse, scope, ending);
    },
    /** The same locks, one row for each token behind them. */
    ofTokens: (locks: readonly LoggedLock[]): Promise<TokenLock[]> =>
      withTokens(clickhouse, scope, locks),
    /** Locks of pool tokens, tokens, or positions. */
    at: async (places: readonly LockPlace[]): Promise<TokenLock[]> => {
      if (places.length === 0) return [];
      const assets = [...new Set(places.map(({ asset }) => addressParam(asset)))];
      const rows = await read(atSql, {
        assets,
        positions: [...new Set(places.map(({ position }) => position))],
      });
      const isThere = (row: Folded): boolean =>
        places.some(({ asset, position }) => row.asset === asset && row.position === position);
      return withTokens(clickhouse, scope, rows.filter(isThere));
    },
  };
};
/** Reads of the locks that the scorer stores. */
export type LockReader = ReturnType<typeof createLockReader>;
