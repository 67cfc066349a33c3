import type { Hex } from '../chain/block.ts';
import { ZERO_ADDRESS } from '../chain/block.ts';
import { depthOf, type EventDecoder, eventDecoder, inAndOut, poolGains } from './logShape.ts';

const protocol = 'uniswap_v4';
/** The log of a position has no amounts: they follow from price and range. */
const NOT_TOLD: Hex = '0x0';

/** Uniswap V4: all pools are entries of one manager. Amounts are the caller's gains, the opposite of V3. */
export const uniswapV4: readonly EventDecoder[] = [
  eventDecoder(
    'event Initialize(bytes32 indexed pool, address indexed token0, address indexed token1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
    ({ pool, token0, token1, fee, tickSpacing, hooks, ...price }, { address: factory }, place) => {
      const terms = { fee, tickSpacing, stable: false, hooks };
      return {
        kind: 'poolCreated',
        protocol,
        factory,
        pool,
        token0,
        token1,
        terms,
        price,
        ...place,
      };
    },
  ),
  eventDecoder(
    'event Swap(bytes32 indexed pool, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 _fee)',
    ({ pool, sender, amount0, amount1, ...args }, { address: manager }, place) => {
      const { amount0In, amount1In, amount0Out, amount1Out } = poolGains(amount0, amount1);
      return {
        kind: 'swap',
        protocol,
        pool,
        manager,
        sender,
        to: ZERO_ADDRESS,
        amount0In: amount0Out,
        amount1In: amount1Out,
        amount0Out: amount0In,
        amount1Out: amount1In,
        after: depthOf(args),
        ...place,
      };
    },
  ),
  // A change of zero collects fees.
  eventDecoder(
    'event ModifyLiquidity(bytes32 indexed pool, address indexed sender, int24 tickLower, int24 tickUpper, int256 delta, bytes32 salt)',
    ({ pool, sender, tickLower, tickUpper, delta, salt }, { address: manager }, place) => {
      const change = inAndOut(delta);
      const isTaken = change.out !== '0x0';
      const liquidity = isTaken ? change.out : change.in;
      const range = { owner: sender, tickLower, tickUpper, liquidity, salt };
      const amounts = { amount0: NOT_TOLD, amount1: NOT_TOLD };
      const common = { protocol, pool, manager, sender, ...amounts, range, ...place } as const;
      if (change.in !== '0x0') return { kind: 'mint', ...common };
      return { kind: isTaken ? 'burn' : 'collect', to: ZERO_ADDRESS, ...common };
    },
  ),
];
