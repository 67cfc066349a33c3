import { encodeFunctionData, maxUint256, parseEther } from 'viem';
import { createDevnet } from '../../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../../shared/testing/devnet/devnetAddresses.ts';
import { DEVNET_ABI } from '../../shared/testing/devnet/uniswap.ts';

/** Transfers of one token in each block, and a purchase in every third block. */
export const TRANSFERS_PER_BLOCK = 5;
const BUY_EVERY_BLOCKS = 3;
/** Seconds of the chain between two blocks. */
const BLOCK_S = 12;

/** A block, and the time at which the call that mined it returned, by `performance.now()`. */
export interface MinedBlock {
  readonly number: number;
  readonly minedAt: number;
}

/** @param url of an anvil node with an empty chain; afterwards blocks are mined only by `mine` */
export const createHeadChain = async (url: string) => {
  const devnet = await createDevnet({ url });
  await devnet.deployUniswap();
  const token = await devnet.deployToken('honest', { creator: 0 });
  await devnet.addLiquidity(token, 20, 0.5);
  const { weth, router } = DEVNET_ADDRESSES;
  const call = (method: string, params: readonly unknown[]): Promise<unknown> =>
    devnet.publicClient.transport.request({ method, params });
  /** The accounts are the unlocked ones of a development chain. */
  const send = (from: string, to: string, data: string, value = 0n): Promise<unknown> =>
    call('eth_sendTransaction', [
      { from, to, data, gas: '0x7a120', value: `0x${value.toString(16)}` },
    ]);
  await call('evm_setAutomine', [false]);
  let index = 0;
  const owners = [devnet.address(0), devnet.address(1)];
  return {
    token: token.address,
    /** Fills and mines the next block. @param hasNewOwner whether the owner of the token changes in it */
    mine: async (hasNewOwner: boolean): Promise<MinedBlock> => {
      await devnet.increaseTime(BLOCK_S);
      for (let i = 0; i < TRANSFERS_PER_BLOCK; i += 1) {
        const to = devnet.address(20 + ((index * TRANSFERS_PER_BLOCK + i) % 40));
        const args = [to, 1_000n] as const;
        const data = encodeFunctionData({ abi: DEVNET_ABI, functionName: 'transfer', args });
        await send(devnet.address(0), token.address, data);
      }
      if (index % BUY_EVERY_BLOCKS === 0) {
        const args = [0n, [weth, token.address], devnet.address(2), maxUint256] as const;
        const functionName = 'swapExactETHForTokensSupportingFeeOnTransferTokens';
        const data = encodeFunctionData({ abi: DEVNET_ABI, functionName, args });
        await send(devnet.address(2), router, data, parseEther('0.01'));
      }
      if (hasNewOwner) {
        const [owner = '', next = '0x'] = owners;
        const functionName = 'transferOwnership';
        const data = encodeFunctionData({ abi: DEVNET_ABI, functionName, args: [next] });
        await send(owner, token.address, data);
        owners.reverse();
      }
      index += 1;
      await call('evm_mine', []);
      const minedAt = performance.now();
      return { number: Number(await call('eth_blockNumber', [])), minedAt };
    },
  };
};
/** A development chain with one token and its pool. */
export type HeadChain = Awaited<ReturnType<typeof createHeadChain>>;
