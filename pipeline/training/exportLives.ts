import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import {
  DAY_S,
  LIFE_FEATURE_NAMES,
  poolDays,
  poolLifeFeatures,
} from '../scorer/features/poolLifeFeatures.ts';
import { rugOutcome } from '../scorer/outcome/rugLabel.ts';
import { recordedUntilS } from './exportDataset.ts';
import { readColumns } from './readCsv.ts';
import { type RecordedPool, readMarket, recordingIn } from './recordedMarket.ts';

/** Ages of the snapshots, days. */
const AGES_DAYS = [
  1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 21, 25, 30, 40, 50, 60, 75, 90, 105, 120, 150, 180,
  210, 240, 270,
];
/** Days that the pools of some creators are followed for, whatever became of them later: what is recorded after says nothing. */
const FOLLOWED_DAYS = 8.5;

const cell = (value: number): string => (Number.isNaN(value) ? '' : String(value));

/** What is known of a pool for the model of lives. */
export const lifeInputOf = ({ series, firstSyncS }: RecordedPool) => ({
  days: poolDays(series.syncs),
  firstSyncS,
  creatorPools: series.creator?.pools ?? Number.NaN,
  creatorDrained: series.creator?.drained ?? Number.NaN,
});

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
  const out = createWriteStream(outPath);
  out.write(
    `pool,token,creator,cohort,first_s,horizon_s,label,lead_s,${LIFE_FEATURE_NAMES.join(',')}\n`,
  );
  let rows = 0;
  for (const recorded of market) {
    const { pool, token, creator, cohort, firstSyncS, series } = recorded;
    const untilS = short.has(pool.toLowerCase())
      ? firstSyncS + FOLLOWED_DAYS * DAY_S
      : recordedUntilS(cohort);
    const life = lifeInputOf(recorded);
    const lines = AGES_DAYS.flatMap((ageDays) => {
      const ageS = ageDays * DAY_S;
      const outcome = rugOutcome(series.syncs, firstSyncS + ageS, untilS);
      if (outcome.kind === 'excluded') return [];
      const label = outcome.kind === 'rug' ? [1, outcome.leadS] : [0, ''];
      const head = [pool, token, creator, cohort, firstSyncS, ageS, ...label];
      return [[...head, ...[...poolLifeFeatures(life, firstSyncS + ageS)].map(cell)].join(',')];
    });
    rows += lines.length;
    if (lines.length > 0 && !out.write(`${lines.join('\n')}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  return rows;
};
