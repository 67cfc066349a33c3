import { DAY_S } from '../../shared/platform/durations.ts';
import { isWithdrawal } from '../scorer/features/judgedMoment.ts';
import { stepsOf } from '../scorer/features/poolFeatures.ts';
import {
  LIFE_FEATURE_NAMES,
  lifeInputOf,
  poolLifeFeatures,
} from '../scorer/features/poolLifeFeatures.ts';
import {
  headerOf,
  recordedUntilS,
  type Snapshot,
  snapshotOf,
  writeLines,
} from './exportDataset.ts';
import { readColumns } from './readCsv.ts';
import { type RecordedPool, readMarket, recordingIn } from './recordedMarket.ts';

/**
 * Ages in whole days at which samples of each pool are taken: few old pools are drained, so none of their last weeks
 * is left out.
 */
const AGES_DAYS = Array.from({ length: 270 }, (_, i) => i + 1).filter(
  (day) => day <= 60 || day % 3 === 0,
);
/**
 * Days for which the pools of some creators were followed, whatever happened later: the recording after that is
 * incomplete.
 */
const FOLLOWED_DAYS = 8.5;

export const LIVES_HEADER = headerOf(LIFE_FEATURE_NAMES);

/** Ages of the last large withdrawal of each day after the first, seconds. */
const withdrawalAgesS = ({ series: { syncs }, firstSyncS }: RecordedPool): number[] => {
  const ages = stepsOf(syncs).flatMap(({ before, sync }) => {
    const ageS = sync.timestampS - firstSyncS;
    return ageS >= DAY_S && isWithdrawal(before, sync) ? [ageS] : [];
  });
  return [...new Map(ages.map((ageS) => [Math.floor(ageS / DAY_S), ageS])).values()];
};

/**
 * The snapshots of one pool from day one on whose outcome is known by `observedUntilS`: on whole days, and at large
 * withdrawals.
 */
export const lifeSnapshotsOf = (recorded: RecordedPool, observedUntilS: number): Snapshot[] => {
  const life = lifeInputOf(recorded.series, recorded.firstSyncS);
  const agesS = new Set([...AGES_DAYS.map((days) => days * DAY_S), ...withdrawalAgesS(recorded)]);
  return [...agesS]
    .toSorted((a, b) => a - b)
    .flatMap((ageS) => {
      const at = { ageS, observedUntilS };
      return snapshotOf(recorded, at, (atS) => poolLifeFeatures(life, atS)) ?? [];
    });
};

/**
 * Writes one row for each pool and age from day one on whose outcome within the next week is known.
 * @param followed list of pools whose record ends early
 */
export const exportLives = async (
  dataFolder: string,
  followed: string,
  outPath: string,
): Promise<number> => {
  const short = new Set<string>();
  for await (const [pool = ''] of readColumns(followed, ['pool'])) short.add(pool.toLowerCase());
  const market = await readMarket({ ...recordingIn(dataFolder), lps: [] });
  const untilS = ({ pool, cohort, firstSyncS }: RecordedPool): number =>
    short.has(pool.toLowerCase()) ? firstSyncS + FOLLOWED_DAYS * DAY_S : recordedUntilS(cohort);
  return writeLines(outPath, LIVES_HEADER, {
    market,
    linesOf: (recorded) => lifeSnapshotsOf(recorded, untilS(recorded)).map(({ line }) => line),
  });
};
