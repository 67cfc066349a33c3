import type { ChainProfile } from '../chainProfile.ts';

export const bnbSmartChain: ChainProfile = {
  chainId: 56,
  name: 'BNB Smart Chain',
  explorer: 'https://bscscan.com',
  weth: '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c',
  stables: [
    { symbol: 'USDT', address: '0x55d398326f99059ff775485246999027b3197955', decimals: 18 },
    { symbol: 'USDC', address: '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', decimals: 18 },
  ],
  nativePriceUsd: 600,
  blockTimeS: 0.75,
  // Validators vote within three blocks; as many as of Ethereum, for nodes that fall behind.
  finalityBlocks: 64,
  multicall: '0xca11bde05977b3631167028862be2a173976ca11',
  factories: [
    {
      name: 'PancakeSwap V2',
      protocol: 'uniswap_v2',
      address: '0xca143ce32fe78f1f7019d7d551a6402fc5350c73',
    },
    {
      name: 'Uniswap V2',
      protocol: 'uniswap_v2',
      address: '0x8909dc15e40173ff4699343b6eb8132c65e18ec6',
    },
    {
      name: 'SushiSwap V2',
      protocol: 'uniswap_v2',
      address: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
    },
    {
      name: 'Uniswap V3',
      protocol: 'uniswap_v3',
      address: '0xdb1d10011ad0ff90774d0c6bb92e5c5c8b4461f7',
    },
    {
      name: 'SushiSwap V3',
      protocol: 'uniswap_v3',
      address: '0x126555dd55a39328f69400d6ae4f782bd4c34abb',
    },
    {
      name: 'PancakeSwap V3',
      protocol: 'pancake_v3',
      address: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
    },
    {
      name: 'Uniswap V4',
      protocol: 'uniswap_v4',
      address: '0x28e2ea090877bf75740558f6bfb36a5ffee9e9df',
    },
    {
      name: 'four.meme',
      protocol: 'four_meme',
      address: '0x5c952063c7fc8610ffdb798152d69f0b9550762b',
    },
  ],
  lockers: [
    { name: 'UNCX for PancakeSwap V2', address: '0xc765bddb93b0d1c1a88282ba0fa6b2d00e3e0c83' },
    { name: 'UNCX for Uniswap V2', address: '0x7229247bd5cf29fa9b0764aa1568732be024084b' },
    { name: 'Team Finance', address: '0x0c89c0407775dd89b12918b9c0aa42bf96518820' },
    { name: 'PinkLock V1', address: '0x7ee058420e5937496f5a2096f04caa7721cf70cc' },
    { name: 'PinkLock V2', address: '0x407993575c91ce7643a4d4ccacc9a98c36ee1bbe' },
  ],
};
