import { loggedByKnown } from './marketReads.ts';

// Any contract can answer like a pool of Uniswap V2 and log reserves that it does not hold. A pool that no factory lists that counts is left out
// beside a market that one lists and that is or was worth something; where a token is traded on such pools only, they count.

/** US dollars that such a market must be worth. */
export const LISTED_USD_MIN = 1_000;
/** The same in whole units of what it is paid with, where no price of that time is known. */
export const LISTED_BASE_MIN = 0.5;

/**
 * Whether a factory that counts lists a pool, of a row of `dim_pools`; where none are known any does. Those found by a release that did not ask
 * count too.
 */
export const isListed = (pools: string): string =>
  `ifNull(${pools}.factory != toFixedString('', 20) AND ${loggedByKnown(`assumeNotNull(${pools}.factory)`)}, 1)`;
