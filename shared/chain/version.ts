/**
 * Row version of facts read in an epoch. ReplacingMergeTree keeps the highest version of a key, so
 * a tombstone of epoch e+1 beats the fact of epoch e, and the same block becoming canonical again
 * in epoch e+2 beats the tombstone, whatever the order of arrival.
 */
export const factVersion = (epoch: number): number => epoch * 2;

/** The epoch in which facts of a version were read. */
export const epochOfFact = (version: number): number => version / 2;

/** Row version of the tombstones written by the reorg that began `epoch`. */
export const tombstoneVersion = (epoch: number): number => epoch * 2 - 1;

/** Blocks per epoch in a position: far above any chain's height. */
const BLOCKS_PER_EPOCH_MAX = 2 ** 36;

/**
 * Orders everything that happened on a chain, reorgs included: a verdict at one position replaces those at earlier
 * ones. Exact up to epoch 131,071.
 */
export const chainPosition = (epoch: number, blockNumber: number): number =>
  epoch * BLOCKS_PER_EPOCH_MAX + blockNumber;
