import type { Hex } from '../chain/block.ts';
import { ZERO_ADDRESS } from '../chain/block.ts';
import { type EventDecoder, eventDecoder } from './logShape.ts';

const protocol = 'four_meme';
const NOTHING: Hex = '0x0';

/** A trade: token, account, price, amount, cost, fee, what the curve still offers, and what it raised. */
const TRADE = [
  'address',
  'address',
  'uint256',
  'uint256',
  'uint256',
  'uint256',
  'uint256',
  'uint256',
] as const;

/**
 * The bonding curves of four.meme, one a token, all kept by one manager: the market is named by its token, which is
 * token0. The other side is the native currency unless the curve was made for another token, which no log of a trade contains.
 */
export const fourMeme: readonly EventDecoder[] = [
  // TokenCreate(address creator, address token, uint256 requestId, string name, string symbol, uint256 totalSupply,
  //   uint256 launchTime, uint256 launchFee)
  eventDecoder(
    '0x396d5e902b675b032348d3d2e9517ee8f0c4a926603fbc075d3d282ff00cad20',
    [],
    ['address', 'address', 'uint256', 'string', 'string', 'uint256', 'uint256', 'uint256'],
    ([_creator, token], { address: factory }, place) => ({
      kind: 'poolCreated',
      protocol,
      factory,
      pool: token,
      token0: token,
      token1: ZERO_ADDRESS,
      ...place,
    }),
  ),
  // TokenPurchase(address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee,
  //   uint256 offers, uint256 funds)
  eventDecoder(
    '0x7db52723a3b2cdd6164364b3b766e65e540d7be48ffa89582956d8eaebe62942',
    [],
    TRADE,
    ([token, account, _price, amount, cost, _fee, offers, funds], { address: manager }, place) => ({
      kind: 'swap',
      protocol,
      pool: token,
      manager,
      sender: account,
      to: account,
      amount0In: NOTHING,
      amount1In: cost,
      amount0Out: amount,
      amount1Out: NOTHING,
      after: { reserve0: offers, reserve1: funds },
      ...place,
    }),
  ),
  // TokenSale: as TokenPurchase
  eventDecoder(
    '0x0a5575b3648bae2210cee56bf33254cc1ddfbc7bf637c0af2ac18b14fb1bae19',
    [],
    TRADE,
    ([token, account, _price, amount, cost, _fee, offers, funds], { address: manager }, place) => ({
      kind: 'swap',
      protocol,
      pool: token,
      manager,
      sender: account,
      to: account,
      amount0In: amount,
      amount1In: NOTHING,
      amount0Out: NOTHING,
      amount1Out: cost,
      after: { reserve0: offers, reserve1: funds },
      ...place,
    }),
  ),
  // LiquidityAdded(address base, uint256 offers, address quote, uint256 funds): to a pool of another protocol
  eventDecoder(
    '0xc18aa71171b358b706fe3dd345299685ba21a5316c66ffa9e319268b033c44b0',
    [],
    ['address', 'uint256', 'address', 'uint256'],
    ([token, offers, quote, funds], { address: manager }, place) => ({
      kind: 'graduated',
      protocol,
      pool: token,
      manager,
      token0: token,
      token1: quote,
      amount0: offers,
      amount1: funds,
      ...place,
    }),
  ),
];
