import { type Address, encodeFunctionData, type Hex, maxUint256, parseEther } from 'viem';
import type { DevnetNode } from './createDevnetNode.ts';
import type { DevnetCall } from './devnetAccounts.ts';
import { DEVNET_ADDRESSES } from './devnetAddresses.ts';
import { type PoolReads, portion } from './poolReads.ts';
import type { DevnetToken } from './tokenVerbs.ts';
import { lastOf, mustSucceed } from './transactions.ts';
import { DEVNET_ABI } from './uniswapArtifacts.ts';
import type { DevnetTransaction } from './waitForReceipt.ts';

type Dependencies = { node: DevnetNode; reads: Pick<PoolReads, 'balanceOf' | 'pairOf'> };

const POOL_GAS = 4_000_000n;
const DEAD_ADDRESS = '0x000000000000000000000000000000000000dead';
const { router, weth } = DEVNET_ADDRESSES;

/** What the creator of a token does with its WETH pool. All throw when a transaction reverts. */
export const createLiquidityVerbs = ({ node, reads }: Dependencies) => {
  const sharesOf = async (token: DevnetToken, fraction: number) => {
    const pair = await reads.pairOf(token.address);
    const shares = await reads.balanceOf(pair, node.address(token.creator));
    return { pair, shares: portion(shares, fraction) };
  };

  return {
    /** Pools `eth` ether with a share of the creator's tokens; makes the pool if there is none. */
    addLiquidity: async (
      { address: token, creator }: DevnetToken,
      eth: number,
      tokenShare = 0.5,
    ): Promise<DevnetTransaction> => {
      const owner = node.address(creator);
      const amount = portion(await reads.balanceOf(token, owner), tokenShare);
      const data = encodeFunctionData({
        abi: DEVNET_ABI,
        functionName: 'addLiquidityETH',
        args: [token, amount, 0n, 0n, owner, maxUint256],
      });
      return mustSucceed(node, [
        approval(creator, token),
        { from: creator, to: router, data, value: parseEther(String(eth)), gas: POOL_GAS },
      ]);
    },
    /** The creator takes a fraction of its pool shares out, as ETH and tokens. */
    removeLiquidity: async (token: DevnetToken, fraction = 1): Promise<DevnetTransaction> => {
      const { pair, shares } = await sharesOf(token, fraction);
      const data = encodeFunctionData({
        abi: DEVNET_ABI,
        functionName: 'removeLiquidityETHSupportingFeeOnTransferTokens',
        args: [token.address, shares, 0n, 0n, node.address(token.creator), maxUint256],
      });
      return mustSucceed(node, [
        approval(token.creator, pair),
        { from: token.creator, to: router, data, gas: POOL_GAS },
      ]);
    },
    /** The creator sends a fraction of its pool shares to the dead address: locked for ever. */
    burnLiquidity: async (token: DevnetToken, fraction = 1): Promise<DevnetTransaction> => {
      const { pair, shares } = await sharesOf(token, fraction);
      const data = encodeFunctionData({
        abi: DEVNET_ABI,
        functionName: 'transfer',
        args: [DEAD_ADDRESS, shares],
      });
      return mustSucceed(node, [{ from: token.creator, to: pair, data }]);
    },
  };
};

/** Trades through the router. A trade that reverts says so in its status. */
export const createTradeVerbs = ({ node, reads }: Dependencies) => ({
  /** Account `buyer` buys for `eth` ether. */
  buy: async (token: Address, buyer: number, eth: number): Promise<DevnetTransaction> => {
    const data = encodeFunctionData({
      abi: DEVNET_ABI,
      functionName: 'swapExactETHForTokensSupportingFeeOnTransferTokens',
      args: [0n, [weth, token], node.address(buyer), maxUint256],
    });
    const call = { from: buyer, to: router, data, value: parseEther(String(eth)) };
    return lastOf(await node.transact([call]));
  },
  /** Account `seller` sells a fraction of its tokens, after an approval in a transaction before. */
  sell: async (token: Address, seller: number, fraction = 1): Promise<DevnetTransaction> => {
    const owner = node.address(seller);
    const amount = portion(await reads.balanceOf(token, owner), fraction);
    const data = encodeFunctionData({
      abi: DEVNET_ABI,
      functionName: 'swapExactTokensForETHSupportingFeeOnTransferTokens',
      args: [amount, 0n, [token, weth], owner, maxUint256],
    });
    const calls = [approval(seller, token), { from: seller, to: router, data }];
    return lastOf(await node.transact(calls));
  },
});

const APPROVE: Hex = encodeFunctionData({
  abi: DEVNET_ABI,
  functionName: 'approve',
  args: [router, maxUint256],
});

const approval = (from: number, token: Address): DevnetCall => ({ from, to: token, data: APPROVE });
