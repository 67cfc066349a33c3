import { ZERO_ADDRESS } from '../chain/block.ts';
import { type EventDecoder, eventDecoder, NOTHING } from './logShape.ts';

/**
 * The vault of Balancer V2: trades only. A pool holds several tokens; the lower address of a trade's two tokens is
 * token0.
 */
export const balancerV2: readonly EventDecoder[] = [
  eventDecoder(
    'event Swap(bytes32 indexed pool, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
    ({ pool, tokenIn, tokenOut, amountIn, amountOut }, { address: manager }, place) => {
      const isIn0 = tokenIn < tokenOut;
      return {
        kind: 'swap',
        protocol: 'balancer_v2',
        pool,
        manager,
        sender: ZERO_ADDRESS,
        to: ZERO_ADDRESS,
        amount0In: isIn0 ? amountIn : NOTHING,
        amount1In: isIn0 ? NOTHING : amountIn,
        amount0Out: isIn0 ? NOTHING : amountOut,
        amount1Out: isIn0 ? amountOut : NOTHING,
        sides: isIn0
          ? { token0: tokenIn, token1: tokenOut }
          : { token0: tokenOut, token1: tokenIn },
        ...place,
      };
    },
  ),
];
