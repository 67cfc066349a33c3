/**
 * One Sync of a pool: both reserves after a swap, mint or burn.
 * `reserveBase` is the WETH or stable side in whole units of the native coin (a stable side is divided by the
 * native price, so that volumes of all pools share one scale); `reserveToken` is the raw integer as a float.
 */
export type PoolSync = {
  timestampS: number;
  blockNumber: number;
  reserveBase: number;
  reserveToken: number;
};

/** All Syncs of one pool in (block, log index) order, from the pool's first. */
export type PoolSeries = { syncs: readonly PoolSync[] };

/** What moved the reserves between two Syncs; `other` is a donation, a rebase or a Sync without change. */
export type StepKind = 'buy' | 'sell' | 'add' | 'remove' | 'other';

/** Reads the kind of a step from the signs of both reserve changes. */
export const classifyStep = (deltaBase: number, deltaToken: number): StepKind => {
  if (deltaBase > 0 && deltaToken < 0) return 'buy';
  if (deltaBase < 0 && deltaToken > 0) return 'sell';
  if (deltaBase > 0 && deltaToken > 0) return 'add';
  if (deltaBase < 0 && deltaToken < 0) return 'remove';
  return 'other';
};

/**
 * Converts a raw integer amount to whole units as a double. Training and live must both use this one
 * conversion (correctly rounded integer, then one division), or features differ in their last digits.
 */
export const wholeUnits = (raw: bigint | string, decimals: number): number =>
  Number(raw) / 10 ** decimals;
