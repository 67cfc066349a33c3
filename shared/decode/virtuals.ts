import { ZERO_ADDRESS } from '../chain/block.ts';
import { type EventDecoder, eventDecoder } from './logShape.ts';

const protocol = 'virtuals';

/** The bonding curves of Virtuals, a pair each: the token is token0, the asset it is priced in no log tells. */
export const virtuals: readonly EventDecoder[] = [
  // Launched(address indexed token, address indexed pair, uint256)
  eventDecoder(
    '0x714aa39317ad9a7a7a99db52b44490da5d068a0b2710fffb1a1282ad3cadae1f',
    ['address', 'address'],
    ['uint256'],
    ([token, pool], { address: factory }, place) => ({
      kind: 'poolCreated',
      protocol,
      factory,
      pool,
      token0: token,
      token1: ZERO_ADDRESS,
      ...place,
    }),
  ),
  // Swap(uint256 amount0In, uint256 amount0Out, uint256 amount1In, uint256 amount1Out) of the pair
  eventDecoder(
    '0x298c349c742327269dc8de6ad66687767310c948ea309df826f5bd103e19d207',
    [],
    ['uint256', 'uint256', 'uint256', 'uint256'],
    ([amount0In, amount0Out, amount1In, amount1Out], { address: pool }, place) => ({
      kind: 'swap',
      protocol,
      pool,
      sender: ZERO_ADDRESS,
      to: ZERO_ADDRESS,
      amount0In,
      amount1In,
      amount0Out,
      amount1Out,
      ...place,
    }),
  ),
];
