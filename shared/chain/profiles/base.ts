import type { ChainProfile } from '../chainProfile.ts';

export const base: ChainProfile = {
  chainId: 8453,
  name: 'Base',
  explorer: 'https://basescan.org',
  weth: '0x4200000000000000000000000000000000000006',
  stables: [
    { symbol: 'USDC', address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', decimals: 6 },
    { symbol: 'USDbC', address: '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca', decimals: 6 },
    { symbol: 'USDT', address: '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2', decimals: 6 },
    { symbol: 'DAI', address: '0x50c5725949a6f0c72e6c4a641f24049a917db0cb', decimals: 18 },
  ],
  nativePriceUsd: 2500,
  blockTimeS: 2,
  // Half an hour: enough for finality on Ethereum, with a margin.
  finalityBlocks: 900,
  factories: {
    uniswap_v2: {
      'Uniswap V2': '0x8909dc15e40173ff4699343b6eb8132c65e18ec6',
      'SushiSwap V2': '0x71524b4f93c58fcbf659783284e38825f0622859',
      'PancakeSwap V2': '0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e',
    },
    uniswap_v3: {
      'Uniswap V3': '0x33128a8fc17869897dce68ed026d694621f6fdfd',
      'SushiSwap V3': '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
    },
    pancake_v3: { 'PancakeSwap V3': '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865' },
    uniswap_v4: { 'Uniswap V4': '0x498581ff718922c3f8e6a244956af099b2652b2b' },
    solidly: { Aerodrome: '0x420dd381b31aef6683db6b902084cb0ffece40da' },
    slipstream: { 'Aerodrome Slipstream': '0x5e7bb104d84c7cb9b682aac2f3d509f5f406809a' },
    balancer_v2: { 'Balancer V2': '0xba12222222228d8ba445958a75a0704d566bf2c8' },
    virtuals: { Virtuals: '0xf66dea7b3e897cd44a5a231c61b6b4423d613259' },
  },
};
