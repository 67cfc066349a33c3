import type { Hex } from '../../shared/chain/block.ts';

/** Decimals of the known chains' stable tokens that have not 18, by their contracts. */
const SIX_DECIMALS: readonly Hex[] = [
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', // Ethereum USDC
  '0xdac17f958d2ee523a2206206994597c13d831ec7', // Ethereum USDT
  '0x2791bca1f2de4661ed88a30c99a7a9449aa84174', // Polygon USDC.e
  '0xc2132d05d31c914a87c6611c10748aeb04b58e8f', // Polygon USDT
  '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', // Base USDC
];

/** What is known of stable tokens, over which goes what their contracts told the index. */
export const stableDecimals = (indexed: ReadonlyMap<Hex, number>): Map<Hex, number> =>
  new Map([...SIX_DECIMALS.map((token) => [token, 6] as const), ...indexed]);
