import { type Address, maxUint128, maxUint256, parseAbi, parseEventLogs, zeroAddress } from 'viem';
import { tickAtSqrtPrice } from '../../market/tickMath.ts';
import { publishedBytecode } from './compileContracts.ts';
import { DEVNET_ADDRESSES, UNISWAP_DEPLOYER } from './devnetAddresses.ts';
import {
  createContract,
  createSend,
  type DevnetNode,
  type DevnetTransaction,
} from './devnetNode.ts';

/** What the devnet calls and reads of Uniswap V3. */
export const UNISWAP_V3_ABI = parseAbi([
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address pool)',
  'function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline) params) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
  'function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) payable returns (uint256 amount0, uint256 amount1)',
  'function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params) payable returns (uint256 amount0, uint256 amount1)',
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)',
  'function getPool(address tokenA, address tokenB, uint24 fee) view returns (address pool)',
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked)',
  'function liquidity() view returns (uint128)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function deposit() payable',
  'event IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
]);

const GAS = 8_000_000n;
const abi = UNISWAP_V3_ABI;

/** A pool of two tokens in the order of their addresses. */
export interface V3Pool {
  readonly address: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly fee: number;
}

/** Where the contracts of Uniswap V3 lie. */
interface V3Contracts {
  readonly factory: Address;
  readonly positions: Address;
  readonly router: Address;
}

const createPoolVerbs = (node: DevnetNode, { factory, positions, router }: V3Contracts) => {
  const { weth } = DEVNET_ADDRESSES;
  const send = createSend(node, abi, GAS);
  return {
    /** Lets positions and router take all of an account's tokens. */
    approve: async (owner: number, token: Address): Promise<void> => {
      for (const spender of [positions, router]) {
        await send(owner, token, 'approve', [spender, maxUint256]);
      }
    },
    /** Wraps native currency, which pools hold as WETH only. */
    wrap: (owner: number, value: bigint): Promise<DevnetTransaction> =>
      send(owner, weth, 'deposit', [], value),
    /** Creates a pool where there is none, and sets its first price where it has none. */
    createPool: async (
      from: number,
      [token0, token1]: readonly [Address, Address],
      fee: number,
      sqrtPriceX96: bigint,
    ): Promise<V3Pool> => {
      const args = [token0, token1, fee, sqrtPriceX96] as const;
      await send(from, positions, 'createAndInitializePoolIfNecessary', args);
      const address = await node.publicClient.readContract({
        address: factory,
        abi,
        functionName: 'getPool',
        args: [token0, token1, fee],
      });
      return { address, token0, token1, fee };
    },
    /** Sells an amount of one token of a pool for the other. */
    swap: (
      from: number,
      { token0, token1, fee }: V3Pool,
      amountIn: bigint,
      isToken0: boolean,
    ): Promise<DevnetTransaction> => {
      const params = {
        tokenIn: isToken0 ? token0 : token1,
        tokenOut: isToken0 ? token1 : token0,
        fee,
        recipient: node.address(from),
        deadline: maxUint256,
        amountIn,
        amountOutMinimum: 0n,
        sqrtPriceLimitX96: 0n,
      };
      return send(from, router, 'exactInputSingle', [params]);
    },
  };
};

const createPositionVerbs = (node: DevnetNode, { positions }: V3Contracts) => {
  const send = createSend(node, abi, GAS);
  return {
    /** Adds at most these amounts to a range of ticks. Returns the id of the position, and the transaction. */
    addPosition: async (
      from: number,
      { token0, token1, fee }: V3Pool,
      range: { lower: number; upper: number; amount0: bigint; amount1: bigint },
    ) => {
      const params = {
        token0,
        token1,
        fee,
        tickLower: range.lower,
        tickUpper: range.upper,
        amount0Desired: range.amount0,
        amount1Desired: range.amount1,
        amount0Min: 0n,
        amount1Min: 0n,
        recipient: node.address(from),
        deadline: maxUint256,
      };
      const transaction = await send(from, positions, 'mint', [params]);
      const receipt = await node.publicClient.getTransactionReceipt({ hash: transaction.hash });
      const [event] = parseEventLogs({ abi, logs: receipt.logs, eventName: 'IncreaseLiquidity' });
      if (!event) throw new Error('no position was made');
      return { transaction, tokenId: event.args.tokenId, liquidity: event.args.liquidity };
    },
    /** Takes liquidity out of a position, to its owner. */
    removePosition: async (
      from: number,
      { tokenId, liquidity }: { tokenId: bigint; liquidity: bigint },
    ): Promise<DevnetTransaction> => {
      const least = { amount0Min: 0n, amount1Min: 0n, deadline: maxUint256 };
      const taken = await send(from, positions, 'decreaseLiquidity', [
        { tokenId, liquidity, ...least },
      ]);
      const recipient = node.address(from);
      const collected = { tokenId, recipient, amount0Max: maxUint128, amount1Max: maxUint128 };
      await send(from, positions, 'collect', [collected]);
      return taken;
    },
  };
};

/** Of the pools of `launch`, and the ticks of the widest range that their spacing of 60 allows. */
export const LAUNCH_FEE = 3_000;
export const TICK_SPACING = 60;
export const TICK_LIMIT = 887_220;

/** Pools a token with WETH at the price of two amounts: both over all prices, or the tokens alone at higher prices. */
const createLaunchVerb = (
  pools: ReturnType<typeof createPoolVerbs>,
  positions: ReturnType<typeof createPositionVerbs>,
) => ({
  launch: async (
    owner: number,
    token: Address,
    { eth, tokens, withEther = true }: { eth: bigint; tokens: bigint; withEther?: boolean },
  ) => {
    const { weth } = DEVNET_ADDRESSES;
    await pools.approve(owner, token);
    await pools.approve(owner, weth);
    if (withEther) await pools.wrap(owner, eth);
    const isLower = token < weth;
    const [amount0, amount1] = isLower ? [tokens, eth] : [eth, tokens];
    const price = Math.sqrt(Number(amount1) / Number(amount0));
    const sqrtPriceX96 = BigInt(Math.round(price * 2 ** 48)) << 48n;
    const pair = isLower ? ([token, weth] as const) : ([weth, token] as const);
    const pool = await pools.createPool(owner, pair, LAUNCH_FEE, sqrtPriceX96);
    const edge = Math.floor(tickAtSqrtPrice(sqrtPriceX96) / TICK_SPACING) * TICK_SPACING;
    const range = { lower: -TICK_LIMIT, upper: TICK_LIMIT, amount0, amount1 };
    if (!withEther && isLower) range.lower = edge + TICK_SPACING;
    if (!withEther && !isLower) range.upper = edge;
    const position = await positions.addPosition(owner, pool, range);
    return { pool, position };
  },
});

/** Deploys factory, position manager and router of Uniswap V3, and gives what one does with them. All throw when a transaction reverts. */
export const deployUniswapV3 = async (node: DevnetNode) => {
  const { weth } = DEVNET_ADDRESSES;
  const build = '@uniswap/v3-periphery/artifacts/contracts';
  const create = (path: string, args?: readonly Address[]): Promise<Address> =>
    createContract(node, UNISWAP_DEPLOYER, publishedBytecode(path), args);
  const factory = await create(
    '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  );
  // The third address, which only the picture of a position needs, is none.
  const positions = await create(
    `${build}/NonfungiblePositionManager.sol/NonfungiblePositionManager.json`,
    [factory, weth, zeroAddress],
  );
  const router = await create(`${build}/SwapRouter.sol/SwapRouter.json`, [factory, weth]);
  const contracts = { factory, positions, router };
  const pools = createPoolVerbs(node, contracts);
  const ranges = createPositionVerbs(node, contracts);
  return { ...contracts, ...pools, ...ranges, ...createLaunchVerb(pools, ranges) };
};
