import type { ChainProfile } from '../chainProfile.ts';

export const ethereum: ChainProfile = {
  chainId: 1,
  name: 'Ethereum',
  explorer: 'https://etherscan.io',
  weth: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  stables: [
    { symbol: 'USDC', address: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', decimals: 6 },
    { symbol: 'USDT', address: '0xdac17f958d2ee523a2206206994597c13d831ec7', decimals: 6 },
    { symbol: 'DAI', address: '0x6b175474e89094c44da98b954eedeac495271d0f', decimals: 18 },
  ],
  nativePriceUsd: 2500,
  blockTimeS: 12,
  // Two epochs.
  finalityBlocks: 64,
  factories: {
    uniswap_v2: {
      'Uniswap V2': '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f',
      'SushiSwap V2': '0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac',
      'PancakeSwap V2': '0x1097053fd2ea711dad45caccc45eff7548fcb362',
    },
    uniswap_v3: {
      'Uniswap V3': '0x1f98431c8ad98523631ae4a59f267346ea31f984',
      'SushiSwap V3': '0xbaceb8ec6b9355dfc0269c18bac9d6e2bdc29c4f',
    },
    pancake_v3: { 'PancakeSwap V3': '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865' },
    uniswap_v4: { 'Uniswap V4': '0x000000000004444c5dc75cb358380d2e3de08a90' },
    balancer_v2: { 'Balancer V2': '0xba12222222228d8ba445958a75a0704d566bf2c8' },
  },
};
