import { ZERO_ADDRESS, ZERO_HASH } from '../chain/block.ts';
import { type EventDecoder, eventDecoder, inAndOut } from './logShape.ts';
import { PANCAKE_V3_FACTORY } from './pancakeV3.ts';

const protocol = 'uniswap_v3';

/** Uniswap V3 and its forks: a price, and liquidity in ranges of ticks. Amounts are what the pool gains. */
export const uniswapV3: readonly EventDecoder[] = [
  // PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)
  eventDecoder(
    '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118',
    ['address', 'address', 'uint24'],
    ['int24', 'address'],
    ([token0, token1, fee, tickSpacing, pool], { address: factory }, place) => ({
      kind: 'poolCreated',
      protocol: factory === PANCAKE_V3_FACTORY ? 'pancake_v3' : protocol,
      factory,
      pool,
      token0,
      token1,
      terms: { fee, tickSpacing, stable: false, hooks: ZERO_ADDRESS },
      ...place,
    }),
  ),
  // Initialize(uint160 sqrtPriceX96, int24 tick)
  eventDecoder(
    '0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95',
    [],
    ['uint160', 'tick'],
    ([sqrtPriceX96, tick], { address: pool }, place) => ({
      kind: 'priced',
      protocol,
      pool,
      sqrtPriceX96,
      tick,
      ...place,
    }),
  ),
  // Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96,
  //   uint128 liquidity, int24 tick)
  eventDecoder(
    '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
    ['address', 'address'],
    ['int256', 'int256', 'uint160', 'uint128', 'tick'],
    ([sender, to, signed0, signed1, sqrtPriceX96, liquidity, tick], { address: pool }, place) => {
      const [amount0, amount1] = [inAndOut(signed0), inAndOut(signed1)];
      return {
        kind: 'swap',
        protocol,
        pool,
        sender,
        to,
        amount0In: amount0.in,
        amount1In: amount1.in,
        amount0Out: amount0.out,
        amount1Out: amount1.out,
        after: { sqrtPriceX96, tick, liquidity },
        ...place,
      };
    },
  ),
  // Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount,
  //   uint256 amount0, uint256 amount1)
  eventDecoder(
    '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde',
    ['address', 'tick', 'tick'],
    ['address', 'uint128', 'uint256', 'uint256'],
    ([owner, tickLower, tickUpper, sender, liquidity, amount0, amount1], log, place) => ({
      kind: 'mint',
      protocol,
      pool: log.address,
      sender,
      amount0,
      amount1,
      range: { owner, tickLower, tickUpper, liquidity, salt: ZERO_HASH },
      ...place,
    }),
  ),
  // Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0,
  //   uint256 amount1): moves no tokens yet
  eventDecoder(
    '0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c',
    ['address', 'tick', 'tick'],
    ['uint128', 'uint256', 'uint256'],
    ([owner, tickLower, tickUpper, liquidity, amount0, amount1], log, place) => ({
      kind: 'burn',
      protocol,
      pool: log.address,
      sender: owner,
      to: ZERO_ADDRESS,
      amount0,
      amount1,
      range: { owner, tickLower, tickUpper, liquidity, salt: ZERO_HASH },
      ...place,
    }),
  ),
  // Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper,
  //   uint128 amount0, uint128 amount1): the exit
  eventDecoder(
    '0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0',
    ['address', 'tick', 'tick'],
    ['address', 'uint128', 'uint128'],
    ([owner, tickLower, tickUpper, to, amount0, amount1], { address: pool }, place) => ({
      kind: 'collect',
      protocol,
      pool,
      sender: owner,
      to,
      amount0,
      amount1,
      range: { owner, tickLower, tickUpper, liquidity: '0x0', salt: ZERO_HASH },
      ...place,
    }),
  ),
];
