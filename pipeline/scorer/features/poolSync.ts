import type { CreatorRecord } from './creatorRecord.ts';

/**
 * One Sync of a pool: both reserves after a swap, mint or burn. `reserveBase` is the WETH or stablecoin side in whole
 * units of the native coin (a stablecoin amount is divided by the native price, so that volumes of all pools share
 * one scale); `reserveToken` is the raw integer as a float.
 */
export type PoolSync = {
  timestampS: number;
  blockNumber: number;
  reserveBase: number;
  reserveToken: number;
};

/** One transfer of a pool's liquidity token; addresses are lower case, `value` is raw. */
export type LpTransfer = {
  timestampS: number;
  from: string;
  to: string;
  value: number;
};

/** All transfers of a pool's liquidity token in (block, log index) order, from the first. */
export type LpSeries = {
  pool: string;
  /** Who created the pool or its token; undefined if unknown. */
  creator: string | undefined;
  transfers: readonly LpTransfer[];
  /** Contracts that proved to lock, in addition to known ones. */
  lockers?: ReadonlySet<string> | undefined;
};

/**
 * All recorded data of one pool: its Syncs in (block, log index) order, from the first, and further data. An
 * undefined part makes its features missing.
 */
export type PoolSeries = {
  syncs: readonly PoolSync[];
  lp?: LpSeries | undefined;
  creator?: CreatorRecord | undefined;
};

/** What moved the reserves between two Syncs; `other` is a donation, a rebase or a Sync without change. */
export type StepKind = 'buy' | 'sell' | 'add' | 'remove' | 'other';

/** The kind of a step from the signs of both reserve changes. */
export const classifyStep = (deltaBase: number, deltaToken: number): StepKind => {
  if (deltaBase > 0 && deltaToken < 0) return 'buy';
  if (deltaBase < 0 && deltaToken > 0) return 'sell';
  if (deltaBase > 0 && deltaToken > 0) return 'add';
  if (deltaBase < 0 && deltaToken < 0) return 'remove';
  return 'other';
};

/** The step from one Sync to the next. */
export const stepKind = (before: PoolSync, after: PoolSync): StepKind =>
  classifyStep(after.reserveBase - before.reserveBase, after.reserveToken - before.reserveToken);

/**
 * Converts a raw integer amount to whole units as a double. Training and live scoring must both use this conversion
 * (correctly rounded integer, then one division), or features differ in their last digits.
 */
export const wholeUnits = (raw: bigint | string, decimals: number): number =>
  Number(raw) / 10 ** decimals;
