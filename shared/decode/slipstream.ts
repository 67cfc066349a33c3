import { ZERO_ADDRESS } from '../chain/block.ts';
import { type EventDecoder, eventDecoder } from './logShape.ts';

/**
 * Slipstream, the concentrated liquidity of Aerodrome and Velodrome: the same events as Uniswap V3, except for the
 * creation.
 */
export const slipstream: readonly EventDecoder[] = [
  eventDecoder(
    'event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool)',
    ({ tickSpacing, ...args }, { address: factory }, place) => {
      const terms = { fee: 0, tickSpacing, stable: false, hooks: ZERO_ADDRESS };
      return { kind: 'poolCreated', protocol: 'slipstream', factory, ...args, terms, ...place };
    },
  ),
];
