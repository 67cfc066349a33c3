import { DAY_S } from '../../../shared/platform/durations.ts';
import { type PoolSeries, type PoolSync, stepKind } from './poolSync.ts';

/** One day in the life of a pool; days without events are left out. */
export interface PoolDay {
  /** Days after the first Sync. */
  readonly day: number;
  /** Unix seconds of the last Sync of the day. */
  readonly lastS: number;
  /** Reserves after it: base in whole coins, token raw. */
  readonly base: number;
  readonly token: number;
  /** The pool's highest base reserve of that day. */
  readonly peakBase: number;
  readonly events: number;
  /** Base paid by purchases and taken by sales, whole coins. */
  readonly bought: number;
  readonly sold: number;
  readonly removals: number;
  /** The largest share of the base taken by one removal. */
  readonly removedShare: number;
  /** Liquidity at the end of the day in units of that at its beginning: the effect of adds and removals. */
  readonly units: number;
}

/** The days of a pool's life. @param syncs in chain order */
export const poolDays = (syncs: readonly PoolSync[]): PoolDay[] => {
  const [first] = syncs;
  if (!first) return [];
  const days: { -readonly [Key in keyof PoolDay]: PoolDay[Key] }[] = [];
  let before = first;
  for (const [i, sync] of syncs.entries()) {
    const day = Math.floor((sync.timestampS - first.timestampS) / DAY_S);
    let own = days.at(-1);
    if (own?.day !== day) {
      const { reserveBase: base, reserveToken: token } = before;
      own = {
        day,
        lastS: 0,
        base,
        token,
        peakBase: 0,
        events: 0,
        bought: 0,
        sold: 0,
        removals: 0,
        removedShare: 0,
        units: 1,
      };
      days.push(own);
    }
    const change = sync.reserveBase - before.reserveBase;
    const kind = i === 0 ? 'add' : stepKind(before, sync);
    own.lastS = sync.timestampS;
    own.base = sync.reserveBase;
    own.token = sync.reserveToken;
    own.peakBase = Math.max(own.peakBase, sync.reserveBase);
    own.events += 1;
    if (kind === 'buy') own.bought += change;
    if (kind === 'sell') own.sold -= change;
    if ((kind === 'add' || kind === 'remove') && before.reserveBase > 0)
      own.units *= sync.reserveBase / before.reserveBase;
    if (kind === 'remove') {
      own.removals += 1;
      if (before.reserveBase > 0)
        own.removedShare = Math.max(own.removedShare, -change / before.reserveBase);
    }
    before = sync;
  }
  return days;
};

/** Windows of the recent life, in days. */
const WINDOWS = [1, 7, 30] as const;

/** Data on a pool that is older than a day. */
export interface PoolLifeInput {
  readonly days: readonly PoolDay[];
  readonly firstSyncS: number;
  /** The creator's earlier pools and how many of them were drained; NaN if unknown. */
  readonly creatorPools: number;
  readonly creatorDrained: number;
}

/** Data on a pool; its days are computed from its Syncs unless given. */
export const lifeInputOf = (
  { syncs, creator }: PoolSeries,
  firstSyncS: number,
  days: readonly PoolDay[] = poolDays(syncs),
): PoolLifeInput => ({
  days,
  firstSyncS,
  creatorPools: creator?.pools ?? Number.NaN,
  creatorDrained: creator?.drained ?? Number.NaN,
});

const log = (value: number): number => (value > 0 ? Math.log(value) : Number.NaN);
const sum = (days: readonly PoolDay[], of: (day: PoolDay) => number): number =>
  days.reduce((total, day) => total + of(day), 0);
const most = (days: readonly PoolDay[], of: (day: PoolDay) => number): number =>
  days.reduce((highest, day) => Math.max(highest, of(day)), 0);
/** Share of purchases in the traded base volume. */
const buyShare = (days: readonly PoolDay[]): number => {
  const bought = sum(days, (day) => day.bought);
  return bought / (bought + sum(days, (day) => day.sold));
};
const priceOf = ({ base, token }: PoolDay): number => (token > 0 ? base / token : Number.NaN);

/** Name and value of every feature of a pool's whole life, in the order of the model. */
const features = (
  { days: all, firstSyncS, creatorPools, creatorDrained }: PoolLifeInput,
  asOfS: number,
): [name: string, value: number][] => {
  const ageDays = (asOfS - firstSyncS) / DAY_S;
  const days = all.filter(({ day }) => day < ageDays);
  const [first, last] = [days[0], days.at(-1)];
  const firstDay = days.filter(({ day }) => day === 0);
  const peakBase = most(days, (day) => day.peakBase);
  const base = last?.base ?? Number.NaN;
  const price = last ? priceOf(last) : Number.NaN;
  const prices = days.map(priceOf).filter((value) => value > 0);
  const recent = WINDOWS.flatMap((window): [string, number][] => {
    const from = ageDays - window;
    const within = days.filter(({ day }) => day >= from);
    const before = days.findLast(({ day }) => day < from) ?? first;
    return [
      [`lifeEvents${window}d`, Math.log1p(sum(within, ({ events }) => events))],
      [`lifeBought${window}d`, sum(within, ({ bought }) => bought) / base],
      [`lifeSold${window}d`, sum(within, ({ sold }) => sold) / base],
      [`lifeBaseChange${window}d`, before ? log(base / before.base) : Number.NaN],
      [`lifePriceChange${window}d`, before ? log(price / priceOf(before)) : Number.NaN],
      [`lifeRemovals${window}d`, sum(within, ({ removals }) => removals)],
      [`lifeRemovedShare${window}d`, most(within, ({ removedShare }) => removedShare)],
      [`lifeActiveDays${window}d`, within.length / Math.min(window, Math.ceil(ageDays))],
    ];
  });
  return [
    ['lifeAgeDays', ageDays],
    ['lifeBase', log(base)],
    ['lifePeakBase', log(peakBase)],
    ['lifeShareOfPeak', base / peakBase],
    ['lifePriceToPeak', log(price / Math.max(...prices))],
    ['lifeIdleDays', last ? (asOfS - last.lastS) / DAY_S : Number.NaN],
    ['lifeEvents', Math.log1p(sum(days, ({ events }) => events))],
    ['lifeActiveShare', days.length / Math.ceil(ageDays)],
    ['lifeRemovedShare', most(days, ({ removedShare }) => removedShare)],
    ['lifeBuyShare', buyShare(days)],
    ['lifeFirstDayEvents', Math.log1p(sum(firstDay, ({ events }) => events))],
    ['lifeFirstDayBase', log(first?.base ?? 0)],
    ['lifeFirstDayBought', sum(firstDay, ({ bought }) => bought) / (first?.base ?? 0)],
    ['lifeFirstDaySold', sum(firstDay, ({ sold }) => sold) / (first?.base ?? 0)],
    ['lifeFirstDayBuyShare', buyShare(firstDay)],
    ['lifeCreatorPools', creatorPools],
    ['lifeCreatorDrained', creatorDrained],
    ...recent,
  ];
};

const NOTHING: PoolLifeInput = {
  days: [],
  firstSyncS: 0,
  creatorPools: Number.NaN,
  creatorDrained: Number.NaN,
};

/** Names of the features of a pool that is older than a day, in the order of the model. */
export const LIFE_FEATURE_NAMES: readonly string[] = features(NOTHING, DAY_S).map(([name]) => name);

/**
 * Features of a pool that is older than a day, as of a time; unknown values are NaN. Days that begin later are not
 * read.
 */
export const poolLifeFeatures = (input: PoolLifeInput, asOfS: number): Float64Array =>
  Float64Array.from(features(input, asOfS), ([, value]) =>
    Number.isFinite(value) ? value : Number.NaN,
  );
