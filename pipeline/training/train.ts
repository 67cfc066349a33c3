import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FEATURE_NAMES } from '../scorer/features/featureNames.ts';
import { poolFeatures } from '../scorer/features/poolFeatures.ts';
import { exportDataset } from './exportDataset.ts';
import { syntheticLp } from './syntheticLp.ts';
import { createRandom, syntheticPool } from './syntheticPools.ts';

const SYNTHETIC_SEED = 7;
const SYNTHETIC_ROWS = 1_000;
const SYNTHETIC_CREATOR_POOLS_MAX = 6;
const SYNTHETIC_AGE_S_MAX = 100_000;
const PYTHON_TIMEOUT_MS = 1_800_000;

/** Feature vectors of invented pools, for the reference that the TypeScript tests compare with. */
const writeSynthetic = (path: string): void => {
  const random = createRandom(SYNTHETIC_SEED);
  const rows = Array.from({ length: SYNTHETIC_ROWS }, () => {
    const syncs = syntheticPool(random);
    const bornS = syncs[0]?.timestampS ?? 0;
    const asOfS = bornS + Math.floor(random() ** 2 * SYNTHETIC_AGE_S_MAX);
    const pools = Math.floor(random() ** 2 * SYNTHETIC_CREATOR_POOLS_MAX);
    const lastBornS = pools > 0 ? bornS - Math.floor(random() * SYNTHETIC_AGE_S_MAX) : undefined;
    const creator = { pools, drained: Math.floor(random() * (pools + 1)), lastBornS };
    const series = { syncs, lp: syntheticLp(random, syncs), creator };
    return [...poolFeatures(series, asOfS)].map((v) => (Number.isNaN(v) ? '' : v)).join(',');
  });
  writeFileSync(path, `${FEATURE_NAMES.join(',')}\n${rows.join('\n')}\n`);
};

const run = (command: string, args: string[]): void => {
  execFileSync(command, args, { stdio: 'inherit', timeout: PYTHON_TIMEOUT_MS });
};

/** Python with the pinned packages, in its own virtual environment; made when absent. */
const preparePython = (folder: string): string => {
  const python = join(folder, 'bin', 'python');
  if (!existsSync(python)) run('python3', ['-m', 'venv', folder]);
  const requirements = join(import.meta.dirname, 'requirements.txt');
  run(python, ['-m', 'pip', 'install', '--quiet', '--no-deps', '-r', requirements]);
  return python;
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', default: '../shared/data/univ2-weth-pools' },
      work: { type: 'string', default: '.local/training' },
    },
  });
  if (!existsSync(values.data)) {
    throw new Error(`no training data in ${values.data}: name its folder with --data`);
  }
  const dataset = join(values.work, 'dataset.csv');
  const synthetic = join(values.work, 'synthetic.csv');
  const counts = await exportDataset(values.data, dataset);
  console.log(`${counts.rows} snapshots of ${counts.pools} pools`);
  writeSynthetic(synthetic);
  const model = join(import.meta.dirname, '..', 'scorer', 'model');
  const python = preparePython(join(values.work, 'venv'));
  const script = join(import.meta.dirname, 'train.py');
  run(python, [
    '-B',
    script,
    dataset,
    synthetic,
    join(model, 'artifacts'),
    join(model, 'fixtures'),
  ]);
};

await main();
