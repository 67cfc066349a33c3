import assert from 'node:assert/strict';
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  maxUint256,
  parseAbi,
  parseEther,
} from 'viem';
import { type Bytecodes, publishedBytecode } from './compileContracts.ts';
import { DEVNET_ADDRESSES, UNISWAP_DEPLOYER } from './devnetAddresses.ts';
import {
  createContract,
  createSend,
  type DevnetCall,
  type DevnetNode,
  type DevnetTransaction,
  lastOf,
  mustSucceed,
} from './devnetNode.ts';

/** The calls the devnet makes on tokens, pools, the factory and the router. */
export const DEVNET_ABI = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transferOwnership(address newOwner)',
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

/** One ether costs 2,000 dollars on a devnet. */
const POOL_ETHER = '1000';
const POOL_DOLLARS = 2_000_000n;
const DOLLAR = 1_000_000n;
const STABLE_SUPPLY = 1_000_000_000n * DOLLAR;
const POOL_GAS = 4_000_000n;
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

  assert(bytecodes['MockStable'] !== undefined, 'the dollar token is compiled');
  const supply = encodeAbiParameters([{ type: 'uint256' }], [STABLE_SUPPLY]);
  const creations: [Address, Hex, Address[]][] = [
    [weth, publishedBytecode('@uniswap/v2-periphery/build/WETH9.json'), []],
    [factory, publishedBytecode('@uniswap/v2-core/build/UniswapV2Factory.json'), [deployer]],
    [
      router,
      publishedBytecode('@uniswap/v2-periphery/build/UniswapV2Router02.json'),
      [factory, weth],
    ],
    [stable, concatHex([bytecodes['MockStable'], supply]), []],
  ];
  for (const [address, bytecode, args] of creations) {
    const created = await createContract(node, UNISWAP_DEPLOYER, bytecode, args);
    assert.equal(created, address, 'Uniswap must lie at its known addresses');
  }
  await poolDollars(node);
};

const isDeployed = async ({ publicClient }: DevnetNode): Promise<boolean> => {
  const code = await publicClient.getCode({ address: stable });
  return code !== undefined;
};

const poolDollars = async (node: DevnetNode): Promise<void> => {
  const send = createSend(node, DEVNET_ABI, POOL_GAS);
  await send(UNISWAP_DEPLOYER, stable, 'approve', [router, maxUint256]);
  const owner = node.address(UNISWAP_DEPLOYER);
  const args = [stable, POOL_DOLLARS * DOLLAR, 0n, 0n, owner, maxUint256] as const;
  await send(UNISWAP_DEPLOYER, router, 'addLiquidityETH', args, parseEther(POOL_ETHER));
};

/** A pool's reserves in base units; both zero when there is no pool. */
type PoolReserves = { eth: bigint; token: bigint };

type PoolReads = ReturnType<typeof createPoolReads>;

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';
/** Fractions are cut to millionths, so that they can multiply a bigint. */
const FRACTION_SCALE = 1_000_000;

/** What a token's holders and its WETH pool on Uniswap V2 have. */
export const createPoolReads = ({ publicClient }: Pick<DevnetNode, 'publicClient'>) => {
  const balanceOf = async (token: Address, holder: Address): Promise<bigint> =>
    publicClient.readContract({
      address: token,
      abi: DEVNET_ABI,
      functionName: 'balanceOf',
      args: [holder],
    });

  const pairOf = async (token: Address): Promise<Address> => {
    const pair = await publicClient.readContract({
      address: DEVNET_ADDRESSES.factory,
      abi: DEVNET_ABI,
      functionName: 'getPair',
      args: [token, DEVNET_ADDRESSES.weth],
    });
    return pair.toLowerCase() as Address;
  };

  const reserves = async (token: Address): Promise<PoolReserves> => {
    const pair = await pairOf(token);
    if (pair === ZERO_ADDRESS) return { eth: 0n, token: 0n };
    const [reserve0, reserve1] = await publicClient.readContract({
      address: pair,
      abi: DEVNET_ABI,
      functionName: 'getReserves',
    });
    // A pair sorts its two tokens by address.
    return token < DEVNET_ADDRESSES.weth
      ? { token: reserve0, eth: reserve1 }
      : { token: reserve1, eth: reserve0 };
  };

  return {
    balanceOf,
    /** The token's WETH pair, or the zero address. */
    pairOf,
    reserves,
  };
};

/** A fraction (0 to 1) of an amount of base units, rounded down. */
const portion = (amount: bigint, fraction: number): bigint =>
  (amount * BigInt(Math.round(fraction * FRACTION_SCALE))) / BigInt(FRACTION_SCALE);

type Dependencies = { node: DevnetNode; reads: Pick<PoolReads, 'balanceOf' | 'pairOf'> };

const DEAD_ADDRESS = '0x000000000000000000000000000000000000dead';

/** A token whose creator, an account index, provides liquidity. */
type PooledToken = { address: Address; creator: number };

/** What the creator of a token does with its WETH pool. All throw when a transaction reverts. */
export const createLiquidityVerbs = ({ node, reads }: Dependencies) => {
  const sharesOf = async (token: PooledToken, fraction: number) => {
    const pair = await reads.pairOf(token.address);
    const shares = await reads.balanceOf(pair, node.address(token.creator));
    return { pair, shares: portion(shares, fraction) };
  };

  return {
    /** Pools `eth` ether with a share of the creator's tokens; makes the pool if there is none. */
    addLiquidity: async (
      { address: token, creator }: PooledToken,
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
        {
          from: creator,
          to: DEVNET_ADDRESSES.router,
          data,
          value: parseEther(String(eth)),
          gas: POOL_GAS,
        },
      ]);
    },
    /** The creator takes a fraction of its pool shares out, as ETH and tokens. */
    removeLiquidity: async (token: PooledToken, fraction = 1): Promise<DevnetTransaction> => {
      const { pair, shares } = await sharesOf(token, fraction);
      const data = encodeFunctionData({
        abi: DEVNET_ABI,
        functionName: 'removeLiquidityETHSupportingFeeOnTransferTokens',
        args: [token.address, shares, 0n, 0n, node.address(token.creator), maxUint256],
      });
      return mustSucceed(node, [
        approval(token.creator, pair),
        { from: token.creator, to: DEVNET_ADDRESSES.router, data, gas: POOL_GAS },
      ]);
    },
    /** The creator sends a fraction of its pool shares to the dead address: locked for ever. */
    burnLiquidity: async (token: PooledToken, fraction = 1): Promise<DevnetTransaction> => {
      const { pair, shares } = await sharesOf(token, fraction);
      return createSend(node, DEVNET_ABI)(token.creator, pair, 'transfer', [DEAD_ADDRESS, shares]);
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
      args: [0n, [DEVNET_ADDRESSES.weth, token], node.address(buyer), maxUint256],
    });
    const call = { from: buyer, to: DEVNET_ADDRESSES.router, data, value: parseEther(String(eth)) };
    return lastOf(await node.transact([call]));
  },
  /** Account `seller` sells a fraction of its tokens, after an approval in a transaction before. */
  sell: async (token: Address, seller: number, fraction = 1): Promise<DevnetTransaction> => {
    const owner = node.address(seller);
    const amount = portion(await reads.balanceOf(token, owner), fraction);
    const data = encodeFunctionData({
      abi: DEVNET_ABI,
      functionName: 'swapExactTokensForETHSupportingFeeOnTransferTokens',
      args: [amount, 0n, [token, DEVNET_ADDRESSES.weth], owner, maxUint256],
    });
    const calls = [approval(seller, token), { from: seller, to: DEVNET_ADDRESSES.router, data }];
    return lastOf(await node.transact(calls));
  },
});

const APPROVE: Hex = encodeFunctionData({
  abi: DEVNET_ABI,
  functionName: 'approve',
  args: [DEVNET_ADDRESSES.router, maxUint256],
});

const approval = (from: number, token: Address): DevnetCall => ({ from, to: token, data: APPROVE });
