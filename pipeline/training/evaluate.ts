import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_S } from '../../shared/platform/durations.ts';
import { judgedFeatures } from '../scorer/features/judgedMoment.ts';
import { lifeInputOf, poolLifeFeatures } from '../scorer/features/poolLifeFeatures.ts';
import { loadLifeModel, loadShippedModel } from '../scorer/model/loadModel.ts';
import { standingAt } from '../scorer/outcome/rugLabel.ts';
import { isClearAt } from '../scorer/verdict/decide.ts';
import { InputError, readOptions, runCommand } from './readCsv.ts';
import { type RecordedMarket, readMarket, recordingIn } from './recordedMarket.ts';

const AGE_UNITS_S: Readonly<Record<string, number>> = { min: 60, h: 3_600, d: DAY_S };
const USAGE =
  'usage: make evaluate SYNC=sync.csv.gz POOLS=pools.csv.gz [LP=lp.csv.gz] AT=10min|1h|24h|30d|seconds OUT=scores.csv [HISTORY=folder]';

const note = (text: string): void => console.error(text);

/** Age in seconds from a number with a unit, or a number of seconds. */
const parseAge = (text: string): number => {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(min|h|d)?$/.exec(text) ?? [];
  const ageS = Number(number) * (unit === undefined ? 1 : (AGE_UNITS_S[unit] ?? Number.NaN));
  if (!(ageS > 0))
    throw new InputError(`AT=${text} is no age: 10min, 1h, 24h, 30d and the like, or seconds`);
  return ageS;
};

/** Subfolder of the pool recordings. */
const POOLS_FOLDER = 'univ2-weth-pools';

/**
 * Earlier recordings, used only for the creators' records, in the folder itself or in its subfolder of pools.
 */
const historyFiles = (folder: string | undefined) => {
  if (!folder) return undefined;
  for (const place of [folder, join(folder, POOLS_FOLDER)]) {
    const { syncs, pools } = recordingIn(place);
    const present = syncs.filter((file) => existsSync(file));
    if (present.length > 0) return { syncs: present, pools };
  }
  const names = recordingIn('').syncs.join(' or ');
  throw new InputError(`HISTORY=${folder} has no ${names}, nor has its folder ${POOLS_FOLDER}`);
};

/**
 * Writes a row for every pool as of the age. A pool's age counts from its first Sync, so each has an event by then.
 * Pools that are too small or drained are scored too, for whoever wants them, although the model was trained on
 * neither.
 */
const writeScores = async (market: RecordedMarket, ageS: number, path: string) => {
  const isOlder = ageS > DAY_S;
  const model = await (isOlder ? loadLifeModel() : loadShippedModel());
  const counts = { scored: 0, small: 0, drained: 0 };
  const pools: string[] = [];
  const vectors: Float64Array[] = [];
  for (const { pool, series, firstSyncS } of market) {
    const atS = firstSyncS + ageS;
    pools.push(pool);
    vectors.push(
      isOlder
        ? poolLifeFeatures(lifeInputOf(series, firstSyncS), atS)
        : judgedFeatures(series, atS),
    );
    counts[standingAt(series.syncs, atS)] += 1;
  }
  const lines = (await model.predict(vectors)).map(
    ({ probability, margin }, i) =>
      `${pools[i]},${probability},${margin},${Number(isClearAt(probability, ageS))}\n`,
  );
  writeFileSync(path, `pool,probability,margin,clear\n${lines.join('')}`);
  return { counts, done: pools.length, name: model.name };
};

const main = async (): Promise<void> => {
  const given = readOptions(USAGE, ['sync', 'pools', 'at', 'out'], ['lp', 'history']);
  const [syncs, pools, path] = [[given.sync], [given.pools], given.out];
  const ageS = parseAge(given.at);
  const lps = given.lp ? [given.lp] : [];
  const history = historyFiles(given.history);
  const market = await readMarket({ syncs, pools, lps, history }, note);
  const { counts, done, name } = await writeScores(market, ageS, path);
  console.log(
    `${path}: ${done} pools as of ${ageS} s by ${name}; of them ${counts.small} held less than 0.5 WETH then and ${counts.drained} were drained by then. ` +
      `${market.absent} pools of the list have no Sync and no row; ${market.unlisted} with Syncs are not in the list and have no creator`,
  );
};

await runCommand(main);
