import { type EventDecoder, eventDecoder } from './logShape.ts';
import { TOPIC } from './topic.ts';

const protocol = 'uniswap_v2';

/** Uniswap V2 and its forks: reserves are logged after every change. Solidly's pools log the same `Mint`. */
export const uniswapV2: readonly EventDecoder[] = [
  eventDecoder(
    TOPIC.pairCreated,
    ['address', 'address'],
    ['address', 'uint256'],
    ([token0, token1, pool], { address: factory }, place) => ({
      kind: 'poolCreated',
      protocol,
      factory,
      pool,
      token0,
      token1,
      ...place,
    }),
  ),
  eventDecoder(TOPIC.sync, [], ['uint112', 'uint112'], ([reserve0, reserve1], log, place) => ({
    kind: 'sync',
    protocol,
    pool: log.address,
    reserve0,
    reserve1,
    ...place,
  })),
  eventDecoder(
    TOPIC.swap,
    ['address', 'address'],
    ['uint256', 'uint256', 'uint256', 'uint256'],
    ([sender, to, amount0In, amount1In, amount0Out, amount1Out], log, place) => ({
      kind: 'swap',
      protocol,
      pool: log.address,
      sender,
      to,
      amount0In,
      amount1In,
      amount0Out,
      amount1Out,
      ...place,
    }),
  ),
  eventDecoder(
    TOPIC.mint,
    ['address'],
    ['uint256', 'uint256'],
    ([sender, amount0, amount1], log, place) => ({
      kind: 'mint',
      protocol,
      pool: log.address,
      sender,
      amount0,
      amount1,
      ...place,
    }),
  ),
  eventDecoder(
    TOPIC.burn,
    ['address', 'address'],
    ['uint256', 'uint256'],
    ([sender, to, amount0, amount1], log, place) => ({
      kind: 'burn',
      protocol,
      pool: log.address,
      sender,
      to,
      amount0,
      amount1,
      ...place,
    }),
  ),
];
