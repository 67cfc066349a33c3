import { type Hex, ZERO_ADDRESS } from './block.ts';

/** A base token: what a pool's other side is measured in. */
export interface BaseToken {
  readonly decimals: number;
  /** US dollars for one whole token. */
  readonly priceUsd: number;
  /** Whole native coins for one whole token: 1 for the wrapped native token. */
  readonly priceNative: number;
}

/** Base tokens by address; the native currency itself is zero. */
export type BasePrices = ReadonlyMap<Hex, BaseToken>;

/** Reserves, raw, of a pool of the wrapped native token against a stable token. */
export interface StablePool {
  readonly stable: Hex;
  readonly native_reserve: string;
  readonly stable_reserve: string;
}

const NATIVE_DECIMALS = 18;
/** Whole native coins below which a pool's price is noise. */
const NATIVE_RESERVE_MIN = 1;

/**
 * Prices of the base tokens. A stable token of known decimals counts as one dollar; the native coin costs what the
 * deepest pool against a stable says (stable reserve / native reserve), else what is configured.
 */
export const basePricesOf = (parts: {
  pricing: { weth: Hex; stables: readonly Hex[]; nativePriceUsd: number };
  decimals: ReadonlyMap<Hex, number>;
  pools: readonly StablePool[];
}): BasePrices => {
  const { pricing, decimals, pools } = parts;
  let deepest = NATIVE_RESERVE_MIN;
  let nativeUsd = pricing.nativePriceUsd;
  for (const pool of pools) {
    const native = Number(pool.native_reserve) / 10 ** NATIVE_DECIMALS;
    const stableDecimals = decimals.get(pool.stable);
    if (native < deepest || stableDecimals === undefined) continue;
    deepest = native;
    nativeUsd = Number(pool.stable_reserve) / 10 ** stableDecimals / native;
  }
  const priceNative = nativeUsd > 0 ? 1 / nativeUsd : Number.NaN;
  const stables = pricing.stables.flatMap((address): [Hex, BaseToken][] => {
    const known = decimals.get(address);
    return known === undefined ? [] : [[address, { decimals: known, priceUsd: 1, priceNative }]];
  });
  const native: BaseToken = { decimals: NATIVE_DECIMALS, priceUsd: nativeUsd, priceNative: 1 };
  return new Map([...stables, [pricing.weth, native], [ZERO_ADDRESS, native]]);
};
