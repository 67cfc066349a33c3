import { createClickhouse } from '../../shared/platform/clickhouse.ts';
import { readConfig } from '../../shared/platform/config.ts';
import { loadShippedModel } from '../scorer/model/loadModel.ts';
import { learningConfigSchema, promotionConfigSchema } from './learningConfig.ts';
import { promote } from './promoteModel.ts';
import { runCommand } from './readCsv.ts';

const main = async (): Promise<void> => {
  const { CLICKHOUSE_URL: url, CHAIN_ID: chainId } = readConfig(learningConfigSchema);
  const { MODEL: name, FORCE: isForced } = readConfig(promotionConfigSchema);
  const clickhouse = createClickhouse({ url });
  try {
    const shipped = await loadShippedModel();
    const { promoted, replaced } = await promote(
      clickhouse,
      chainId,
      { name, isForced },
      shipped,
      Date.now(),
    );
    console.log(
      `${promoted.name} is in force on chain ${chainId}: scorers take it within 30 s. ` +
        `Back to ${replaced.name}: make promote MODEL=previous`,
    );
  } finally {
    await clickhouse.close();
  }
};

await runCommand(main);
