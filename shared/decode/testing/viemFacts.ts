import {
  type AbiEvent,
  type Address,
  decodeEventLog,
  type Hex,
  numberToHex,
  parseAbiItem,
  zeroAddress,
  zeroHash,
} from 'viem';
import type { Fact, LockAct, TickRange } from '../../chain/fact.ts';
import type { Protocol } from '../../chain/protocol.ts';
import { PANCAKE_V3_FACTORY } from '../pancakeV3.ts';
import type { RawLog } from '../rawBlock.ts';

/** Arguments of an event as viem decodes them, by name. */
type Args = Readonly<Record<string, bigint | number | boolean | string>>;

/** An event of a market or a locker, and the fact it is by the values that viem reads. */
export interface ViemEvent {
  readonly abi: AbiEvent;
  readonly factOf: (args: Args, emitter: Address) => object;
}

const hex = (value: unknown): Hex => numberToHex(value as bigint);
const text = (value: unknown): Hex => (value as Hex).toLowerCase() as Hex;
/** A trade by which side is paid in. */
const amountsOf = (isIn0: boolean, paid: Hex, taken: Hex) => ({
  amount0In: isIn0 ? paid : '0x0',
  amount1In: isIn0 ? '0x0' : paid,
  amount0Out: isIn0 ? '0x0' : taken,
  amount1Out: isIn0 ? taken : '0x0',
});
/** Each side by its own sign: what the pool gained. */
const signedAmounts = (signed0: unknown, signed1: unknown) => {
  const [one, two] = [signed0 as bigint, signed1 as bigint];
  const positive = (amount: bigint): Hex => hex(amount > 0n ? amount : 0n);
  return {
    amount0In: positive(one),
    amount1In: positive(two),
    amount0Out: positive(-one),
    amount1Out: positive(-two),
  };
};
const netAmounts = ({ amount0In, amount1In, amount0Out, amount1Out }: Args) => ({
  amount0In: hex(amount0In),
  amount1In: hex(amount1In),
  amount0Out: hex(amount0Out),
  amount1Out: hex(amount1Out),
});
const depth = ({ sqrtPriceX96, liquidity, tick }: Args) => ({
  after: { sqrtPriceX96: hex(sqrtPriceX96), liquidity: hex(liquidity), tick },
});
const both = ({ amount0, amount1 }: Args) => ({ amount0: hex(amount0), amount1: hex(amount1) });
const reserves = ({ reserve0, reserve1 }: Args) => ({
  reserve0: hex(reserve0),
  reserve1: hex(reserve1),
});
const ends = ({ sender, recipient }: Args) => ({ sender: text(sender), to: text(recipient) });
const range = (owner: unknown, args: Args, liquidity: unknown, salt: Hex = zeroHash) => ({
  range: {
    owner: text(owner),
    tickLower: Number(args['tickLower']),
    tickUpper: Number(args['tickUpper']),
    liquidity: hex(liquidity),
    salt,
  } satisfies TickRange,
});
const sides = (token0: unknown, token1: unknown) => ({
  token0: text(token0),
  token1: text(token1),
});
const CURVE_TRADE =
  '(address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee, uint256 offers, uint256 funds)';

const event = (signature: string, factOf: ViemEvent['factOf']): ViemEvent => ({
  abi: parseAbiItem(`event ${signature}`) as AbiEvent,
  factOf,
});

/** An event of a market; the contract that logs it is its pool unless `more` names another. */
const market = (
  protocol: Protocol,
  kind: Fact['kind'],
  signature: string,
  more: ViemEvent['factOf'],
): ViemEvent =>
  event(signature, (args, emitter) => ({ kind, protocol, pool: emitter, ...more(args, emitter) }));

/** The creation of a pool with two sides, and the terms that the event names. */
const created = (protocol: Protocol, signature: string, more: ViemEvent['factOf'] = () => ({})) =>
  market(protocol, 'poolCreated', signature, (args, factory) => {
    const { token0, token1, pool, fee = 0, tickSpacing = 0, stable = false } = args;
    const terms = { fee, tickSpacing, stable, hooks: zeroAddress };
    return { factory, pool: text(pool), ...sides(token0, token1), terms, ...more(args, factory) };
  });

/** What an event of a locker contains, by the names of the fact; the rest is zero. */
const lockEvent = (
  act: LockAct,
  signature: string,
  names: Readonly<Record<string, string>>,
  more: ViemEvent['factOf'] = () => ({}),
): ViemEvent =>
  event(signature, (args, locker) => ({
    kind: 'lock',
    act,
    locker,
    lockId: '0x0',
    asset: zeroAddress,
    position: '0x0',
    owner: zeroAddress,
    amount: '0x0',
    unlockAt: '0x0',
    ...Object.fromEntries(
      Object.entries(names).map(([field, name]) => [
        field,
        typeof args[name] === 'string' ? text(args[name]) : hex(args[name]),
      ]),
    ),
    ...more(args, locker),
  }));

const UNCX = { lockId: 'lockID', asset: 'lpToken', owner: 'owner' };
const TEAM = { lockId: 'id', asset: 'tokenAddress', owner: 'withdrawalAddress' };
const PINK = { lockId: 'id', asset: 'token', owner: 'owner', amount: 'amount' };
const LIQUIDITY = '(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)';

/** Every event of a locker or of positions, with the signature that it publishes. */
export const LOCK_EVENTS: readonly ViemEvent[] = [
  lockEvent(
    'locked',
    'onDeposit(address lpToken, address user, uint256 amount, uint256 lockDate, uint256 unlockDate)',
    { asset: 'lpToken', owner: 'user', amount: 'amount', unlockAt: 'unlockDate' },
  ),
  lockEvent('withdrawn', 'onWithdraw(address lpToken, uint256 amount)', {
    asset: 'lpToken',
    amount: 'amount',
  }),
  lockEvent(
    'locked',
    'onNewLock(uint256 lockID, address lpToken, address owner, uint256 amount, uint256 lockDate, uint256 unlockDate, uint16 countryCode)',
    { ...UNCX, amount: 'amount', unlockAt: 'unlockDate' },
  ),
  lockEvent(
    'extended',
    'onRelock(uint256 lockID, address lpToken, address owner, uint256 amountRemainingInLock, uint256 liquidityFee, uint256 unlockDate)',
    { ...UNCX, amount: 'amountRemainingInLock', unlockAt: 'unlockDate' },
  ),
  lockEvent(
    'added',
    'onIncrementLock(uint256 lockID, address lpToken, address owner, address payer, uint256 amountRemainingInLock, uint256 amountAdded, uint256 liquidityFee)',
    { ...UNCX, amount: 'amountAdded' },
  ),
  lockEvent(
    'withdrawn',
    'onWithdraw(uint256 lockID, address lpToken, address owner, uint256 amountRemainingInLock, uint256 amountRemoved)',
    { ...UNCX, amount: 'amountRemoved' },
  ),
  lockEvent(
    'extended',
    'onSplitLock(uint256 lockID, address lpToken, address owner, uint256 amountRemainingInLock, uint256 amountRemoved)',
    { ...UNCX, amount: 'amountRemainingInLock' },
  ),
  lockEvent(
    'handedOver',
    'onTransferLockOwnership(uint256 lockID, address lpToken, address oldOwner, address newOwner)',
    { ...UNCX, owner: 'newOwner' },
  ),
  lockEvent(
    'withdrawn',
    'OnMigrate(uint256 lockID, address lpToken, address owner, uint256 amountRemainingInLock, uint256 amountMigrated, uint256 migrationOption)',
    { ...UNCX, amount: 'amountMigrated' },
  ),
  lockEvent(
    'locked',
    'onLock(uint256 lock_id, address nftPositionManager, uint256 nft_id, address owner, address additionalCollector, address collectAddress, uint256 unlockDate, uint16 countryCode, uint256 collectFee, address poolAddress, (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256 feeGrowthInside0LastX128, uint256 feeGrowthInside1LastX128, uint128 tokensOwed0, uint128 tokensOwed1) position)',
    {
      lockId: 'lock_id',
      asset: 'nftPositionManager',
      position: 'nft_id',
      owner: 'owner',
      unlockAt: 'unlockDate',
    },
    ({ position }) => ({ amount: hex((position as unknown as { liquidity: bigint }).liquidity) }),
  ),
  lockEvent('withdrawn', 'onWithdraw(uint256 lock_id, address owner, address receiver)', {
    lockId: 'lock_id',
    owner: 'owner',
  }),
  lockEvent(
    'locked',
    'onLock(uint256 lockID, address token, address owner, uint256 amountInTokens, uint256 startEmission, uint256 endEmission)',
    { lockId: 'lockID', asset: 'token', owner: 'owner', amount: 'amountInTokens' },
    ({ startEmission, endEmission }) => ({ unlockAt: hex(startEmission || endEmission) }),
  ),
  lockEvent('extended', 'onRelock(uint256 lockId, uint256 unlockDate)', {
    lockId: 'lockId',
    unlockAt: 'unlockDate',
  }),
  lockEvent(
    'locked',
    'Deposit(uint256 id, address indexed tokenAddress, address indexed withdrawalAddress, uint256 amount, uint256 unlockTime)',
    { ...TEAM, amount: 'amount', unlockAt: 'unlockTime' },
  ),
  lockEvent(
    'locked',
    'DepositNFT(uint256 id, address indexed tokenAddress, uint256 tokenId, address indexed withdrawalAddress, uint256 amount, uint256 unlockTime)',
    { ...TEAM, position: 'tokenId', unlockAt: 'unlockTime' },
  ),
  lockEvent('extended', 'LockDurationExtended(uint256 id, uint256 unlockTime)', {
    lockId: 'id',
    unlockAt: 'unlockTime',
  }),
  lockEvent(
    'withdrawn',
    'LogTokenWithdrawal(uint256 id, address indexed tokenAddress, address indexed withdrawalAddress, uint256 amount)',
    { ...TEAM, amount: 'amount' },
  ),
  lockEvent(
    'withdrawn',
    'LogNFTWithdrawal(uint256 id, address indexed tokenAddress, uint256 tokenId, address indexed withdrawalAddress, uint256 amount)',
    { ...TEAM, position: 'tokenId' },
  ),
  lockEvent(
    'locked',
    'LockAdded(uint256 indexed id, address token, address owner, uint256 amount, uint256 unlockDate)',
    { ...PINK, unlockAt: 'unlockDate' },
  ),
  lockEvent(
    'extended',
    'LockUpdated(uint256 indexed id, address token, address owner, uint256 newAmount, uint256 newUnlockDate)',
    { ...PINK, amount: 'newAmount', unlockAt: 'newUnlockDate' },
  ),
  lockEvent(
    'withdrawn',
    'LockRemoved(uint256 indexed id, address token, address owner, uint256 amount, uint256 unlockedAt)',
    PINK,
  ),
  lockEvent(
    'withdrawn',
    'LockVested(uint256 indexed id, address token, address owner, uint256 amount, uint256 remaining, uint256 timestamp)',
    PINK,
  ),
  lockEvent('handedOver', 'LockOwnerChanged(uint256 lockId, address owner, address newOwner)', {
    lockId: 'lockId',
    owner: 'newOwner',
  }),
  ...(['increased', 'decreased'] as const).map((act) =>
    lockEvent(
      act,
      `${act === 'increased' ? 'IncreaseLiquidity' : 'DecreaseLiquidity'}${LIQUIDITY}`,
      { position: 'tokenId', amount: 'liquidity' },
      (_, manager) => ({ locker: zeroAddress, asset: manager }),
    ),
  ),
];

/** Every event of tokens and of Uniswap V2. */
export const CORE_EVENTS: readonly ViemEvent[] = [
  event(
    'Transfer(address indexed from, address indexed to, uint256 value)',
    ({ from, to, value }, token) => ({
      kind: 'transfer',
      token,
      from: text(from),
      to: text(to),
      value: hex(value),
    }),
  ),
  event(
    'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
    ({ previousOwner, newOwner }, contract) => ({
      kind: 'ownershipTransferred',
      contract,
      previousOwner: text(previousOwner),
      newOwner: text(newOwner),
    }),
  ),
  market(
    'uniswap_v2',
    'poolCreated',
    'PairCreated(address indexed token0, address indexed token1, address pool, uint256 count)',
    ({ token0, token1, pool }, factory) => ({
      factory,
      pool: text(pool),
      ...sides(token0, token1),
    }),
  ),
  market('uniswap_v2', 'sync', 'Sync(uint112 reserve0, uint112 reserve1)', reserves),
  market(
    'uniswap_v2',
    'swap',
    'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed recipient)',
    (args) => ({ ...ends(args), ...netAmounts(args) }),
  ),
  market(
    'uniswap_v2',
    'mint',
    'Mint(address indexed sender, uint256 amount0, uint256 amount1)',
    (args) => ({ sender: text(args['sender']), ...both(args) }),
  ),
  market(
    'uniswap_v2',
    'burn',
    'Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed recipient)',
    (args) => ({ ...ends(args), ...both(args) }),
  ),
];

/** Every event of a market beside those of Uniswap V2, with the signature that its protocol publishes. */
export const VIEM_EVENTS: readonly ViemEvent[] = [
  created(
    'uniswap_v3',
    'PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
    (_, factory) => (factory === PANCAKE_V3_FACTORY ? { protocol: 'pancake_v3' } : {}),
  ),
  market(
    'uniswap_v3',
    'priced',
    'Initialize(uint160 sqrtPriceX96, int24 tick)',
    ({ sqrtPriceX96, tick }) => ({ sqrtPriceX96: hex(sqrtPriceX96), tick }),
  ),
  ...(['uniswap_v3', 'pancake_v3'] as const).map((protocol) =>
    market(
      protocol,
      'swap',
      `Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick${
        protocol === 'pancake_v3' ? ', uint128 protocolFeesToken0, uint128 protocolFeesToken1' : ''
      })`,
      (args) => ({
        ...ends(args),
        ...signedAmounts(args['amount0'], args['amount1']),
        ...depth(args),
      }),
    ),
  ),
  market(
    'uniswap_v3',
    'mint',
    'Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
    (args) => ({
      sender: text(args['sender']),
      ...both(args),
      ...range(args['owner'], args, args['amount']),
    }),
  ),
  market(
    'uniswap_v3',
    'burn',
    'Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
    (args) => ({
      sender: text(args['owner']),
      to: zeroAddress,
      ...both(args),
      ...range(args['owner'], args, args['amount']),
    }),
  ),
  market(
    'uniswap_v3',
    'collect',
    'Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)',
    (args) => ({
      sender: text(args['owner']),
      to: text(args['recipient']),
      ...both(args),
      ...range(args['owner'], args, 0n),
    }),
  ),
  market(
    'uniswap_v4',
    'poolCreated',
    'Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
    ({ id, currency0, currency1, fee, tickSpacing, hooks, sqrtPriceX96, tick }, factory) => ({
      factory,
      pool: id,
      ...sides(currency0, currency1),
      terms: { fee, tickSpacing, stable: false, hooks: text(hooks) },
      price: { sqrtPriceX96: hex(sqrtPriceX96), tick },
    }),
  ),
  market(
    'uniswap_v4',
    'mint',
    'ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
    (args, manager) => {
      const delta = args['liquidityDelta'] as bigint;
      const taken = { kind: delta < 0n ? 'burn' : 'collect', to: zeroAddress };
      return {
        pool: args['id'],
        manager,
        sender: text(args['sender']),
        ...(delta > 0n ? {} : taken),
        amount0: '0x0',
        amount1: '0x0',
        ...range(args['sender'], args, delta < 0n ? -delta : delta, args['salt'] as Hex),
      };
    },
  ),
  market(
    'uniswap_v4',
    'swap',
    'Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
    (args, manager) => ({
      pool: args['id'],
      manager,
      sender: text(args['sender']),
      to: zeroAddress,
      ...signedAmounts(-(args['amount0'] as bigint), -(args['amount1'] as bigint)),
      ...depth(args),
    }),
  ),
  created(
    'solidly',
    'PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 count)',
  ),
  market('solidly', 'sync', 'Sync(uint256 reserve0, uint256 reserve1)', reserves),
  market(
    'solidly',
    'swap',
    'Swap(address indexed sender, address indexed recipient, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)',
    (args) => ({ ...ends(args), ...netAmounts(args) }),
  ),
  market(
    'solidly',
    'burn',
    'Burn(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1)',
    (args) => ({ ...ends(args), ...both(args) }),
  ),
  created(
    'slipstream',
    'PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool)',
  ),
  market(
    'balancer_v2',
    'swap',
    'Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
    ({ poolId, tokenIn, tokenOut, amountIn, amountOut }, manager) => {
      const isIn0 = BigInt(tokenIn as Hex) < BigInt(tokenOut as Hex);
      return {
        pool: poolId,
        manager,
        sender: zeroAddress,
        to: zeroAddress,
        ...amountsOf(isIn0, hex(amountIn), hex(amountOut)),
        sides: isIn0 ? sides(tokenIn, tokenOut) : sides(tokenOut, tokenIn),
      };
    },
  ),
  market(
    'four_meme',
    'poolCreated',
    'TokenCreate(address creator, address token, uint256 requestId, string name, string symbol, uint256 totalSupply, uint256 launchTime, uint256 launchFee)',
    ({ token }, factory) => ({ factory, pool: text(token), ...sides(token, zeroAddress) }),
  ),
  ...(['TokenPurchase', 'TokenSale'] as const).map((name) =>
    market(
      'four_meme',
      'swap',
      `${name}${CURVE_TRADE}`,
      ({ token, account, amount, cost, offers, funds }, manager) => ({
        pool: text(token),
        manager,
        sender: text(account),
        to: text(account),
        ...(name === 'TokenSale'
          ? amountsOf(true, hex(amount), hex(cost))
          : amountsOf(false, hex(cost), hex(amount))),
        after: { reserve0: hex(offers), reserve1: hex(funds) },
      }),
    ),
  ),
  market(
    'four_meme',
    'graduated',
    'LiquidityAdded(address base, uint256 offers, address quote, uint256 funds)',
    ({ base, offers, quote, funds }, manager) => ({
      pool: text(base),
      manager,
      ...sides(base, quote),
      amount0: hex(offers),
      amount1: hex(funds),
    }),
  ),
  market(
    'virtuals',
    'poolCreated',
    'Launched(address indexed token, address indexed pair, uint256 count)',
    ({ token, pair }, factory) => ({ factory, pool: text(pair), ...sides(token, zeroAddress) }),
  ),
  market('virtuals', 'mint', 'Mint(uint256 amount0, uint256 amount1)', (args) => ({
    sender: zeroAddress,
    ...both(args),
  })),
  market(
    'virtuals',
    'graduated',
    'Graduated(address indexed token, address agentToken)',
    ({ token, agentToken }, manager) => ({
      pool: text(token),
      manager,
      ...sides(token, agentToken),
      amount0: '0x0',
      amount1: '0x0',
    }),
  ),
  market(
    'virtuals',
    'swap',
    'Swap(uint256 amount0In, uint256 amount0Out, uint256 amount1In, uint256 amount1Out)',
    (args) => ({ sender: zeroAddress, to: zeroAddress, ...netAmounts(args) }),
  ),
];

/** The fact a log is by viem's decoding, in strict mode. */
export const factByViem = ({ abi, factOf }: ViemEvent, log: RawLog): Fact => {
  const { args } = decodeEventLog({
    abi: [abi],
    topics: log.topics as [Hex, ...Hex[]],
    data: log.data,
    strict: true,
  });
  return {
    ...factOf(args as unknown as Args, log.address),
    txHash: log.transactionHash,
    txIndex: Number(log.transactionIndex),
    logIndex: Number(log.logIndex),
  } as unknown as Fact;
};
