import { createClickhouse } from '../../shared/platform/clickhouse.ts';
import { readConfig } from '../../shared/platform/config.ts';
import { compareModels } from '../scorer/learning/compareModels.ts';
import { latestCandidate } from '../scorer/learning/modelChoice.ts';
import {
  createModelStore,
  inForce,
  type ModelEntry,
  previouslyInForce,
  SHIPPED,
} from '../scorer/learning/modelStore.ts';
import { createShadowStore } from '../scorer/learning/shadowStore.ts';
import { loadShippedModel } from '../scorer/model/loadModel.ts';
import { learningConfigSchema } from './learningConfig.ts';
import { shippedEntry } from './promoteModel.ts';
import { runCommand } from './readCsv.ts';

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');

const main = async (): Promise<void> => {
  const { CLICKHOUSE_URL: url, CHAIN_ID: chainId } = readConfig(learningConfigSchema);
  const clickhouse = createClickhouse({ url });
  try {
    const shippedModel = await loadShippedModel();
    const listed = await createModelStore(clickhouse).list(chainId);
    const shipped = listed.find(({ sha256 }) => sha256 === SHIPPED) ?? shippedEntry(shippedModel);
    const current = inForce(listed) ?? shipped;
    const hashOf = ({ sha256 }: ModelEntry): string =>
      sha256 === SHIPPED ? shippedModel.sha256 : sha256;
    const shadowOf = async (role: string, entry: ModelEntry): Promise<string> => {
      const shadows = createShadowStore(clickhouse);
      const compared = await shadows.compared(chainId, hashOf(entry), hashOf(current));
      const { tokens, gain, isBetter, lacks } = compareModels(compared);
      const lead = tokens > 0 ? `, log-loss lower by ${gain.toFixed(4)} on ${tokens} tokens` : '';
      return `${role} in the shadow${lead}: ${isBetter ? 'better by the test' : `not better, ${lacks}`}`;
    };
    const [candidate, previous] = [latestCandidate(listed), previouslyInForce(listed)];
    for (const entry of [shipped, ...listed.filter(({ sha256 }) => sha256 !== SHIPPED)]) {
      const made = entry.sha256 === SHIPPED ? 'shipped' : `made ${dayOf(entry.madeAtMs)}`;
      let state = 'out of use';
      if (entry.sha256 === current.sha256) state = 'in force';
      else if (entry === candidate) state = await shadowOf('candidate', entry);
      else if (entry === previous) state = await shadowOf('previous', entry);
      console.log(`${hashOf(entry)}  ${entry.name}  ${made}, ${entry.tokens} tokens  ${state}`);
    }
  } finally {
    await clickhouse.close();
  }
};

await runCommand(main);
