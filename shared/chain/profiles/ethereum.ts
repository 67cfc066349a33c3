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
  multicall: '0xca11bde05977b3631167028862be2a173976ca11',
  factories: [
    {
      name: 'Uniswap V2',
      protocol: 'uniswap_v2',
      address: '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f',
    },
    {
      name: 'SushiSwap V2',
      protocol: 'uniswap_v2',
      address: '0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac',
    },
    {
      name: 'PancakeSwap V2',
      protocol: 'uniswap_v2',
      address: '0x1097053fd2ea711dad45caccc45eff7548fcb362',
    },
    {
      name: 'Uniswap V3',
      protocol: 'uniswap_v3',
      address: '0x1f98431c8ad98523631ae4a59f267346ea31f984',
    },
    {
      name: 'SushiSwap V3',
      protocol: 'uniswap_v3',
      address: '0xbaceb8ec6b9355dfc0269c18bac9d6e2bdc29c4f',
    },
    {
      name: 'PancakeSwap V3',
      protocol: 'pancake_v3',
      address: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
    },
    {
      name: 'Uniswap V4',
      protocol: 'uniswap_v4',
      address: '0x000000000004444c5dc75cb358380d2e3de08a90',
    },
    {
      name: 'Balancer V2',
      protocol: 'balancer_v2',
      address: '0xba12222222228d8ba445958a75a0704d566bf2c8',
    },
  ],
  lockers: [
    { name: 'UNCX for Uniswap V2', address: '0x663a5c229c09b049e36dcc11a9b0d4a8eb9db214' },
    { name: 'UNCX for SushiSwap V2', address: '0xed9180976c2a4742c7a57354fd39d8bec6cbd8ab' },
    { name: 'UNCX for V3', address: '0xfd235968e65b0990584585763f837a5b5330e6de' },
    { name: 'UNCX for Uniswap V4', address: '0x30529ac67d5ac5f33a4e7fe533149a567451f023' },
    { name: 'Team Finance', address: '0xe2fe530c047f2d85298b07d9333c05737f1435fb' },
    { name: 'PinkLock', address: '0x71b5759d73262fbb223956913ecf4ecc51057641' },
  ],
};
