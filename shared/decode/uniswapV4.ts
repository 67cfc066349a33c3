import type { Hex } from '../chain/block.ts';
import { ZERO_ADDRESS } from '../chain/block.ts';
import type { CollectFact } from '../chain/fact.ts';
import { type EventDecoder, eventDecoder, inAndOut } from './logShape.ts';

const protocol = 'uniswap_v4';
/** The log of a position has no amounts: they follow from price and range. */
const NOT_TOLD: Hex = '0x0';

/** Uniswap V4: all pools are entries of one manager. Amounts are what the caller gains, the other way round than in V3. */
export const uniswapV4: readonly EventDecoder[] = [
  // Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing,
  //   address hooks, uint160 sqrtPriceX96, int24 tick)
  eventDecoder(
    '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438',
    ['bytes32', 'address', 'address'],
    ['uint24', 'int24', 'address', 'uint160', 'tick'],
    (values, { address: factory }, place) => {
      const [pool, token0, token1, fee, tickSpacing, hooks, sqrtPriceX96, tick] = values;
      return {
        kind: 'poolCreated',
        protocol,
        factory,
        pool,
        token0,
        token1,
        terms: { fee, tickSpacing, stable: false, hooks },
        price: { sqrtPriceX96, tick },
        ...place,
      };
    },
  ),
  // Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96,
  //   uint128 liquidity, int24 tick, uint24 fee)
  eventDecoder(
    '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f',
    ['bytes32', 'address'],
    ['int128', 'int128', 'uint160', 'uint128', 'tick', 'uint24'],
    (
      [pool, sender, signed0, signed1, sqrtPriceX96, liquidity, tick],
      { address: manager },
      place,
    ) => {
      const [amount0, amount1] = [inAndOut(signed0), inAndOut(signed1)];
      return {
        kind: 'swap',
        protocol,
        pool,
        manager,
        sender,
        to: ZERO_ADDRESS,
        amount0In: amount0.out,
        amount1In: amount1.out,
        amount0Out: amount0.in,
        amount1Out: amount1.in,
        after: { sqrtPriceX96, tick, liquidity },
        ...place,
      };
    },
  ),
  // ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta,
  //   bytes32 salt): a change of nothing collects fees
  eventDecoder(
    '0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec',
    ['bytes32', 'address'],
    ['tick', 'tick', 'int256', 'bytes32'],
    ([pool, sender, tickLower, tickUpper, delta, salt], { address: manager }, place) => {
      const change = inAndOut(delta);
      const isTaken = change.out !== '0x0';
      const liquidity = isTaken ? change.out : change.in;
      const common: Omit<CollectFact, 'kind' | 'to'> = {
        protocol,
        pool,
        manager,
        sender,
        amount0: NOT_TOLD,
        amount1: NOT_TOLD,
        range: { owner: sender, tickLower, tickUpper, liquidity, salt },
        ...place,
      };
      if (change.in !== '0x0') return { kind: 'mint', ...common };
      return { kind: isTaken ? 'burn' : 'collect', to: ZERO_ADDRESS, ...common };
    },
  ),
];
