import { createRequire } from 'node:module';
import { type Hex, parseAbi } from 'viem';
import { z } from 'zod';

/** Creation bytecode as the Uniswap packages publish it. */
export type UniswapBytecodes = { weth: Hex; factory: Hex; router: Hex; pair: Hex };

const artifactSchema = z.object({ bytecode: z.string().regex(/^(0x)?[0-9a-f]+$/i) });

/** Reads the published build of Uniswap V2 from its npm packages. */
export const readUniswapBytecodes = (): UniswapBytecodes => ({
  weth: readBytecode('@uniswap/v2-periphery/build/WETH9.json'),
  factory: readBytecode('@uniswap/v2-core/build/UniswapV2Factory.json'),
  router: readBytecode('@uniswap/v2-periphery/build/UniswapV2Router02.json'),
  pair: readBytecode('@uniswap/v2-core/build/UniswapV2Pair.json'),
});

const readBytecode = (path: string): Hex => {
  const { bytecode } = artifactSchema.parse(createRequire(import.meta.url)(path));
  return `0x${bytecode.replace(/^0x/, '')}`;
};

/** The calls the devnet makes on tokens, pools, the factory and the router. */
export const DEVNET_ABI = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transferOwnership(address newOwner)',
  'function setMarketing(uint256 percent)',
  'function syncRewards(address account, uint256 value)',
  'function count()',
  'function emitTransfer(address from, address to, uint256 value)',
  'function make(string name, string symbol, uint256 supply)',
  'function make2(string name, string symbol, uint256 supply, bytes32 salt)',
  'event TokenMade(address token)',
  'function getPair(address tokenA, address tokenB) view returns (address)',
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)',
  'function addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) payable',
  'function removeLiquidityETHSupportingFeeOnTransferTokens(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
]);
