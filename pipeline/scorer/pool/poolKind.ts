/**
 * How a pool is traded on: by two reserves with a fee of 0.3 % (Uniswap V2 and forks), by reserves of which the pool says what they give
 * (Solidly), or by liquidity between ticks (Uniswap V3 and forks).
 */
export const POOL_KINDS = ['reserves', 'solidly', 'concentrated'] as const;
export type PoolKind = (typeof POOL_KINDS)[number];
