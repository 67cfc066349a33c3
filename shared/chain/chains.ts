import type { Hex } from './block.ts';

/** Built-in parameters of known chains. */
export interface ChainDefaults {
  readonly name: string;
  /** Wrapped native token, the usual base of a pool. */
  readonly weth: Hex;
  /** Tokens worth one US dollar. */
  readonly stables: readonly Hex[];
  /** US dollars per native unit, used while no stable pool is indexed. */
  readonly nativePriceUsd: number;
  /** Seconds between blocks, for estimates only. */
  readonly blockTimeS: number;
}

/** Known chains by id. Others need WETH_ADDRESS and NATIVE_PRICE_USD in the environment. */
export const CHAIN_DEFAULTS: Readonly<Record<number, ChainDefaults>> = {
  1: {
    name: 'Ethereum',
    weth: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    stables: [
      '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
      '0xdac17f958d2ee523a2206206994597c13d831ec7',
      '0x6b175474e89094c44da98b954eedeac495271d0f',
    ],
    nativePriceUsd: 2500,
    blockTimeS: 12,
  },
  56: {
    name: 'BNB Smart Chain',
    weth: '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c',
    stables: [
      '0x55d398326f99059ff775485246999027b3197955',
      '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d',
    ],
    nativePriceUsd: 600,
    blockTimeS: 1,
  },
  137: {
    name: 'Polygon',
    weth: '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
    stables: [
      '0x2791bca1f2de4661ed88a30c99a7a9449aa84174',
      '0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
    ],
    nativePriceUsd: 0.5,
    blockTimeS: 2,
  },
  8453: {
    name: 'Base',
    weth: '0x4200000000000000000000000000000000000006',
    stables: ['0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'],
    nativePriceUsd: 2500,
    blockTimeS: 2,
  },
};

/**
 * Decimals of the known chains' stable tokens, by their contracts. Of others they are known once
 * their contract was read: until then such a token values nothing, since a guess may be wrong by 10^12.
 */
export const KNOWN_STABLE_DECIMALS: ReadonlyMap<Hex, number> = new Map<Hex, number>([
  ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 6], // Ethereum USDC
  ['0xdac17f958d2ee523a2206206994597c13d831ec7', 6], // Ethereum USDT
  ['0x6b175474e89094c44da98b954eedeac495271d0f', 18], // Ethereum DAI
  ['0x55d398326f99059ff775485246999027b3197955', 18], // BNB Smart Chain USDT
  ['0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', 18], // BNB Smart Chain USDC
  ['0x2791bca1f2de4661ed88a30c99a7a9449aa84174', 6], // Polygon USDC.e
  ['0xc2132d05d31c914a87c6611c10748aeb04b58e8f', 6], // Polygon USDT
  ['0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 6], // Base USDC
]);
