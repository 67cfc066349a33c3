import { LP_BURN_ADDRESSES, LP_LOCKERS } from './lpLockers.ts';
import type { LpSeries, LpTransfer } from './poolSync.ts';

const ZERO = '0x0000000000000000000000000000000000000000';
/** Transfers of a liquidity token that are read: far more than any pool of the recordings had in a day. */
export const LP_TRANSFERS_MAX = 5_000;
/** A lock or burn counts as such from this share of the supply on. */
const SECURED_SHARE_MIN = 0.01;

/** What one pass over the transfers remembers. */
export type LpWalk = {
  balances: Map<string, number>;
  supply: number;
  minted: number;
  removed: number;
  mints: number;
  moved: number;
  moves: number;
  /** Who received the first liquidity; empty before. */
  firstProvider: string;
  firstAtS: number;
  lastAtS: number;
  securedAtS: number;
};

const add = (balances: Map<string, number>, holder: string, value: number): void => {
  balances.set(holder, (balances.get(holder) ?? 0) + value);
};

const isSecure = (holder: string): boolean =>
  LP_BURN_ADDRESSES.has(holder) || LP_LOCKERS.has(holder);

const advance = (walk: LpWalk, pool: string, transfer: LpTransfer): void => {
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
      if (!isSecure(to)) walk.moved += value;
      walk.moves += 1;
    }
  }
  const isLarge = value >= SECURED_SHARE_MIN * walk.supply;
  if (Number.isNaN(walk.securedAtS) && isSecure(to) && to !== from && isLarge) {
    if (from !== pool && !(from === ZERO && to === ZERO)) walk.securedAtS = timestampS;
  }
  walk.lastAtS = timestampS;
};

/** The state of a liquidity token as of a time; undefined before its first transfer. */
export const walkLp = (series: LpSeries, asOfS: number): LpWalk | undefined => {
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
    advance(walk, series.pool, transfer);
  }
  return walk;
};
