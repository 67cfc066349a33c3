import type { Hex } from '../chain/block.ts';
import { type EventDecoder, eventDecoder, inAndOut } from './logShape.ts';

/** Has one address on all chains of `shared/chain/profiles`: what it creates logs Uniswap V3's own `PoolCreated`. */
export const PANCAKE_V3_FACTORY: Hex = '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865';

/** Pancake V3 logs what Uniswap V3 does, but for trades. */
export const pancakeV3: readonly EventDecoder[] = [
  // Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96,
  //   uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)
  eventDecoder(
    '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83',
    ['address', 'address'],
    ['int256', 'int256', 'uint160', 'uint128', 'tick', 'uint128', 'uint128'],
    ([sender, to, signed0, signed1, sqrtPriceX96, liquidity, tick], { address: pool }, place) => {
      const [amount0, amount1] = [inAndOut(signed0), inAndOut(signed1)];
      return {
        kind: 'swap',
        protocol: 'pancake_v3',
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
];
