import { ZERO_ADDRESS } from '../chain/block.ts';
import { type EventDecoder, eventDecoder } from './logShape.ts';

const protocol = 'solidly';

/** Solidly in the form of Aerodrome and Velodrome V2: like Uniswap V2, stable or volatile. Its `Mint` is Uniswap V2's. */
export const solidly: readonly EventDecoder[] = [
  // PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256)
  eventDecoder(
    '0x2128d88d14c80cb081c1252a5acff7a264671bf199ce226b53788fb26065005e',
    ['address', 'address', 'bool'],
    ['address', 'uint256'],
    ([token0, token1, stable, pool], { address: factory }, place) => ({
      kind: 'poolCreated',
      protocol,
      factory,
      pool,
      token0,
      token1,
      terms: { fee: 0, tickSpacing: 0, stable, hooks: ZERO_ADDRESS },
      ...place,
    }),
  ),
  // Sync(uint256 reserve0, uint256 reserve1)
  eventDecoder(
    '0xcf2aa50876cdfbb541206f89af0ee78d44a2abf8d328e37fa4917f982149848a',
    [],
    ['uint256', 'uint256'],
    ([reserve0, reserve1], { address: pool }, place) => ({
      kind: 'sync',
      protocol,
      pool,
      reserve0,
      reserve1,
      ...place,
    }),
  ),
  // Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out,
  //   uint256 amount1Out)
  eventDecoder(
    '0xb3e2773606abfd36b5bd91394b3a54d1398336c65005baf7bf7a05efeffaf75b',
    ['address', 'address'],
    ['uint256', 'uint256', 'uint256', 'uint256'],
    ([sender, to, amount0In, amount1In, amount0Out, amount1Out], { address: pool }, place) => ({
      kind: 'swap',
      protocol,
      pool,
      sender,
      to,
      amount0In,
      amount1In,
      amount0Out,
      amount1Out,
      ...place,
    }),
  ),
  // Burn(address indexed sender, address indexed to, uint256 amount0, uint256 amount1): lending tokens of Aave log one too
  eventDecoder(
    '0x5d624aa9c148153ab3446c1b154f660ee7701e549fe9b62dab7171b1c80e6fa2',
    ['address', 'address'],
    ['uint256', 'uint256'],
    ([sender, to, amount0, amount1], { address: pool }, place) => ({
      kind: 'burn',
      protocol,
      pool,
      sender,
      to,
      amount0,
      amount1,
      ...place,
    }),
  ),
];
