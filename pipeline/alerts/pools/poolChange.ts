import type { Hex } from '../../../shared/chain/block.ts';
import { LIQUIDITY_WINDOW_S, type PoolSeries, PRICE_WINDOW_S, pointsSince } from './poolSeries.ts';
import type { PoolSides } from './poolSides.ts';
import type { Amounts, Depth, PoolStep } from './poolSteps.ts';

/** A step of a pool, seen from its base token. Raw units. */
export interface PoolStepOfToken
  extends Pick<PoolStep, 'txHash' | 'logIndex' | 'kind' | 'wallets'> {
  /** Reserve of the base token. */
  readonly before: number;
  readonly after: number;
  /** Base tokens that left the pool. */
  readonly paid: number;
  /** Tokens that entered the pool. */
  readonly received: number;
  /** Base tokens per token by the reserves. */
  readonly priceBefore: number;
  readonly priceAfter: number;
}

/**
 * The change of a pool with a base token in one block. Base reserves in raw units; for concentrated liquidity the
 * output of a sale of the whole supply.
 */
export interface PoolChange {
  readonly pool: Hex;
  readonly token: Hex;
  readonly base: Hex;
  /** Highest reserve at the end of a block in the last ten minutes, excluding this block. */
  readonly peak: number;
  /** Reserve before this block. */
  readonly before: number;
  readonly after: number;
  /**
   * Base per token in raw units; the peak is over the ends of blocks in the last hour, excluding this block.
   */
  readonly price: { readonly peak: number; readonly before: number; readonly after: number };
  readonly steps: readonly PoolStepOfToken[];
  /** Whether the token has a deeper market. */
  readonly isMinor?: boolean;
  /** Payments of base tokens in the last ten minutes, including this block. */
  readonly payouts: readonly { readonly wallets: readonly Hex[]; readonly amount: number }[];
}

/** The base token's side of the amounts. */
export const baseOf = (amounts: Amounts, sides: PoolSides): number =>
  sides.isBase0 ? amounts.amount0 : amounts.amount1;

const tokenOf = (amounts: Amounts, sides: PoolSides): number =>
  sides.isBase0 ? amounts.amount1 : amounts.amount0;

/** Base per token, or `otherwise` if the pool holds no tokens and so has no price. */
const priceOf = (amounts: Depth, sides: PoolSides, otherwise: number): number => {
  if (amounts.price === null) return otherwise;
  if (amounts.price !== undefined) return sides.isBase0 ? 1 / amounts.price : amounts.price;
  const tokens = tokenOf(amounts, sides);
  return tokens > 0 ? baseOf(amounts, sides) / tokens : otherwise;
};

/** Summarises the steps of one block for a pool with this past. */
export const poolChange = (
  pool: Hex,
  sides: PoolSides,
  past: PoolSeries,
  steps: readonly PoolStep[],
  timestampS: number,
): PoolChange => {
  const lastHour = pointsSince(past.points, timestampS - PRICE_WINDOW_S);
  const lastMinutes = pointsSince(lastHour, timestampS - LIQUIDITY_WINDOW_S);
  const last = lastMinutes.at(-1);
  const before = last ? baseOf(last, sides) : 0;
  const priceBefore = last ? priceOf(last, sides, 0) : 0;
  const tokenSteps = toTokenSteps(steps, sides, before, priceBefore);
  const earlier = past.payouts.filter((at) => at.timestampS >= timestampS - LIQUIDITY_WINDOW_S);
  return {
    pool,
    token: sides.token,
    base: sides.base,
    peak: lastMinutes.reduce((peak, point) => Math.max(peak, baseOf(point, sides)), 0),
    before,
    after: tokenSteps.at(-1)?.after ?? before,
    price: {
      peak: lastHour
        // Anyone can set the price of a pool with no output.
        .filter((point) => baseOf(point, sides) > 0)
        .reduce((peak, point) => Math.max(peak, priceOf(point, sides, 0)), 0),
      before: priceBefore,
      after: tokenSteps.at(-1)?.priceAfter ?? priceBefore,
    },
    steps: tokenSteps,
    payouts: [
      ...earlier.map(({ wallets, ...amounts }) => ({ wallets, amount: baseOf(amounts, sides) })),
      ...tokenSteps.map(({ wallets, paid }) => ({ wallets, amount: paid })),
    ].filter(({ amount }) => amount > 0),
  };
};

const toTokenSteps = (
  steps: readonly PoolStep[],
  sides: PoolSides,
  reserveBefore: number,
  priceAtFirst: number,
): PoolStepOfToken[] => {
  let before = reserveBefore;
  let priceBefore = priceAtFirst;
  return steps.map(({ txHash, logIndex, kind, wallets, reserves, paid, received }) => {
    const step: PoolStepOfToken = {
      txHash,
      logIndex,
      kind,
      wallets,
      before,
      after: baseOf(reserves, sides),
      paid: baseOf(paid, sides),
      received: tokenOf(received, sides),
      priceBefore,
      priceAfter: priceOf(reserves, sides, priceBefore),
    };
    before = step.after;
    priceBefore = step.priceAfter;
    return step;
  });
};
