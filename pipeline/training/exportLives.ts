import { DAY_S } from '../../shared/platform/durations.ts';
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

/** Ages of the snapshots, days. */
const AGES_DAYS = [
  1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 21, 25, 30, 40, 50, 60, 75, 90, 105, 120, 150, 180,
  210, 240, 270,
];
/** Days that the pools of some creators are followed for, whatever became of them later: what is recorded after says nothing. */
const FOLLOWED_DAYS = 8.5;

export const LIVES_HEADER = headerOf(LIFE_FEATURE_NAMES);

/** The snapshots of one pool from one day on: one for each age at which the outcome is known by `observedUntilS`. */
export const lifeSnapshotsOf = (recorded: RecordedPool, observedUntilS: number): Snapshot[] => {
  const life = lifeInputOf(recorded.series, recorded.firstSyncS);
  return AGES_DAYS.flatMap((days) => {
    const at = { ageS: days * DAY_S, observedUntilS };
    return snapshotOf(recorded, at, (atS) => poolLifeFeatures(life, atS)) ?? [];
  });
};

/**
 * Writes one row for each pool and age from one day on at which it is known what became of it within the next week.
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
