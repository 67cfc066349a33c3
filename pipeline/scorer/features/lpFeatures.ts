import type { LiquidityFeatureName } from '../../../shared/messages/featureNames.ts';
import { LIQUIDITY_FEATURES } from '../../../shared/messages/featureNames.ts';
import { LP_BURN_ADDRESSES, LP_LOCKERS } from './lpLockers.ts';
import { type LpWalk, walkLp } from './lpWalk.ts';
import type { LpSeries } from './poolSync.ts';

/** Balances below this share of the supply are dust, or what rounding leaves. */
const DUST_SHARE = 1e-6;

const within = (share: number): number => Math.min(1, Math.max(0, share));

/** How the supply is spread over burn addresses, lockers and everybody else. */
const spread = ({ balances, supply }: LpWalk, pool: string) => {
  const shares = { burned: 0, locked: 0, top: 0, holders: 0, squares: 0 };
  for (const [holder, balance] of balances) {
    const share = balance / supply;
    if (!(share > DUST_SHARE) || holder === pool) continue;
    if (LP_BURN_ADDRESSES.has(holder)) {
      shares.burned += share;
      continue;
    }
    shares.holders += 1;
    shares.squares += share * share;
    if (LP_LOCKERS.has(holder)) shares.locked += share;
    else shares.top = Math.max(shares.top, share);
  }
  return shares;
};

const missing = (): Record<LiquidityFeatureName, number> =>
  Object.fromEntries(LIQUIDITY_FEATURES.map((name) => [name, Number.NaN])) as Record<
    LiquidityFeatureName,
    number
  >;

/** The liquidity group as of a time; all missing where no transfer is known or all liquidity is gone. */
export const lpFeatures = (
  series: LpSeries | undefined,
  asOfS: number,
): Record<LiquidityFeatureName, number> => {
  const walk = series && walkLp(series, asOfS);
  if (!walk || !(walk.supply > 0)) return missing();
  const { creator, pool } = series;
  const { burned, locked, top, holders, squares } = spread(walk, pool);
  const ofCreator = (value: number): number => (creator === undefined ? Number.NaN : value);
  return {
    lpHolders: holders,
    lpHerfindahl: squares,
    lpBurnedShare: within(burned),
    lpLockedShare: within(locked),
    lpPullableShare: within(1 - burned - locked),
    lpTopShare: within(top),
    lpCreatorShare: ofCreator(within((walk.balances.get(creator ?? '') ?? 0) / walk.supply)),
    lpRemovedShare: within(walk.removed / walk.minted),
    lpMovedShare: walk.moved / walk.minted,
    lpMoves: walk.moves,
    lpMints: walk.mints,
    lpFirstByCreator: ofCreator(walk.firstProvider === creator ? 1 : 0),
    lpSecondsSinceMove: asOfS - walk.lastAtS,
    lpSecondsToSecured: walk.securedAtS - walk.firstAtS,
  };
};
