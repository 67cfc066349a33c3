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
  // Half an hour: final on Ethereum, with room.
  finalityBlocks: 900,
  multicall: '0xca11bde05977b3631167028862be2a173976ca11',
  factories: [
    {
      name: 'Uniswap V2',
      protocol: 'uniswap_v2',
      address: '0x0c3c1c532f1e39edf36be9fe0be1410313e074bf',
    },
    {
      name: 'SushiSwap V2',
      protocol: 'uniswap_v2',
      address: '0xfbc12984689e5f15626bad03ad60160fe98b303c',
    },
    {
      name: 'Uniswap V3',
      protocol: 'uniswap_v3',
      address: '0x1f98431c8ad98523631ae4a59f267346ea31f984',
    },
    {
      name: 'SushiSwap V3',
      protocol: 'uniswap_v3',
      address: '0x9c6522117e2ed1fe5bdb72bb0ed5e3f2bde7dbe0',
    },
    {
      name: 'Uniswap V4',
      protocol: 'uniswap_v4',
      address: '0x9a13f98cb987694c9f086b1f5eb990eea8264ec3',
    },
    {
      name: 'Velodrome V2',
      protocol: 'solidly',
      address: '0xf1046053aa5682b4f9a81b5481394da16be5ff5a',
    },
    {
      name: 'Velodrome Slipstream',
      protocol: 'slipstream',
      address: '0xcc0bddb707055e04e497ab22a59c2af4391cd12f',
    },
    {
      name: 'Balancer V2',
      protocol: 'balancer_v2',
      address: '0xba12222222228d8ba445958a75a0704d566bf2c8',
    },
  ],
  lockers: [],
};
