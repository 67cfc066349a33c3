import { ZERO_ADDRESS } from '../chain/block.ts';
import { type EventDecoder, eventDecoder, NOTHING } from './logShape.ts';

const protocol = 'four_meme';

/**
 * The bonding curves of four.meme: one per token, all held by one manager. A market is identified by its token, which
 * is token0. The other side is the native currency, unless the curve was created for another token, which no trade
 * log contains. A trade logs what the curve still offers and what it has raised.
 */
export const fourMeme: readonly EventDecoder[] = [
  eventDecoder(
    'event TokenCreate(address _creator, address token0, uint256 _requestId, string _name, string _symbol, uint256 _supply, uint256 _launchTime, uint256 _fee)',
    ({ token0 }, { address: factory }, place) => {
      const sides = { token0, token1: ZERO_ADDRESS };
      return { kind: 'poolCreated', protocol, factory, pool: token0, ...sides, ...place };
    },
  ),
  eventDecoder(
    'event TokenPurchase(address pool, address account, uint256 _price, uint256 amount, uint256 cost, uint256 _fee, uint256 reserve0, uint256 reserve1)',
    ({ pool, account, amount, cost, ...after }, { address: manager }, place) => {
      const bought = {
        amount0In: NOTHING,
        amount1In: cost,
        amount0Out: amount,
        amount1Out: NOTHING,
      };
      const ends = { sender: account, to: account };
      return { kind: 'swap', protocol, pool, manager, ...ends, ...bought, after, ...place };
    },
  ),
  eventDecoder(
    'event TokenSale(address pool, address account, uint256 _price, uint256 amount, uint256 cost, uint256 _fee, uint256 reserve0, uint256 reserve1)',
    ({ pool, account, amount, cost, ...after }, { address: manager }, place) => {
      const sold = { amount0In: amount, amount1In: NOTHING, amount0Out: NOTHING, amount1Out: cost };
      const ends = { sender: account, to: account };
      return { kind: 'swap', protocol, pool, manager, ...ends, ...sold, after, ...place };
    },
  ),
  // To a pool of another protocol.
  eventDecoder(
    'event LiquidityAdded(address token0, uint256 amount0, address token1, uint256 amount1)',
    (args, { address: manager }, place) => {
      return { kind: 'graduated', protocol, pool: args.token0, manager, ...args, ...place };
    },
  ),
];
