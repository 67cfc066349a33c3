import { ZERO_ADDRESS } from '../chain/block.ts';
import { type EventDecoder, eventDecoder } from './logShape.ts';

const protocol = 'solidly';

/**
 * Solidly as used by Aerodrome and Velodrome V2: like Uniswap V2, but stable or volatile. Its `Mint` is the same
 * event as Uniswap V2's.
 */
export const solidly: readonly EventDecoder[] = [
  eventDecoder(
    'event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 _count)',
    ({ stable, ...args }, { address: factory }, place) => {
      const terms = { fee: 0, tickSpacing: 0, stable, hooks: ZERO_ADDRESS };
      return { kind: 'poolCreated', protocol, factory, ...args, terms, ...place };
    },
  ),
  eventDecoder(
    'event Sync(uint256 reserve0, uint256 reserve1)',
    (args, { address: pool }, place) => ({ kind: 'sync', protocol, pool, ...args, ...place }),
  ),
  eventDecoder(
    'event Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)',
    (args, { address: pool }, place) => ({ kind: 'swap', protocol, pool, ...args, ...place }),
  ),
  // Lending tokens of Aave log a `Burn` too.
  eventDecoder(
    'event Burn(address indexed sender, address indexed to, uint256 amount0, uint256 amount1)',
    (args, { address: pool }, place) => ({ kind: 'burn', protocol, pool, ...args, ...place }),
  ),
];
