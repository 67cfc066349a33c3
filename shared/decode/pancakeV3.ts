import type { Hex } from '../chain/block.ts';
import { depthOf, type EventDecoder, eventDecoder, poolGains } from './logShape.ts';

/**
 * The same address on all chains of `shared/chain/profiles`; creations are logged with Uniswap V3's `PoolCreated`.
 */
export const PANCAKE_V3_FACTORY: Hex = '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865';

/** Pancake V3 logs the same events as Uniswap V3, except for trades. */
export const pancakeV3: readonly EventDecoder[] = [
  eventDecoder(
    'event Swap(address indexed sender, address indexed to, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 _fees0, uint128 _fees1)',
    ({ sender, to, amount0, amount1, ...args }, { address: pool }, place) => {
      const amounts = poolGains(amount0, amount1);
      const after = depthOf(args);
      return {
        kind: 'swap',
        protocol: 'pancake_v3',
        pool,
        sender,
        to,
        ...amounts,
        after,
        ...place,
      };
    },
  ),
];
