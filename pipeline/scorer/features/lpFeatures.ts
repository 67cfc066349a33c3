import {
  LIQUIDITY_FEATURES,
  type LiquidityFeatureName,
} from '../../../shared/messages/featureNames.ts';
import type { LpSeries, LpTransfer } from './poolSync.ts';

/** Addresses without a known key: liquidity there can never be withdrawn. */
export const LP_BURN_ADDRESSES: ReadonlySet<string> = new Set([
  '0x0000000000000000000000000000000000000000',
  '0x0000000000000000000000000000000000000001',
  '0x000000000000000000000000000000000000dead',
  '0xdead000000000000000042069420694206942069',
]);

/**
 * Contracts of known locking services: liquidity there can be withdrawn only after the agreed time. On other chains
 * an address is the same contract or empty.
 */
export const LP_LOCKERS: ReadonlyMap<string, string> = new Map([
  ['0x663a5c229c09b049e36dcc11a9b0d4a8eb9db214', 'Unicrypt, Uniswap V2, Ethereum'],
  ['0xed9180976c2a4742c7a57354fd39d8bec6cbd8ab', 'Unicrypt, SushiSwap V2, Ethereum'],
  ['0x17e00383a843a9922bca3b280c0ade9f8ba48449', 'Unicrypt, first version, Ethereum'],
  ['0xe2fe530c047f2d85298b07d9333c05737f1435fb', 'Team Finance, third version, Ethereum'],
  ['0xc77aab3c6d7dab46248f3cc3033c856171878bd5', 'Team Finance, second version, Ethereum'],
  ['0xdbf72370021babafbceb05ab10f99ad275c6220a', 'Team Finance, first version, Ethereum'],
  ['0x33d4cc8716beb13f814f538ad3b2de3b036f5e2a', 'PinkLock, first version, Ethereum'],
  ['0x71b5759d73262fbb223956913ecf4ecc51057641', 'PinkLock, second version, Ethereum'],
  ['0x77110f67c0ef3c98c43570bade06046ef6549876', 'OnlyMoons, Ethereum'],
  ['0xc765bddb93b0d1c1a88282ba0fa6b2d00e3e0c83', 'Unicrypt, PancakeSwap V2, BNB Chain'],
  ['0x0c89c0407775dd89b12918b9c0aa42bf96518820', 'Team Finance, BNB Chain'],
  ['0x407993575c91ce7643a4d4ccacc9a98c36ee1bbe', 'PinkLock, second version, BNB Chain'],
]);

const ZERO = '0x0000000000000000000000000000000000000000';
/** Transfers of a liquidity token that are read: far more than any recorded pool had in a day. */
export const LP_TRANSFERS_MAX = 5_000;
/** Share of the supply from which a lock or burn counts. */
const SECURED_SHARE_MIN = 0.01;

/** State of one pass over the transfers. */
type LpWalk = {
  balances: Map<string, number>;
  supply: number;
  minted: number;
  removed: number;
  mints: number;
  moved: number;
  moves: number;
  /** The recipient of the first liquidity; empty before. */
  firstProvider: string;
  firstAtS: number;
  lastAtS: number;
  securedAtS: number;
};

const add = (balances: Map<string, number>, holder: string, value: number): void => {
  balances.set(holder, (balances.get(holder) ?? 0) + value);
};

const isLocker = (holder: string, { lockers }: LpSeries): boolean =>
  LP_LOCKERS.has(holder) || lockers?.has(holder) === true;

const isSecure = (holder: string, series: LpSeries): boolean =>
  LP_BURN_ADDRESSES.has(holder) || isLocker(holder, series);

const advance = (walk: LpWalk, series: LpSeries, transfer: LpTransfer): void => {
  const { pool } = series;
  const { from, to, value, timestampS } = transfer;
  if (from === ZERO) {
    walk.supply += value;
    walk.minted += value;
    if (to !== ZERO) {
      walk.mints += 1;
      if (walk.firstProvider === '') walk.firstProvider = to;
    }
  } else {
    add(walk.balances, from, -value);
  }
  if (from === pool && to === ZERO) {
    walk.supply -= value;
    walk.removed += value;
  } else {
    add(walk.balances, to, value);
    if (from !== ZERO && to !== pool) {
      if (!isSecure(to, series)) walk.moved += value;
      walk.moves += 1;
    }
  }
  const isLarge = value >= SECURED_SHARE_MIN * walk.supply;
  if (Number.isNaN(walk.securedAtS) && isSecure(to, series) && to !== from && isLarge) {
    if (from !== pool && !(from === ZERO && to === ZERO)) walk.securedAtS = timestampS;
  }
  walk.lastAtS = timestampS;
};

/** The state of a liquidity token as of a time; undefined before its first transfer. */
const walkLp = (series: LpSeries, asOfS: number): LpWalk | undefined => {
  const [first] = series.transfers;
  if (first === undefined || first.timestampS > asOfS) return undefined;
  const walk: LpWalk = {
    balances: new Map(),
    supply: 0,
    minted: 0,
    removed: 0,
    mints: 0,
    moved: 0,
    moves: 0,
    firstProvider: '',
    firstAtS: first.timestampS,
    lastAtS: first.timestampS,
    securedAtS: Number.NaN,
  };
  for (const transfer of series.transfers.slice(0, LP_TRANSFERS_MAX)) {
    if (transfer.timestampS > asOfS) break;
    advance(walk, series, transfer);
  }
  return walk;
};

/** Smaller balances, as a share of the supply, are dust or rounding errors. */
const DUST_SHARE = 1e-6;

const within = (share: number): number => Math.min(1, Math.max(0, share));

/** How the supply is distributed over burn addresses, lockers and all others. */
const spread = ({ balances, supply }: LpWalk, series: LpSeries) => {
  const shares = { burned: 0, locked: 0, top: 0, holders: 0, squares: 0 };
  for (const [holder, balance] of balances) {
    const share = balance / supply;
    if (!(share > DUST_SHARE) || holder === series.pool) continue;
    if (LP_BURN_ADDRESSES.has(holder)) {
      shares.burned += share;
      continue;
    }
    shares.holders += 1;
    shares.squares += share * share;
    if (isLocker(holder, series)) shares.locked += share;
    else shares.top = Math.max(shares.top, share);
  }
  return shares;
};

const missing = (): Record<LiquidityFeatureName, number> =>
  Object.fromEntries(Object.keys(LIQUIDITY_FEATURES).map((name) => [name, Number.NaN])) as Record<
    LiquidityFeatureName,
    number
  >;

/**
 * The liquidity group of features as of a time; all missing without known transfers, or if all liquidity is gone.
 */
export const lpFeatures = (
  series: LpSeries | undefined,
  asOfS: number,
): Record<LiquidityFeatureName, number> => {
  const walk = series && walkLp(series, asOfS);
  if (!walk || !(walk.supply > 0)) return missing();
  const { creator } = series;
  const { burned, locked, top, holders, squares } = spread(walk, series);
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
