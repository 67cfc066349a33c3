import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { projectRoot } from '../../shared/runtime/projectRoot.ts';
import { poolFeatures } from '../scorer/features/poolFeatures.ts';
import { loadModel } from '../scorer/loadModel.ts';
import { standingAt } from '../scorer/outcomes/rugLabel.ts';
import { InputError } from './readCsv.ts';
import { type RecordedPool, readMarket } from './recordedMarket.ts';

const AGES_S: Readonly<Record<string, number>> = {
  '10min': 600,
  '1h': 3_600,
  '6h': 21_600,
  '24h': 86_400,
};
const USAGE =
  'usage: make evaluate SYNC=sync.csv.gz POOLS=pools.csv.gz [LP=lp.csv.gz] AT=10min|1h|6h|24h|seconds OUT=scores.csv [HISTORY=folder]';

/** Age in seconds from a name or a number of seconds. */
const parseAge = (text: string): number => {
  const ageS = AGES_S[text] ?? Number(text);
  if (!(ageS > 0))
    throw new InputError(`AT=${text} is no age: ${Object.keys(AGES_S).join(', ')} or seconds`);
  return ageS;
};

const required = (name: string, value: string | undefined): string => {
  if (value) return value;
  throw new InputError(`${name} is missing\n${USAGE}`);
};

/** Earlier recordings, only for what creators made before; the folder has the names of the shared data. */
const historyFiles = (folder: string | undefined) => {
  if (!folder) return undefined;
  const syncs = ['sync-2020.csv.gz', 'sync-2021-early.csv.gz'].map((file) => join(folder, file));
  return { syncs: syncs.filter((file) => existsSync(file)), pools: [join(folder, 'pools.csv.gz')] };
};

/** Scores of all pools that are alive and large enough at the age, and how many are not. */
const scorePools = async (market: readonly RecordedPool[], ageS: number, batch = 1_000) => {
  const model = await loadModel(join(projectRoot(), 'pipeline/scorer/model/artifacts'));
  const counts = { scored: 0, small: 0, drained: 0 };
  const scored = market.filter(({ series, bornS }) => {
    const standing = standingAt(series.syncs, bornS + ageS);
    counts[standing] += 1;
    return standing === 'scored';
  });
  const lines = ['pool,probability,margin'];
  for (let from = 0; from < scored.length; from += batch) {
    const part = scored.slice(from, from + batch);
    const vectors = part.map(({ series, bornS }) => poolFeatures(series, bornS + ageS));
    const predictions = await model.predict(vectors);
    part.forEach(({ pool }, i) => {
      lines.push(`${pool},${predictions[i]?.probability},${predictions[i]?.margin}`);
    });
  }
  return { lines, counts, name: model.name };
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      sync: { type: 'string' },
      pools: { type: 'string' },
      lp: { type: 'string' },
      at: { type: 'string' },
      out: { type: 'string' },
      history: { type: 'string' },
    },
  });
  const [syncs, pools] = [[required('SYNC', values.sync)], [required('POOLS', values.pools)]];
  const ageS = parseAge(required('AT', values.at));
  const path = required('OUT', values.out);
  const history = historyFiles(values.history);
  const market = await readMarket({ syncs, pools, lps: values.lp ? [values.lp] : [], history });
  const { lines, counts, name } = await scorePools(market, ageS);
  const out = createWriteStream(path);
  out.end(`${lines.join('\n')}\n`);
  await finished(out);
  console.log(
    `${path}: ${counts.scored} pools scored at ${ageS} s by ${name}; left out: ${counts.small} with less than 0.5 WETH then, ${counts.drained} drained by then`,
  );
};

try {
  await main();
} catch (error) {
  if (!(error instanceof InputError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
