import { createHash } from 'node:crypto';
import type { Hex } from '../../../shared/chain/block.ts';
import { anyStrength, type Details, type Finding, type Rule } from './rule.ts';

/** Triggered by time: `unlockSoon`. */
export const unlockRule: Rule = {
  type: 'unlock_soon',
  watchedAs: 'token',
  threshold: anyStrength,
  looksAt:
    'chain time: `UNLOCK_NOTICE_S` (a day) before a lock of liquidity or supply ends, or when a shorter lock is made; once for each end',
  strength: 'any, from 1 % of the supply on',
  severity: 'warning REDUCE_EXPOSURE',
  notDetected: 'locks of tokens watched only after that moment',
};

/** Triggered by transfers out of lockers: `lockWithdrawn`. */
export const withdrawalRule: Rule = {
  type: 'lock_withdrawn',
  threshold: anyStrength,
  looksAt:
    'what leaves a locker, logged or not: its tokens, or a position that is moved or emptied; fees for a new or extended lock do not count',
  strength: 'any, from 1 % of the supply on',
  severity: 'critical SELL_IMMEDIATELY before the time, critical REDUCE_EXPOSURE after it',
  notDetected: 'tokens that a locker sends without a Transfer',
};

/** A lock of a token's liquidity or supply. */
export interface TokenLock {
  readonly token: Hex;
  readonly kind: 'liquidity' | 'position' | 'supply';
  readonly locker: Hex;
  /** Decimal. */
  readonly lockId: string;
  readonly asset: Hex;
  /** Decimal, 0: none. */
  readonly position: string;
  readonly owner: Hex;
  readonly unlockAtS: number;
  /** Share of the liquidity or the supply by the last verdict, 0 to 1; null if unknown. */
  readonly share: number | null;
  readonly lockedTx: Hex;
}

/** A smaller share of the supply raises no alert. */
const SHARE_MIN = 0.01;

/** Distinguishes locks of one block, the same at every repetition. */
const numberOf = ({ locker, lockId, asset, position }: TokenLock): number =>
  createHash('sha256').update([locker, lockId, asset, position].join(':')).digest().readUInt32BE(0);

const common = (lock: TokenLock): Details => ({
  lock: [lock.locker, lock.lockId, lock.asset, lock.position].join(':'),
  locked: lock.kind,
  locker: lock.locker,
  owner: lock.owner,
  locked_share: lock.share,
  unlock_at: lock.unlockAtS,
});

const isSmall = ({ share }: TokenLock): boolean => share !== null && share < SHARE_MIN;

/** A lock ends soon, or was created for a short time: its contents can be withdrawn then. */
export const unlockSoon = (
  lock: TokenLock,
  block: { readonly number: number; readonly timestampS: number },
): Finding[] =>
  isSmall(lock)
    ? []
    : [
        {
          type: 'unlock_soon',
          token: lock.token,
          wallets: [],
          strength: 1,
          severity: 'warning',
          recommendation: 'REDUCE_EXPOSURE',
          details: {
            ...common(lock),
            seconds_left: Math.max(0, lock.unlockAtS - block.timestampS),
            tx_hash: lock.lockedTx,
            block_number: block.number,
          },
          txHash: lock.lockedTx,
          logIndex: numberOf(lock),
        },
      ];

/** What left a locker, and by which log. */
export interface Outflow {
  readonly locker: Hex;
  readonly asset: Hex;
  /** Decimal, 0: none. */
  readonly position: string;
  /**
   * The number of the lock that the locker logged as withdrawn in the transaction, decimal; null: none was logged.
   */
  readonly loggedId: string | null;
  readonly txHash: Hex;
  readonly logIndex: number;
}

/** Something left a lock: after its end the liquidity can go; before its end the lock was fake. */
export const lockWithdrawn = (
  lock: TokenLock,
  outflow: Outflow,
  block: { readonly number: number; readonly timestampS: number },
): Finding[] => {
  if (isSmall(lock)) return [];
  const isEarly = block.timestampS < lock.unlockAtS;
  return [
    {
      type: 'lock_withdrawn',
      token: lock.token,
      wallets: [lock.owner],
      strength: 1,
      severity: 'critical',
      recommendation: isEarly ? 'SELL_IMMEDIATELY' : 'REDUCE_EXPOSURE',
      details: {
        ...common(lock),
        before_time: isEarly,
        logged: outflow.loggedId !== null,
        tx_hash: outflow.txHash,
        block_number: block.number,
      },
      txHash: outflow.txHash,
      logIndex: outflow.logIndex,
    },
  ];
};
