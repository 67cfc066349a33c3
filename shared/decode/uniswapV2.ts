import { type EventDecoder, eventDecoder } from './logShape.ts';

const protocol = 'uniswap_v2';

/** Uniswap V2 and its forks: reserves are logged after every change. Solidly pools log the same `Mint`. */
export const uniswapV2: readonly EventDecoder[] = [
  eventDecoder(
    'event PairCreated(address indexed token0, address indexed token1, address pool, uint256 _count)',
    (args, { address: factory }, place) => {
      return { kind: 'poolCreated', protocol, factory, ...args, ...place };
    },
  ),
  eventDecoder(
    'event Sync(uint112 reserve0, uint112 reserve1)',
    (args, { address: pool }, place) => ({ kind: 'sync', protocol, pool, ...args, ...place }),
  ),
  eventDecoder(
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    (args, { address: pool }, place) => ({ kind: 'swap', protocol, pool, ...args, ...place }),
  ),
  eventDecoder(
    'event Mint(address indexed sender, uint256 amount0, uint256 amount1)',
    (args, { address: pool }, place) => ({ kind: 'mint', protocol, pool, ...args, ...place }),
  ),
  eventDecoder(
    'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)',
    (args, { address: pool }, place) => ({ kind: 'burn', protocol, pool, ...args, ...place }),
  ),
];
