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
  // Validators finalise within three blocks; the same number as on Ethereum leaves a margin for nodes that fall
  // behind.
  finalityBlocks: 64,
  factories: {
    uniswap_v2: {
      'PancakeSwap V2': '0xca143ce32fe78f1f7019d7d551a6402fc5350c73',
      'Uniswap V2': '0x8909dc15e40173ff4699343b6eb8132c65e18ec6',
      'SushiSwap V2': '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
    },
    uniswap_v3: {
      'Uniswap V3': '0xdb1d10011ad0ff90774d0c6bb92e5c5c8b4461f7',
      'SushiSwap V3': '0x126555dd55a39328f69400d6ae4f782bd4c34abb',
    },
    pancake_v3: { 'PancakeSwap V3': '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865' },
    uniswap_v4: { 'Uniswap V4': '0x28e2ea090877bf75740558f6bfb36a5ffee9e9df' },
    four_meme: { 'four.meme': '0x5c952063c7fc8610ffdb798152d69f0b9550762b' },
  },
};
