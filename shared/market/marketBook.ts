import { poolKindOf } from '../chain/protocol.ts';
import { type ConcentratedPool, isPossible, swapExactIn, withTicks } from './concentratedPool.ts';
import type { CreatedMarket, MarketState } from './marketReads.ts';
import { saleDepth } from './saleDepth.ts';
import { type Digits, stableAmountOut, stablePrice } from './stableCurve.ts';

/** A market's holdings of both sides, raw units. */
interface Held {
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

/** State of a market between two transactions, as far as trades depend on it. */
export type MarketBook =
  /** The product of both reserves is constant (Uniswap V2, Solidly volatile). */
  | (Held & { readonly kind: 'product'; readonly feePips: number })
  /**
   * x³y + xy³ in whole tokens is constant (Solidly stable): nothing can be computed while decimals are unknown.
   */
  | (Held & { readonly kind: 'stable'; readonly digits: Digits | undefined })
  | { readonly kind: 'ticks'; readonly pool: ConcentratedPool }
  /**
   * A bonding curve: what it still offers of token 0, what it has raised of token 1, and its last price. If its
   * initial amounts form a constant product (Virtuals), trades follow from them; otherwise its formula is unknown.
   */
  | (Held & {
      readonly kind: 'curve';
      readonly lastPrice: number | null;
      readonly start?: Held | undefined;
    });

/** Fees are in millionths of the input. */
const FEE_SCALE = 1_000_000n;
const Q96 = 2 ** 96;
/** Marks a Uniswap V4 pool whose hook sets the fee (`LPFeeLibrary.DYNAMIC_FEE_FLAG`). */
export const HOOK_SETS_FEE = 0x800000;

/** Reserves ordered by which token is sold. */
const sidesOf = ({ reserve0, reserve1 }: Held, isToken0: boolean) =>
  isToken0
    ? { reserveIn: reserve0, reserveOut: reserve1 }
    : { reserveIn: reserve1, reserveOut: reserve0 };

/**
 * Output of a sale of `amountIn` of token 0 (or token 1), raw units of the other side, exactly as the market computes
 * it. The fee of a Solidly pool or a Virtuals curve is set by its factory and is in no log, so it is left out. Null
 * if unknown.
 */
export const amountOut = (book: MarketBook, amountIn: bigint, isToken0: boolean): bigint | null => {
  if (amountIn <= 0n) return 0n;
  if (book.kind === 'curve') return curveAmountOut(book, amountIn, isToken0);
  if (book.kind === 'ticks') return swapExactIn(book.pool, amountIn, isToken0).amountOut;
  const sides = sidesOf(book, isToken0);
  if (book.kind === 'stable') {
    if (!book.digits) return null;
    const { digits0, digits1 } = book.digits;
    const [digitsIn, digitsOut] = isToken0 ? [digits0, digits1] : [digits1, digits0];
    return stableAmountOut(sides, { digitsIn, digitsOut }, amountIn);
  }
  const paid = amountIn * (FEE_SCALE - BigInt(book.feePips));
  const whole = sides.reserveIn * FEE_SCALE + paid;
  return whole > 0n ? (paid * sides.reserveOut) / whole : 0n;
};

/**
 * As in the Virtuals router: nobody paid the curve's initial token 1, so at most the raised amount can be taken out.
 */
const curveAmountOut = (
  { start, reserve0, reserve1 }: Extract<MarketBook, { kind: 'curve' }>,
  amountIn: bigint,
  isToken0: boolean,
): bigint | null => {
  if (!start) return null;
  const whole = { reserve0, reserve1: start.reserve1 + reserve1 };
  const { reserveIn, reserveOut } = sidesOf(whole, isToken0);
  const kept = (start.reserve0 * start.reserve1) / (reserveIn + amountIn);
  const paid = reserveOut - kept;
  return isToken0 && paid > reserve1 ? reserve1 : paid;
};

/** Output of a sale of the whole supply of token 0 (or token 1), raw units of the other side. */
export const depthOf = (book: MarketBook, isToken0: boolean): number =>
  book.kind === 'ticks'
    ? saleDepth(book.pool, isToken0)
    : Number(sidesOf(book, isToken0).reserveOut);

/** Price of one raw unit of token 0 (or token 1) in raw units of the other side; null if a side is empty. */
export const spotPrice = (book: MarketBook, isToken0: boolean): number | null => {
  const price = book.kind === 'curve' ? curvePrice(book) : price0(book);
  if (price === null || !(price > 0) || !Number.isFinite(price)) return null;
  return isToken0 ? price : 1 / price;
};

const curvePrice = ({
  start,
  reserve0,
  reserve1,
  lastPrice,
}: Extract<MarketBook, { kind: 'curve' }>): number | null =>
  start ? Number(start.reserve1 + reserve1) / Number(reserve0) : lastPrice;

const price0 = (book: Exclude<MarketBook, { kind: 'curve' }>): number | null => {
  if (book.kind === 'ticks') return (Number(book.pool.sqrtPriceX96) / Q96) ** 2;
  const [amount0, amount1] = [Number(book.reserve0), Number(book.reserve1)];
  if (book.kind === 'stable') return stablePrice({ amount0, amount1 }, book.digits ?? null);
  return amount0 > 0 && amount1 > 0 ? amount1 / amount0 : null;
};

/**
 * Current state of a market; undefined if its events do not show it or contradict each other, and for protocols whose
 * trades do not follow from their logs.
 */
export const bookOf = (
  { protocol, terms, firstPrice }: Pick<CreatedMarket, 'protocol' | 'terms' | 'firstPrice'>,
  { price = firstPrice, ticks, reserves, lastPrice, start, hasGraduated }: MarketState,
  digits: Digits | undefined,
): MarketBook | undefined => {
  const kind = poolKindOf(protocol);
  if (kind === 'reserves' || kind === 'solidly') {
    if (!reserves) return undefined;
    if (!terms.stable) return { kind: 'product', feePips: terms.fee, ...reserves };
    return { kind: 'stable', digits, ...reserves };
  }
  if (kind === 'curve' || kind === 'bonding') {
    return reserves && !hasGraduated
      ? { kind: 'curve', lastPrice: lastPrice ?? null, start, ...reserves }
      : undefined;
  }
  if (!price) return undefined;
  const { fee, tickSpacing } = terms;
  const feePips = fee === HOOK_SETS_FEE ? 0 : fee;
  const pool = withTicks({ ...price, feePips, tickSpacing }, ticks);
  return isPossible(pool) ? { kind: 'ticks', pool } : undefined;
};
