import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { projectRoot } from '../../shared/runtime/projectRoot.ts';
import { loadContractModel } from '../scorer/loadModel.ts';
import { InputError, readCells } from './readCsv.ts';

const USAGE = 'usage: make evaluate-contracts HISTOGRAMS=histograms.csv.gz OUT=scores.csv';
/** What the identity of a contract may be called; without any of these it is the first column. */
const ID_COLUMNS = ['token_address', 'contract', 'address', 'id'];

const cardSchema = z.object({ gainShare: z.record(z.number()) });

/** Opcodes that the model looks at: without their columns it cannot answer. The others may be left out. */
const readNeeded = (): string[] => {
  const path = join(projectRoot(), 'pipeline/scorer/model/contractArtifacts/card.json');
  return Object.keys(cardSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).gainShare);
};

/** Identity and histogram of every contract of a file. */
const readHistograms = async (path: string, names: readonly string[]) => {
  const contracts: { id: string; histogram: Float64Array }[] = [];
  let id = 0;
  let places: number[] | undefined;
  let idName = '';
  for await (const cells of readCells(path)) {
    if (!places) {
      const absent = readNeeded().filter((name) => !cells.includes(name));
      if (absent.length > 0) throw new InputError(`${path} has no column ${absent.join(', ')}`);
      id = Math.max(
        0,
        cells.findIndex((cell) => ID_COLUMNS.includes(cell)),
      );
      idName = cells[id] ?? '';
      places = names.map((name) => cells.indexOf(name));
      continue;
    }
    const counts = places.map((place) => (place === -1 ? 0 : Number(cells[place])));
    if (!counts.every(Number.isFinite)) {
      throw new InputError(`${path}: contract ${cells[id]} has a count that is no number`);
    }
    contracts.push({ id: cells[id] ?? '', histogram: Float64Array.from(counts) });
  }
  return { idName, contracts };
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { histograms: { type: 'string' }, out: { type: 'string' } },
  });
  const { histograms, out } = values;
  if (!histograms || !out) throw new InputError(USAGE);
  const model = await loadContractModel();
  const { idName, contracts } = await readHistograms(histograms, model.featureNames);
  const predictions = await model.predict(contracts.map(({ histogram }) => histogram));
  const lines = contracts.map(
    ({ id }, i) => `${id},${predictions[i]?.probability},${predictions[i]?.margin}`,
  );
  writeFileSync(out, `${[`${idName},probability,margin`, ...lines].join('\n')}\n`);
  console.log(`${out}: ${contracts.length} contracts scored by ${model.name}`);
};

try {
  await main();
} catch (error) {
  if (!(error instanceof InputError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
