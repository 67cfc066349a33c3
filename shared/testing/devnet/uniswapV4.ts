import {
  type AbiParameter,
  type Address,
  concatHex,
  encodeAbiParameters,
  type Hex,
  hexToBytes,
  keccak256,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  toHex,
  zeroAddress,
} from 'viem';
import { sqrtPriceAtTick } from '../../market/tickMath.ts';
import { type Bytecodes, compileV4, publishedBytecode } from './compileContracts.ts';
import { DEVNET_ADDRESSES, UNISWAP_DEPLOYER } from './devnetAddresses.ts';
import {
  createContract,
  createSend,
  type DevnetNode,
  type DevnetTransaction,
  mustSucceed,
} from './devnetNode.ts';
import { LAUNCH_FEE, TICK_LIMIT, TICK_SPACING } from './uniswapV3.ts';

const KEY = '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks)';
const abi = parseAbi([
  `function initialize(${KEY} key, uint160 sqrtPriceX96) returns (int24 tick)`,
  `function modify(${KEY} key, int24 lower, int24 upper, int256 liquidityDelta) payable`,
  `function trade(${KEY} key, bool zeroForOne, uint256 amountIn) payable`,
  'function approve(address spender, uint256 value) returns (bool)',
  'function deposit() payable',
]);

const GAS = 12_000_000n;
const Q96 = 1n << 96n;
/** On every anvil: takes a salt and creation code as its data (the deterministic deployment proxy). */
const CREATE2_DEPLOYER = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
/** The bits of a hook's address that say when it is called. */
const HOOK_FLAGS = 0x3fff;
/** The fee of a pool whose hook sets it. */
export const DYNAMIC_FEE = 0x800000;

/** What its manager finds a pool by; native currency is address zero. */
export interface V4Key {
  readonly currency0: Address;
  readonly currency1: Address;
  readonly fee: number;
  readonly tickSpacing: number;
  readonly hooks: Address;
}

/** Liquidity over a range of ticks. */
interface V4Position {
  readonly lower: number;
  readonly upper: number;
  readonly liquidity: bigint;
}

/** The name of a pool: `PoolId` of v4-core. */
const V4_KEY = parseAbiParameters('address, address, uint24, int24, address');
const v4PoolId = ({ currency0, currency1, fee, tickSpacing, hooks }: V4Key): Hex =>
  keccak256(encodeAbiParameters(V4_KEY, [currency0, currency1, fee, tickSpacing, hooks]));

/** Liquidity that these amounts at most pay for. */
const liquidityFor = (
  { lower, upper, price }: { lower: number; upper: number; price: bigint },
  amount0: bigint,
  amount1: bigint,
): bigint => {
  const [from, to] = [sqrtPriceAtTick(lower), sqrtPriceAtTick(upper)];
  const at = price < from ? from : price > to ? to : price;
  const by0 = at < to ? (amount0 * at * to) / Q96 / (to - at) : undefined;
  const by1 = at > from ? (amount1 * Q96) / (at - from) : undefined;
  return by0 === undefined || (by1 !== undefined && by1 < by0) ? (by1 ?? 0n) : by0;
};

/** A salt that gives the contract an address with these lowest 14 bits, by trying: CREATE2 hashes 0xff, creator, salt and code hash. */
const findPlace = (bytecode: Hex, flags: number): { salt: Hex; address: Address } => {
  const hashed = hexToBytes(
    concatHex(['0xff', CREATE2_DEPLOYER, toHex(0, { size: 32 }), keccak256(bytecode)]),
  );
  const salt = hashed.subarray(21, 53);
  const counter = new DataView(hashed.buffer, 49, 4);
  for (let tried = 0; ; tried += 1) {
    counter.setUint32(0, tried);
    const hash = keccak256(hashed, 'bytes');
    const lowest = ((hash[30] ?? 0) << 8) | (hash[31] ?? 0);
    if (flags !== 0 && (lowest & HOOK_FLAGS) !== flags) continue;
    return { salt: toHex(salt), address: toHex(hash.subarray(12)) };
  }
};

const createHookVerb = (node: DevnetNode, bytecodes: Bytecodes) => ({
  /**
   * Creates a contract of `contracts/v4` at an address with these permissions, its lowest 14 bits, by trying salts; the same
   * code and permissions give the same contract.
   * @param flags zero: wherever
   */
  deployHook: async (
    name: string,
    flags: number,
    types: readonly AbiParameter['type'][] = [],
    values: readonly unknown[] = [],
  ): Promise<Address> => {
    const code = bytecodes[name];
    if (!code) throw new Error(`${name} is none of the contracts`);
    const parameters = encodeAbiParameters(
      types.map((type) => ({ type })),
      values,
    );
    const bytecode = concatHex([code, parameters]);
    const { salt, address } = findPlace(bytecode, flags);
    if (await node.publicClient.getCode({ address })) return address;
    const data = concatHex([salt, bytecode]);
    await mustSucceed(node, [{ from: UNISWAP_DEPLOYER, to: CREATE2_DEPLOYER, data, gas: GAS }]);
    return address;
  },
});

const createPoolVerbs = (node: DevnetNode, manager: Address, actions: Address) => {
  const send = createSend(node, abi, GAS);
  const modify = (
    from: number,
    key: V4Key,
    { lower, upper, liquidity }: V4Position,
    value = 0n,
  ): Promise<DevnetTransaction> =>
    send(from, actions, 'modify', [key, lower, upper, liquidity], value);
  return {
    /** Lets positions and trades take all of an account's tokens. */
    approve: async (owner: number, token: Address): Promise<void> => {
      await send(owner, token, 'approve', [actions, maxUint256]);
    },
    createPool: async (from: number, key: V4Key, sqrtPriceX96: bigint): Promise<void> => {
      await send(from, manager, 'initialize', [key, sqrtPriceX96]);
    },
    /** Adds liquidity to a range; `value` pays for native currency, and what is left comes back. */
    addPosition: modify,
    /** Takes liquidity out of a range, to its owner. */
    removePosition: (from: number, key: V4Key, position: V4Position): Promise<DevnetTransaction> =>
      modify(from, key, { ...position, liquidity: -position.liquidity }),
    /** Sells an amount of one currency of a pool for the other. */
    swap: (
      from: number,
      key: V4Key,
      amountIn: bigint,
      isCurrency0: boolean,
    ): Promise<DevnetTransaction> => {
      const isNative = isCurrency0 && key.currency0 === zeroAddress;
      return send(from, actions, 'trade', [key, isCurrency0, amountIn], isNative ? amountIn : 0n);
    },
    /** Wraps native currency. */
    wrap: (from: number, value: bigint): Promise<DevnetTransaction> =>
      send(from, DEVNET_ADDRESSES.weth, 'deposit', [], value),
  };
};

/** A launch: how much of both, against what, and with which hook. */
interface V4Launch {
  readonly eth: bigint;
  readonly tokens: bigint;
  /** Against native currency instead of its wrapped token. */
  readonly isNative?: boolean;
  readonly hooks?: Address;
  readonly fee?: number;
}

/** Pools a token over all prices, at the price of two amounts. */
const createLaunchVerb = (pools: ReturnType<typeof createPoolVerbs>) => ({
  launch: async (
    owner: number,
    token: Address,
    { eth, tokens, isNative = false, hooks = zeroAddress, fee = LAUNCH_FEE }: V4Launch,
  ): Promise<{ key: V4Key; id: Hex; position: V4Position }> => {
    const base = isNative ? zeroAddress : DEVNET_ADDRESSES.weth;
    await pools.approve(owner, token);
    if (!isNative) {
      await pools.wrap(owner, eth);
      await pools.approve(owner, base);
    }
    const isLower = token < base;
    const [amount0, amount1] = isLower ? [tokens, eth] : [eth, tokens];
    const [currency0, currency1] = isLower ? [token, base] : [base, token];
    const key = { currency0, currency1, fee, tickSpacing: TICK_SPACING, hooks };
    const root = Math.sqrt(Number(amount1) / Number(amount0));
    const price = BigInt(Math.round(root * 2 ** 48)) << 48n;
    await pools.createPool(owner, key, price);
    const range = { lower: -TICK_LIMIT, upper: TICK_LIMIT };
    const liquidity = liquidityFor({ ...range, price }, amount0, amount1);
    const position = { ...range, liquidity: liquidity - liquidity / 1_000_000n };
    await pools.addPosition(owner, key, position, isNative ? eth : 0n);
    return { key, id: v4PoolId(key), position };
  },
});

/**
 * Deploys the manager of Uniswap V4 (the build of @uniswap/v4-core) and a contract that acts in it, and gives what one does with them. All
 * throw when a transaction reverts.
 */
export const deployUniswapV4 = async (node: DevnetNode) => {
  const code = publishedBytecode('@uniswap/v4-core/out/PoolManager.sol/PoolManager.json');
  const bytecodes = await compileV4();
  const deployer = node.address(UNISWAP_DEPLOYER);
  const manager = await createContract(node, UNISWAP_DEPLOYER, code, [deployer]);
  const actionsCode = bytecodes['V4Actions'] ?? '0x';
  const actions = await createContract(node, UNISWAP_DEPLOYER, actionsCode, [manager]);
  const pools = createPoolVerbs(node, manager, actions);
  return {
    manager,
    actions,
    ...pools,
    ...createLaunchVerb(pools),
    ...createHookVerb(node, bytecodes),
  };
};
