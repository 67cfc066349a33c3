import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import { type Lock, type PositionState, positionKey } from './lockLedger.ts';

/** What is locked: liquidity tokens of a pool, a position in a pool, or the token itself. */
export type LockKind = 'liquidity' | 'position' | 'supply';

/** A locked asset, with the part that the locker really holds. */
export interface HeldLock extends Lock {
  readonly kind: LockKind;
  /** The pool whose liquidity it is; undefined for the token itself. */
  readonly market: Hex | undefined;
  /** Raw units, or liquidity of a position, that the locker holds for this lock. */
  readonly held: bigint;
  /** Share of the supply of the liquidity token, the pool or the token, 0 to 1. */
  readonly share: number;
  /** Whether the locker once held the asset, and paid it out without logging that. */
  readonly isGone: boolean;
}

/** The transfers of a token, either of a pool or the token itself. */
export interface AssetState {
  readonly supply: bigint;
  /** What each locker holds of it, and what it ever received. */
  readonly lockers: ReadonlyMap<Hex, { readonly balance: bigint; readonly received: bigint }>;
}

/** A position of a pool, as it is read. */
export const marketPositionSchema = z.object({
  pool: addressSchema,
  manager: addressSchema,
  position: z.coerce.bigint(),
  /** Whether the pool's price is in its range. */
  isInRange: z.boolean(),
  /** Liquidity of the whole pool at its price. */
  poolLiquidity: z.coerce.bigint(),
});
export type MarketPosition = z.infer<typeof marketPositionSchema>;

const PARTS = 1_000_000n;
const shareOf = (part: bigint, whole: bigint): number =>
  whole > 0n ? Math.min(1, Number((part * PARTS) / whole) / Number(PARTS)) : 0;

/** A locker's tokens are assigned to its locks of them, oldest first: it cannot hold them twice. */
const heldOf = (
  locks: readonly Lock[],
  assets: ReadonlyMap<Hex, AssetState>,
): Map<Lock, bigint> => {
  const left = new Map<string, bigint>();
  const held = new Map<Lock, bigint>();
  for (const lock of locks) {
    if (lock.position > 0n || lock.isOver) continue;
    const key = `${lock.locker}:${lock.asset}`;
    const has = left.get(key) ?? assets.get(lock.asset)?.lockers.get(lock.locker)?.balance ?? 0n;
    const part = has < lock.amount ? has : lock.amount;
    held.set(lock, part);
    left.set(key, has - part);
  }
  return held;
};

/**
 * A lock is gone if the locker received the tokens and no longer holds any; it never existed if the locker never
 * received any.
 */
const tokenLock = (
  lock: Lock,
  held: bigint,
  state: AssetState | undefined,
  place: { kind: LockKind; market: Hex | undefined },
): HeldLock => {
  const received = state?.lockers.get(lock.locker)?.received ?? 0n;
  const isGone = !lock.isOver && lock.amount > 0n && held === 0n && received >= lock.amount;
  return { ...lock, ...place, held, share: shareOf(held, state?.supply ?? 0n), isGone };
};

const positionLock = (
  lock: Lock,
  at: MarketPosition,
  state: PositionState | undefined,
): HeldLock => {
  const isThere = !lock.isOver && state?.owner === lock.locker;
  const held = isThere ? state.liquidity : 0n;
  const share = at.isInRange ? shareOf(held, at.poolLiquidity) : 0;
  const isGone = !lock.isOver && state?.owner !== undefined && state.owner !== lock.locker;
  return { ...lock, kind: 'position', market: at.pool, held, share, isGone };
};

/** The locks of one token: of itself, of its pools' tokens, and of positions in its pools. */
export const heldLocks = (
  token: Hex,
  pools: ReadonlySet<Hex>,
  facts: {
    readonly locks: readonly Lock[];
    readonly positions: ReadonlyMap<string, PositionState>;
    readonly assets: ReadonlyMap<Hex, AssetState>;
    readonly marketPositions: ReadonlyMap<string, MarketPosition>;
  },
): HeldLock[] => {
  const held = heldOf(facts.locks, facts.assets);
  return facts.locks.flatMap((lock): HeldLock[] => {
    if (lock.position > 0n) {
      const at = facts.marketPositions.get(positionKey(lock));
      if (!at || !pools.has(at.pool)) return [];
      return [positionLock(lock, at, facts.positions.get(positionKey(lock)))];
    }
    const isSupply = lock.asset === token;
    if (!isSupply && !pools.has(lock.asset)) return [];
    const kind = isSupply ? 'supply' : 'liquidity';
    const market = isSupply ? undefined : lock.asset;
    const part = held.get(lock) ?? 0n;
    return [tokenLock(lock, part, facts.assets.get(lock.asset), { kind, market })];
  });
};
