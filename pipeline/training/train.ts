import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FEATURE_NAMES } from '../../shared/messages/featureNames.ts';
import { poolFeatures } from '../scorer/features/poolFeatures.ts';
import { OPCODE_NAMES, opcodeHistogram, opcodeShares } from '../scorer/model/opcodeHistogram.ts';
import { exportDataset } from './exportDataset.ts';
import { exportLives } from './exportLives.ts';
import { preparePython, runProgram } from './python.ts';
import { createRandom, syntheticLp, syntheticPool } from './syntheticPools.ts';

const SYNTHETIC_SEED = 7;
const SYNTHETIC_ROWS = 1_000;
const SYNTHETIC_CODES = 200;
const SYNTHETIC_CODE_BYTES_MAX = 24_576;
const SYNTHETIC_CREATOR_POOLS_MAX = 6;
const SYNTHETIC_AGE_S_MAX = 100_000;

/** Feature vectors of synthetic pools, as a reference for the TypeScript tests. */
const writeSynthetic = (path: string): void => {
  const random = createRandom(SYNTHETIC_SEED);
  const rows = Array.from({ length: SYNTHETIC_ROWS }, () => {
    const syncs = syntheticPool(random);
    const firstSyncS = syncs[0]?.timestampS ?? 0;
    const asOfS = firstSyncS + Math.floor(random() ** 2 * SYNTHETIC_AGE_S_MAX);
    const pools = Math.floor(random() ** 2 * SYNTHETIC_CREATOR_POOLS_MAX);
    const lastFirstSyncS =
      pools > 0 ? firstSyncS - Math.floor(random() * SYNTHETIC_AGE_S_MAX) : undefined;
    const creator = { pools, drained: Math.floor(random() * (pools + 1)), lastFirstSyncS };
    const series = { syncs, lp: syntheticLp(random, syncs), creator };
    return [...poolFeatures(series, asOfS)].map((v) => (Number.isNaN(v) ? '' : v)).join(',');
  });
  writeFileSync(path, `${FEATURE_NAMES.join(',')}\n${rows.join('\n')}\n`);
};

/** Opcode shares of synthetic code, for the same purpose. */
const writeSyntheticCodes = (path: string): void => {
  const random = createRandom(SYNTHETIC_SEED);
  const rows = Array.from({ length: SYNTHETIC_CODES }, () => {
    const bytes = Array.from({ length: Math.floor(random() * SYNTHETIC_CODE_BYTES_MAX) }, () =>
      Math.floor(random() ** 2 * 256),
    );
    const histogram = opcodeHistogram(`0x${Buffer.from(bytes).toString('hex')}`);
    return [...opcodeShares(histogram)].join(',');
  });
  writeFileSync(path, `${OPCODE_NAMES.join(',')}\n${rows.join('\n')}\n`);
};

const MODEL = join(import.meta.dirname, '..', 'scorer', 'model');
const FIXTURES = join(MODEL, 'fixtures');
const script = (name: string): string => join(import.meta.dirname, name);

const trainPools = async (data: string, work: string, python: string): Promise<void> => {
  const dataset = join(work, 'dataset.csv');
  const synthetic = join(work, 'synthetic.csv');
  const counts = await exportDataset(join(data, 'univ2-weth-pools'), dataset);
  console.log(`${counts.rows} snapshots of ${counts.pools} pools`);
  writeSynthetic(synthetic);
  runProgram(python, [
    '-B',
    script('train.py'),
    dataset,
    synthetic,
    join(MODEL, 'artifacts'),
    FIXTURES,
  ]);
};

/** The model of pools that are older than a day. */
const trainLives = async (data: string, work: string, python: string): Promise<void> => {
  const pools = join(data, 'univ2-weth-pools');
  const lives = join(work, 'lives.csv');
  const rows = await exportLives(pools, join(pools, 'followed-8-days.csv'), lives);
  console.log(`${rows} snapshots of lives`);
  runProgram(python, ['-B', script('trainLives.py'), lives, join(MODEL, 'lifeArtifacts')]);
};

const trainContracts = (data: string, work: string, python: string): void => {
  const histograms = join(data, 'contract-opcodes/opcode-histograms-train.csv.gz');
  const [names, synthetic] = [join(work, 'opcodes.json'), join(work, 'codes.csv')];
  writeFileSync(names, JSON.stringify(OPCODE_NAMES));
  writeSyntheticCodes(synthetic);
  const artifacts = join(MODEL, 'contractArtifacts');
  runProgram(python, [
    '-B',
    script('trainContracts.py'),
    histograms,
    names,
    synthetic,
    artifacts,
    FIXTURES,
  ]);
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', default: '../shared/data' },
      work: { type: 'string', default: '.local/training' },
      only: { type: 'string' },
    },
  });
  const { data, work, only } = values;
  if (!existsSync(data))
    throw new Error(`no training data in ${data}: name its folder with --data`);
  mkdirSync(work, { recursive: true });
  const python = preparePython(join(work, 'venv'));
  if (only === undefined || only === 'pools') await trainPools(data, work, python);
  if (only === undefined || only === 'lives') await trainLives(data, work, python);
  if (only === undefined || only === 'contracts') trainContracts(data, work, python);
};

await main();
