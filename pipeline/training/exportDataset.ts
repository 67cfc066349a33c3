import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FEATURE_NAMES } from '../scorer/features/featureNames.ts';
import { poolFeatures } from '../scorer/features/poolFeatures.ts';
import { blockTimeS } from './blockTime.ts';
import { type PoolInfo, type RecordedPool, readPoolInfo, readPools } from './readPools.ts';
import { rugOutcome } from './rugLabel.ts';

/** Ages of the snapshots in seconds; which of them are reported and which only train is train.py's choice. */
const SNAPSHOT_AGES_S = [60, 180, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400];

/** Recordings of Syncs with the last block that they cover. */
const RECORDINGS = [
  { file: 'sync-2020.csv.gz', lastBlock: 13_152_236 },
  { file: 'sync-2021-early.csv.gz', lastBlock: 13_472_299 },
];

/** The rows of one pool: one for each age at which the outcome is known. */
const snapshotRows = (recorded: RecordedPool, info: PoolInfo, recordedUntilS: number): string[] => {
  const first = recorded.syncs[0];
  if (first === undefined) return [];
  const rows: string[] = [];
  for (const ageS of SNAPSHOT_AGES_S) {
    const snapshotS = first.timestampS + ageS;
    const outcome = rugOutcome(recorded.syncs, snapshotS, recordedUntilS);
    if (outcome.kind === 'excluded') continue;
    const head = [recorded.pool, info.token, info.creator, info.cohort, first.timestampS, ageS];
    const label = outcome.kind === 'rug' ? [1, outcome.leadS] : [0, ''];
    const vector = poolFeatures({ syncs: recorded.syncs }, snapshotS);
    rows.push([...head, ...label, ...[...vector].map((v) => (Number.isNaN(v) ? '' : v))].join(','));
  }
  return rows;
};

/**
 * Writes one CSV row for each pool and age of the recordings in `dataFolder` whose outcome is known:
 * identity, label, then the features by `poolFeatures`, empty where missing. Returns the counts.
 */
export const exportDataset = async (
  dataFolder: string,
  outPath: string,
): Promise<{ pools: number; rows: number }> => {
  const info = await readPoolInfo(join(dataFolder, 'pools.csv.gz'));
  mkdirSync(dirname(outPath), { recursive: true });
  const out = createWriteStream(outPath);
  out.write(
    `pool,token,creator,cohort,first_s,horizon_s,label,lead_s,${FEATURE_NAMES.join(',')}\n`,
  );
  let pools = 0;
  let rows = 0;
  for (const { file, lastBlock } of RECORDINGS) {
    for await (const recorded of readPools(join(dataFolder, file))) {
      const known = info.get(recorded.pool);
      if (known === undefined) throw new Error(`pool ${recorded.pool} is not in pools.csv.gz`);
      const lines = snapshotRows(recorded, known, blockTimeS(lastBlock));
      pools += 1;
      rows += lines.length;
      if (lines.length > 0 && !out.write(`${lines.join('\n')}\n`)) await once(out, 'drain');
    }
  }
  out.end();
  await once(out, 'finish');
  return { pools, rows };
};
