import type { Hex } from '../../../shared/chain/block.ts';
import { LIQUIDITY_WINDOW_S, type PoolSeries, PRICE_WINDOW_S, pointsSince } from './poolSeries.ts';
import type { PoolSides } from './poolSides.ts';
import type { Amounts, Depth, PoolStep } from './poolSteps.ts';

/** A step of a pool, by its base. Raw units. */
export interface PoolStepOfToken
  extends Pick<PoolStep, 'txHash' | 'logIndex' | 'kind' | 'wallets'> {
  /** Reserve of the base. */
  readonly before: number;
  readonly after: number;
  /** Base that left the pool. */
  readonly paid: number;
  /** Tokens that the pool got. */
  readonly received: number;
  /** Base per token by the reserves. */
  readonly priceBefore: number;
  readonly priceAfter: number;
}

/**
 * What a block did to a pool that has a base token. Reserves of the base in raw units; of concentrated
 * liquidity what a sale of everything takes out.
 */
export interface PoolChange {
  readonly pool: Hex;
  readonly token: Hex;
  readonly base: Hex;
  /** Highest reserve at the end of a block of the last ten minutes, this one excepted. */
  readonly peak: number;
  /** Reserve before this block. */
  readonly before: number;
  readonly after: number;
  /** Base per token in raw units; the peak is of ends of blocks of the last hour, this one excepted. */
  readonly price: { readonly peak: number; readonly before: number; readonly after: number };
  readonly steps: readonly PoolStepOfToken[];
  /** Whether the token has a deeper market. */
  readonly isMinor?: boolean;
  /** Payments of the base in the last ten minutes, this block included. */
  readonly payouts: readonly { readonly wallets: readonly Hex[]; readonly amount: number }[];
}

/** The side of the amounts that is the base token's. */
export const baseOf = (amounts: Amounts, sides: PoolSides): number =>
  sides.isBase0 ? amounts.amount0 : amounts.amount1;

const tokenOf = (amounts: Amounts, sides: PoolSides): number =>
  sides.isBase0 ? amounts.amount1 : amounts.amount0;

/** Base per token, or `otherwise` where the pool holds no tokens and so has no price. */
const priceOf = (amounts: Depth, sides: PoolSides, otherwise: number): number => {
  if (amounts.price === null) return otherwise;
  if (amounts.price !== undefined) return sides.isBase0 ? 1 / amounts.price : amounts.price;
  const tokens = tokenOf(amounts, sides);
  return tokens > 0 ? baseOf(amounts, sides) / tokens : otherwise;
};

/** What the steps of one block mean for a pool with this past. */
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
        // The price of what gives nothing is anybody's to set.
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
