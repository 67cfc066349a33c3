import { ZERO_ADDRESS } from '../chain/block.ts';
import { type EventDecoder, eventDecoder } from './logShape.ts';

/** Slipstream, the concentrated liquidity of Aerodrome and Velodrome: all but the creation is logged as in Uniswap V3. */
export const slipstream: readonly EventDecoder[] = [
  // PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool)
  eventDecoder(
    '0xab0d57f0df537bb25e80245ef7748fa62353808c54d6e528a9dd20887aed9ac2',
    ['address', 'address', 'int24'],
    ['address'],
    ([token0, token1, tickSpacing, pool], { address: factory }, place) => ({
      kind: 'poolCreated',
      protocol: 'slipstream',
      factory,
      pool,
      token0,
      token1,
      terms: { fee: 0, tickSpacing, stable: false, hooks: ZERO_ADDRESS },
      ...place,
    }),
  ),
];
