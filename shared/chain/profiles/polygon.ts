import type { ChainProfile } from '../chainProfile.ts';

export const polygon: ChainProfile = {
  chainId: 137,
  name: 'Polygon',
  explorer: 'https://polygonscan.com',
  weth: '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
  stables: [
    { symbol: 'USDC.e', address: '0x2791bca1f2de4661ed88a30c99a7a9449aa84174', decimals: 6 },
    { symbol: 'USDT', address: '0xc2132d05d31c914a87c6611c10748aeb04b58e8f', decimals: 6 },
    { symbol: 'USDC', address: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359', decimals: 6 },
    { symbol: 'DAI', address: '0x8f3cf7ad23cd3cadbd9735aff958023239c6a063', decimals: 18 },
  ],
  nativePriceUsd: 0.5,
  blockTimeS: 2,
  // Milestones finalise within a minute; this is the number of blocks that exchanges waited for before milestones
  // existed.
  finalityBlocks: 256,
  factories: {
    uniswap_v2: {
      'QuickSwap V2': '0x5757371414417b8c6caad45baef941abc7d3ab32',
      'SushiSwap V2': '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      'Uniswap V2': '0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c',
    },
    uniswap_v3: {
      'Uniswap V3': '0x1f98431c8ad98523631ae4a59f267346ea31f984',
      'SushiSwap V3': '0x917933899c6a5f8e37f31e19f92cdbff7e8ff0e2',
    },
    uniswap_v4: { 'Uniswap V4': '0x67366782805870060151383f4bbff9dab53e5cd6' },
    balancer_v2: { 'Balancer V2': '0xba12222222228d8ba445958a75a0704d566bf2c8' },
  },
};
