import type { ChainProfile } from '../chainProfile.ts';

export const arbitrum: ChainProfile = {
  chainId: 42161,
  name: 'Arbitrum One',
  explorer: 'https://arbiscan.io',
  weth: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
  stables: [
    { symbol: 'USDC', address: '0xaf88d065e77c8cc2239327c5edb3a432268e5831', decimals: 6 },
    { symbol: 'USDC.e', address: '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8', decimals: 6 },
    { symbol: 'USDT', address: '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9', decimals: 6 },
    { symbol: 'DAI', address: '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1', decimals: 18 },
  ],
  nativePriceUsd: 2500,
  blockTimeS: 0.25,
  // Half an hour: enough for finality on Ethereum, with a margin.
  finalityBlocks: 7200,
  factories: {
    uniswap_v2: {
      'Uniswap V2': '0xf1d7cc64fb4452f05c498126312ebe29f30fbcf9',
      'SushiSwap V2': '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      'PancakeSwap V2': '0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e',
    },
    uniswap_v3: {
      'Uniswap V3': '0x1f98431c8ad98523631ae4a59f267346ea31f984',
      'SushiSwap V3': '0x1af415a1eba07a4986a52b6f2e7de7003d82231e',
    },
    pancake_v3: { 'PancakeSwap V3': '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865' },
    uniswap_v4: { 'Uniswap V4': '0x360e68faccca8ca495c1b759fd9eee466db9fb32' },
    balancer_v2: { 'Balancer V2': '0xba12222222228d8ba445958a75a0704d566bf2c8' },
  },
};
