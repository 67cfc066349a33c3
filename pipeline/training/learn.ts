import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Clickhouse, createClickhouse } from '../../shared/platform/clickhouse.ts';
import { fields, flag, pricingOf, readConfig } from '../../shared/platform/config.ts';
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
import { promote, shippedEntry } from './promoteModel.ts';
import { preparePython } from './python.ts';
import { runCommand } from './readCsv.ts';
import { reachedOf, retrain } from './retrainModel.ts';

// Models of a chain: make retrain, make models, make promote. The settings are those of a stack.

const configSchema = z.object({
  CLICKHOUSE_URL: fields.CLICKHOUSE_URL,
  CHAIN_ID: fields.CHAIN_ID,
  WETH_ADDRESS: fields.WETH_ADDRESS,
  STABLE_ADDRESSES: fields.STABLE_ADDRESSES,
  NATIVE_PRICE_USD: fields.NATIVE_PRICE_USD,
});
type Config = z.output<typeof configSchema>;

/** Options of `make promote` besides the settings of the stack. */
const promotionConfigSchema = z.object({
  MODEL: z.string({ required_error: 'must be a hash that make models shows, previous or shipped' }),
  FORCE: flag,
});

/** Location of Python and of trained models. */
const FOLDER = '.local/training';

const train = async (clickhouse: Clickhouse, config: Config): Promise<void> => {
  const chainId = config.CHAIN_ID;
  await reachedOf(clickhouse, chainId);
  const python = preparePython(join(FOLDER, 'venv'));
  const folder = join(FOLDER, `chain-${chainId}`);
  const made = await retrain(clickhouse, chainId, pricingOf(config), { folder, python });
  for (const card of made.cards) console.log(readFileSync(card, 'utf8'));
  const { sha256, name } = made.entry;
  console.log(
    made.isKnown
      ? `${sha256} (${name}) is in the registry already: the tokens are the same`
      : `${sha256} (${name}) is a candidate: it runs in the shadow from now on; make models shows how it does`,
  );
};

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');

const listModels = async (clickhouse: Clickhouse, { CHAIN_ID: chainId }: Config): Promise<void> => {
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
};

const putInForce = async (clickhouse: Clickhouse, { CHAIN_ID: chainId }: Config): Promise<void> => {
  const { MODEL: name, FORCE: isForced } = readConfig(promotionConfigSchema);
  const order = { name, isForced };
  const shipped = await loadShippedModel();
  const { promoted, replaced } = await promote(clickhouse, chainId, order, shipped, Date.now());
  console.log(
    `${promoted.name} is in force on chain ${chainId}: scorers take it within 30 s. ` +
      `Back to ${replaced.name}: make promote MODEL=previous`,
  );
};

const COMMANDS = { retrain: train, models: listModels, promote: putInForce };

await runCommand(async () => {
  const command = COMMANDS[process.argv[2] as keyof typeof COMMANDS];
  const config = readConfig(configSchema);
  const clickhouse = createClickhouse({ url: config.CLICKHOUSE_URL });
  try {
    await command(clickhouse, config);
  } finally {
    await clickhouse.close();
  }
});
