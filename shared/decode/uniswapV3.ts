import { ZERO_ADDRESS, ZERO_HASH } from '../chain/block.ts';
import { depthOf, type EventDecoder, eventDecoder, NOTHING, poolGains } from './logShape.ts';
import { PANCAKE_V3_FACTORY } from './pancakeV3.ts';

const protocol = 'uniswap_v3';

/** Uniswap V3 and its forks: a price, and liquidity in tick ranges. Amounts are the pool's gains. */
export const uniswapV3: readonly EventDecoder[] = [
  eventDecoder(
    'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
    ({ fee, tickSpacing, ...args }, { address: factory }, place) => ({
      kind: 'poolCreated',
      protocol: factory === PANCAKE_V3_FACTORY ? 'pancake_v3' : protocol,
      factory,
      ...args,
      terms: { fee, tickSpacing, stable: false, hooks: ZERO_ADDRESS },
      ...place,
    }),
  ),
  eventDecoder(
    'event Initialize(uint160 sqrtPriceX96, int24 tick)',
    (args, { address: pool }, place) => ({ kind: 'priced', protocol, pool, ...args, ...place }),
  ),
  eventDecoder(
    'event Swap(address indexed sender, address indexed to, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
    ({ sender, to, amount0, amount1, ...args }, { address: pool }, place) => {
      const amounts = poolGains(amount0, amount1);
      const after = depthOf(args);
      return { kind: 'swap', protocol, pool, sender, to, ...amounts, after, ...place };
    },
  ),
  eventDecoder(
    'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 liquidity, uint256 amount0, uint256 amount1)',
    ({ sender, amount0, amount1, ...args }, { address: pool }, place) => {
      const range = { ...args, salt: ZERO_HASH };
      return { kind: 'mint', protocol, pool, sender, amount0, amount1, range, ...place };
    },
  ),
  // No tokens move yet.
  eventDecoder(
    'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 liquidity, uint256 amount0, uint256 amount1)',
    ({ amount0, amount1, ...args }, { address: pool }, place) => {
      const ends = { sender: args.owner, to: ZERO_ADDRESS };
      const range = { ...args, salt: ZERO_HASH };
      return { kind: 'burn', protocol, pool, ...ends, amount0, amount1, range, ...place };
    },
  ),
  // The exit.
  eventDecoder(
    'event Collect(address indexed owner, address to, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)',
    ({ to, amount0, amount1, ...args }, { address: pool }, place) => {
      const ends = { sender: args.owner, to };
      const range = { ...args, liquidity: NOTHING, salt: ZERO_HASH };
      return { kind: 'collect', protocol, pool, ...ends, amount0, amount1, range, ...place };
    },
  ),
];
