import { loggedByKnown } from './marketReads.ts';

// Any contract can answer like a Uniswap V2 pool and log reserves that it does not hold. A pool that no counted
// factory lists is ignored if the token also has a listed market that is or was worth something. A token that is
// traded on unlisted pools only keeps them.

/** US dollars that such a market must be worth. */
export const LISTED_USD_MIN = 1_000;
/** The same in whole quote units, if no price of that time is known. */
export const LISTED_BASE_MIN = 0.5;

/**
 * Whether a counted factory lists a pool, for a row of `dim_pools`; any factory if none are known. Pools found by a
 * release that did not check count too.
 */
export const isListed = (pools: string): string =>
  `ifNull(${pools}.factory != toFixedString('', 20) AND ${loggedByKnown(`assumeNotNull(${pools}.factory)`)}, 1)`;
