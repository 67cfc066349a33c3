import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { loadContractModel } from '../scorer/model/loadModel.ts';
import { opcodeShares } from '../scorer/model/opcodeHistogram.ts';
import { InputError, readCells, readOptions, runCommand } from './readCsv.ts';

const USAGE = 'usage: make evaluate-contracts HISTOGRAMS=histograms.csv.gz OUT=scores.csv';
const CONTRACTS_PER_BATCH = 1_000;
/** Possible names of the identity column; without any of these it is the first column. */
const ID_COLUMNS = ['token_address', 'contract', 'address', 'id'];

const cardSchema = z.object({ gainShare: z.record(z.number()) });

/** Opcodes that the model uses: without their columns it cannot answer. Others may be missing. */
const readNeeded = (): string[] => {
  const path = join(projectRoot(), 'pipeline/scorer/model/contractArtifacts/card.json');
  return Object.keys(cardSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).gainShare);
};

type Contract = { id: string; histogram: Float64Array };

/** The columns of a file: index of the identity and of each opcode; -1 if missing. */
const layoutOf = (path: string, header: readonly string[], names: readonly string[]) => {
  const absent = readNeeded().filter((name) => !header.includes(name));
  if (absent.length > 0) throw new InputError(`${path} has no column ${absent.join(', ')}`);
  const id = Math.max(
    0,
    header.findIndex((cell) => ID_COLUMNS.includes(cell)),
  );
  return { id, idName: header[id] ?? '', places: names.map((name) => header.indexOf(name)) };
};

/** The contracts of a file in batches, with the name of the identity column. */
async function* readContracts(
  path: string,
  names: readonly string[],
): AsyncGenerator<{ idName: string; contracts: Contract[] }> {
  let layout: ReturnType<typeof layoutOf> | undefined;
  let contracts: Contract[] = [];
  for await (const cells of readCells(path)) {
    if (!layout) {
      layout = layoutOf(path, cells, names);
      continue;
    }
    const id = cells[layout.id] ?? '';
    const counts = layout.places.map((place) => (place === -1 ? 0 : Number(cells[place])));
    if (!counts.every(Number.isFinite)) {
      throw new InputError(`${path}: contract ${id} has a count that is no number`);
    }
    contracts.push({ id, histogram: Float64Array.from(counts) });
    if (contracts.length < CONTRACTS_PER_BATCH) continue;
    yield { idName: layout.idName, contracts };
    contracts = [];
  }
  yield { idName: layout?.idName ?? '', contracts };
}

const main = async (): Promise<void> => {
  const { histograms, out } = readOptions(USAGE, ['histograms', 'out']);
  const model = await loadContractModel();
  // The file is written at the end, so that an unreadable histogram leaves no partial output.
  const lines: string[] = [];
  let header = '';
  for await (const { idName, contracts } of readContracts(histograms, model.featureNames)) {
    const predictions = await model.predict(
      contracts.map(({ histogram }) => opcodeShares(histogram)),
    );
    header = `${idName},probability,margin\n`;
    for (const [i, { id }] of contracts.entries()) {
      lines.push(`${id},${predictions[i]?.probability},${predictions[i]?.margin}\n`);
    }
    console.error(`${lines.length} contracts scored`);
  }
  writeFileSync(out, header + lines.join(''));
  console.log(`${out}: ${lines.length} contracts scored by ${model.name}`);
};

await runCommand(main);
