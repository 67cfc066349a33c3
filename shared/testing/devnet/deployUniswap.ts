import assert from 'node:assert/strict';
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  maxUint256,
  parseEther,
} from 'viem';
import type { Bytecodes } from './compileContracts.ts';
import type { DevnetNode } from './createDevnetNode.ts';
import { DEVNET_ADDRESSES, UNISWAP_DEPLOYER } from './devnetAddresses.ts';
import { mustSucceed } from './transactions.ts';
import { DEVNET_ABI, readUniswapBytecodes } from './uniswapArtifacts.ts';

/** One ether costs 2,000 dollars on a devnet. */
const POOL_ETHER = '1000';
const POOL_DOLLARS = 2_000_000n;
const DOLLAR = 1_000_000n;
const STABLE_SUPPLY = 1_000_000_000n * DOLLAR;
const DEPLOY_GAS = 8_000_000n;
const { weth, factory, router, stable } = DEVNET_ADDRESSES;

/**
 * Deploys WETH9, the factory, the router and a dollar token from an account that has sent nothing
 * yet, then pools WETH with dollars. Does nothing on a chain that has them.
 * @throws AssertionError when the account was used before, as the addresses would differ
 */
export const deployUniswap = async ({
  node,
  bytecodes,
}: {
  node: DevnetNode;
  bytecodes: Bytecodes;
}): Promise<void> => {
  if (await isDeployed(node)) return;
  const deployer = node.address(UNISWAP_DEPLOYER);
  const nonce = await node.publicClient.getTransactionCount({ address: deployer });
  assert.equal(nonce, 0, 'the Uniswap deployer has sent transactions: start from a fresh devnet');

  const published = readUniswapBytecodes();
  assert(bytecodes['MockStable'] !== undefined, 'the dollar token is compiled');
  const addresses = [{ type: 'address' }, { type: 'address' }] as const;
  const creations: [Address, Hex][] = [
    [weth, published.weth],
    [
      factory,
      concatHex([published.factory, encodeAbiParameters([{ type: 'address' }], [deployer])]),
    ],
    [router, concatHex([published.router, encodeAbiParameters(addresses, [factory, weth])])],
    [
      stable,
      concatHex([
        bytecodes['MockStable'],
        encodeAbiParameters([{ type: 'uint256' }], [STABLE_SUPPLY]),
      ]),
    ],
  ];
  for (const [address, data] of creations) {
    const call = { from: UNISWAP_DEPLOYER, data, gas: DEPLOY_GAS };
    const { contractAddress } = await mustSucceed(node, [call]);
    assert.equal(contractAddress, address, 'Uniswap must lie at its known addresses');
  }
  await poolDollars(node);
};

const isDeployed = async ({ publicClient }: DevnetNode): Promise<boolean> => {
  const code = await publicClient.getCode({ address: stable });
  return code !== undefined;
};

const poolDollars = async (node: DevnetNode): Promise<void> => {
  const approve = encodeFunctionData({
    abi: DEVNET_ABI,
    functionName: 'approve',
    args: [router, maxUint256],
  });
  const dollars = POOL_DOLLARS * DOLLAR;
  const add = encodeFunctionData({
    abi: DEVNET_ABI,
    functionName: 'addLiquidityETH',
    args: [stable, dollars, 0n, 0n, node.address(UNISWAP_DEPLOYER), maxUint256],
  });
  await mustSucceed(node, [
    { from: UNISWAP_DEPLOYER, to: stable, data: approve },
    {
      from: UNISWAP_DEPLOYER,
      to: router,
      data: add,
      value: parseEther(POOL_ETHER),
      gas: DEPLOY_GAS,
    },
  ]);
};
