import { amountOut } from '../../../shared/market/marketBook.ts';
import type { ValuedMarket } from '../features/tokenFeatures.ts';
import { HUNDRED_THOUSAND, PURCHASE_SIZE } from './tradeSteps.ts';

/** A pool as the facts have it. */
type Pool = Pick<ValuedMarket, 'kind' | 'book' | 'isToken0'>;

/** Offered where there is no base at the price of a pool with concentrated liquidity, wei: as SimulatedConcentratedRouter.sol does. */
const OFFERED_WEI = 2n * 10n ** 17n;

/** The base that the simulated routers take a purchase as a share of, raw units. */
const baseOf = ({ kind, book, isToken0 }: Pool): bigint | undefined => {
  if (kind === 'reserves' && book.kind === 'product')
    return isToken0 ? book.reserve1 : book.reserve0;
  if (book.kind !== 'ticks' || book.pool.sqrtPriceX96 === 0n) return undefined;
  const { sqrtPriceX96: price, liquidity } = book.pool;
  const atPrice = isToken0 ? (liquidity * (price >> 32n)) >> 64n : (liquidity << 96n) / price;
  return atPrice === 0n ? OFFERED_WEI : atPrice;
};

/**
 * Raw tokens that the first purchase of a simulated trade brings if neither the token nor a hook keeps anything of it, to the last unit.
 * Undefined where the facts do not say. Another amount comes out where a pool with concentrated liquidity has less of the base than its
 * price suggests, or a hook sets its fee.
 */
export const expectedPurchase = (pool: Pool): bigint | undefined => {
  const base = baseOf(pool);
  if (base === undefined) return undefined;
  const paid = (base * PURCHASE_SIZE) / BigInt(HUNDRED_THOUSAND);
  return amountOut(pool.book, paid, !pool.isToken0) ?? undefined;
};
