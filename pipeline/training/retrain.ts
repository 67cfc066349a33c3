import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createClickhouse } from '../../shared/platform/clickhouse.ts';
import { pricingOf, readConfig } from '../../shared/platform/config.ts';
import { learningConfigSchema } from './learningConfig.ts';
import { preparePython } from './python.ts';
import { runCommand } from './readCsv.ts';
import { reachedOf, retrain } from './retrainModel.ts';

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { work: { type: 'string', default: '.local/training' } },
  });
  const config = readConfig(learningConfigSchema);
  const chainId = config.CHAIN_ID;
  const clickhouse = createClickhouse({ url: config.CLICKHOUSE_URL });
  try {
    await reachedOf(clickhouse, chainId);
    const python = preparePython(join(values.work, 'venv'));
    const folder = join(values.work, `chain-${chainId}`);
    const pricing = pricingOf(config);
    const made = await retrain(clickhouse, chainId, pricing, { folder, python });
    console.log(readFileSync(made.card, 'utf8'));
    const { sha256, name } = made.entry;
    console.log(
      made.isKnown
        ? `${sha256} (${name}) is in the registry already: the tokens are the same`
        : `${sha256} (${name}) is a candidate: it runs in the shadow from now on; make models shows how it does`,
    );
  } finally {
    await clickhouse.close();
  }
};

await runCommand(main);
