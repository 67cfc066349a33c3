import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FEATURE_NAMES } from '../../shared/messages/featureNames.ts';
import { JUDGED_AGES_S } from '../scorer/features/judgedMoment.ts';
import { poolFeatures } from '../scorer/features/poolFeatures.ts';
import { outcomeOf } from '../scorer/outcome/rugLabel.ts';
import { type RecordedPool, readMarket, recordingIn } from './recordedMarket.ts';
import { blockTimeS } from './syncTable.ts';

/** Last block covered by the recording of each cohort. */
const LAST_BLOCKS: Readonly<Record<string, number>> = {
  '2020': 13_152_236,
  '2021': 13_472_299,
};

const cell = (value: number): string => (Number.isNaN(value) ? '' : String(value));

/** Header of a data set. */
export const headerOf = (featureNames: readonly string[]): string =>
  ['pool,token,creator,cohort,first_s,horizon_s,label,lead_s', ...featureNames].join(',');
export const DATASET_HEADER = headerOf(FEATURE_NAMES);

/** Training sample: a pool at one age. */
export type Snapshot = { ageS: number; isScam: boolean; features: Float64Array; line: string };

/** A pool at one age; undefined if its outcome is not known by `observedUntilS`. */
export const snapshotOf = (
  { pool, token, creator, cohort, firstSyncS, unsellableSinceS, series }: RecordedPool,
  { ageS, observedUntilS }: { readonly ageS: number; readonly observedUntilS: number },
  featuresAt: (atS: number) => Float64Array,
): Snapshot | undefined => {
  const outcome = outcomeOf(series.syncs, unsellableSinceS, firstSyncS + ageS, observedUntilS);
  if (outcome.kind === 'excluded') return undefined;
  const isScam = outcome.kind !== 'survived';
  const label = [isScam ? 1 : 0, outcome.kind === 'rug' ? outcome.leadS : ''];
  const features = featuresAt(firstSyncS + ageS);
  const head = [pool, token, creator, cohort, firstSyncS, ageS, ...label];
  return { ageS, isScam, features, line: [...head, ...[...features].map(cell)].join(',') };
};

/**
 * The snapshots of one pool in its first day: one for each age at which the outcome is known by `observedUntilS`.
 * train.py chooses which ages are reported and which are for training only. Many ages of one pool are not many pools,
 * but they steady the model between the reported ages.
 */
export const snapshotsOf = (recorded: RecordedPool, observedUntilS: number): Snapshot[] =>
  JUDGED_AGES_S.flatMap(
    (ageS) =>
      snapshotOf(recorded, { ageS, observedUntilS }, (atS) => poolFeatures(recorded.series, atS)) ??
      [],
  );

export const recordedUntilS = (cohort: string): number => {
  const lastBlock = LAST_BLOCKS[cohort];
  if (lastBlock === undefined) throw new RangeError(`cohort ${cohort} is not known`);
  return blockTimeS(lastBlock);
};

/** Writes a header and the lines of each pool. @returns how many lines there are */
export const writeLines = async (
  outPath: string,
  header: string,
  {
    market,
    linesOf,
  }: {
    readonly market: Iterable<RecordedPool>;
    readonly linesOf: (recorded: RecordedPool) => readonly string[];
  },
): Promise<number> => {
  let rows = 0;
  const texts = function* (): Generator<string> {
    yield `${header}\n`;
    for (const recorded of market) {
      const lines = linesOf(recorded);
      rows += lines.length;
      if (lines.length > 0) yield `${lines.join('\n')}\n`;
    }
  };
  await pipeline(texts, createWriteStream(outPath));
  return rows;
};

/**
 * Writes one CSV row for each pool and age of the recordings in `dataFolder` whose outcome is known: identity, label,
 * then the features by `poolFeatures`, empty if missing. Returns the counts.
 */
export const exportDataset = async (
  dataFolder: string,
  outPath: string,
): Promise<{ pools: number; rows: number }> => {
  const market = await readMarket({
    ...recordingIn(dataFolder),
    lps: [join(dataFolder, 'lp-transfers-2021-early.csv.gz')],
  });
  mkdirSync(dirname(outPath), { recursive: true });
  const linesOf = (recorded: RecordedPool): string[] =>
    snapshotsOf(recorded, recordedUntilS(recorded.cohort)).map(({ line }) => line);
  const rows = await writeLines(outPath, DATASET_HEADER, { market, linesOf });
  return { pools: market.size, rows };
};
