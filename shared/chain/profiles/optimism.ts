import type { ChainProfile } from '../chainProfile.ts';

export const optimism: ChainProfile = {
  chainId: 10,
  name: 'OP Mainnet',
  explorer: 'https://optimistic.etherscan.io',
  weth: '0x4200000000000000000000000000000000000006',
  stables: [
    { symbol: 'USDC', address: '0x0b2c639c533813f4aa9d7837caf62653d097ff85', decimals: 6 },
    { symbol: 'USDC.e', address: '0x7f5c764cbc14f9669b88837ca1490cca17c31607', decimals: 6 },
    { symbol: 'USDT', address: '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58', decimals: 6 },
    { symbol: 'DAI', address: '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1', decimals: 18 },
  ],
  nativePriceUsd: 2500,
  blockTimeS: 2,
  // Half an hour: enough for finality on Ethereum, with a margin.
  finalityBlocks: 900,
  factories: {
    uniswap_v2: {
      'Uniswap V2': '0x0c3c1c532f1e39edf36be9fe0be1410313e074bf',
      'SushiSwap V2': '0xfbc12984689e5f15626bad03ad60160fe98b303c',
    },
    uniswap_v3: {
      'Uniswap V3': '0x1f98431c8ad98523631ae4a59f267346ea31f984',
      'SushiSwap V3': '0x9c6522117e2ed1fe5bdb72bb0ed5e3f2bde7dbe0',
    },
    uniswap_v4: { 'Uniswap V4': '0x9a13f98cb987694c9f086b1f5eb990eea8264ec3' },
    solidly: { 'Velodrome V2': '0xf1046053aa5682b4f9a81b5481394da16be5ff5a' },
    slipstream: { 'Velodrome Slipstream': '0xcc0bddb707055e04e497ab22a59c2af4391cd12f' },
    balancer_v2: { 'Balancer V2': '0xba12222222228d8ba445958a75a0704d566bf2c8' },
  },
};
