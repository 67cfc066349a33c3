import { z } from 'zod';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { LOCK_ACTS } from '../../../shared/chain/fact.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';

/** One row of `fact_locks`, in chain order. */
export const lockRowSchema = z.object({
  act: z.enum(LOCK_ACTS),
  locker: addressSchema,
  lockId: z.coerce.bigint(),
  asset: addressSchema,
  position: z.coerce.bigint(),
  owner: addressSchema,
  amount: z.coerce.bigint(),
  unlockAtS: z.number(),
  atS: z.number(),
  txHash: hashSchema,
});
export type LockRow = z.infer<typeof lockRowSchema>;

/** A lock according to its locker's logs: a claim. `HeldLock` has what it really holds. */
export interface Lock {
  readonly locker: Hex;
  readonly lockId: bigint;
  readonly asset: Hex;
  readonly position: bigint;
  owner: Hex;
  /** The amount still locked, raw units; unknown for a position. */
  amount: bigint;
  unlockAtS: number;
  readonly lockedAtS: number;
  readonly lockedTx: Hex;
  /** How often it was extended. */
  extended: number;
  /** The withdrawn amount, raw units, or liquidity of a position. */
  withdrawn: bigint;
  isOver: boolean;
}

/** Where a position is, and what is in it. */
export interface PositionState {
  /** Undefined if no transfer of it is known. */
  readonly owner: Hex | undefined;
  readonly liquidity: bigint;
}

/** The locks that an event can be about: by locker and number, and by asset if the log has it. */
const concerned = (locks: readonly Lock[], row: LockRow): Lock[] =>
  locks.filter(
    (lock) =>
      !lock.isOver &&
      lock.locker === row.locker &&
      lock.lockId === row.lockId &&
      (row.asset === ZERO_ADDRESS || lock.asset === row.asset) &&
      (row.position === 0n || lock.position === row.position),
  );

const withdraw = (locks: readonly Lock[], amount: bigint): void => {
  let left = amount;
  for (const lock of locks.toSorted((a, b) => a.unlockAtS - b.unlockAtS)) {
    // An event without an amount ends the lock.
    const taken = amount === 0n || left > lock.amount ? lock.amount : left;
    left -= taken;
    lock.amount -= taken;
    lock.withdrawn += taken;
    if (lock.amount === 0n) lock.isOver = true;
    if (amount > 0n && left === 0n) break;
  }
};

const apply = (locks: Lock[], row: LockRow): void => {
  const { locker, lockId, asset, position, owner, amount, unlockAtS, atS, txHash } = row;
  if (row.act === 'locked') {
    const place = { locker, lockId, asset, position, lockedAtS: atS, lockedTx: txHash };
    locks.push({ ...place, owner, amount, unlockAtS, extended: 0, withdrawn: 0n, isOver: false });
    return;
  }
  const found = concerned(locks, row);
  if (row.act === 'withdrawn') withdraw(found, amount);
  // For locks without numbers it is unknown which one is meant: the last one is assumed.
  const lock = found.at(-1);
  if (!lock) return;
  if (row.act === 'handedOver') lock.owner = owner;
  if (row.act === 'added') lock.amount += amount;
  if (row.act === 'extended') {
    if (amount > 0n) lock.amount = amount;
    if (unlockAtS > lock.unlockAtS) lock.extended += 1;
    if (unlockAtS > 0) lock.unlockAtS = unlockAtS;
  }
};

/** Key of a position. */
export const positionKey = ({ asset, position }: Pick<Lock, 'asset' | 'position'>): string =>
  `${asset}:${position}`;

/** Where each position is after its events. */
const positionsOf = (rows: readonly LockRow[]): Map<string, PositionState> => {
  const states = new Map<string, PositionState>();
  for (const row of rows) {
    const { owner, liquidity } = states.get(positionKey(row)) ?? {
      owner: undefined,
      liquidity: 0n,
    };
    if (row.act === 'moved') states.set(positionKey(row), { owner: row.owner, liquidity });
    const sign = { increased: 1n, decreased: -1n }[String(row.act)];
    if (sign) states.set(positionKey(row), { owner, liquidity: liquidity + sign * row.amount });
  }
  return states;
};

/** The state of locks and of locked positions, from their events in chain order. */
export const foldLocks = (
  rows: readonly LockRow[],
): { locks: readonly Lock[]; positions: ReadonlyMap<string, PositionState> } => {
  const locks: Lock[] = [];
  for (const row of rows) apply(locks, row);
  return { locks, positions: positionsOf(rows) };
};
