import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { createPriceStore } from '../../shared/market/priceStore.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import type { PricingConfig } from '../../shared/platform/config.ts';
import { createActivityStore, type Progress } from '../scorer/ingest/activityStore.ts';
import type { MarketModels } from '../scorer/learning/modelChoice.ts';
import { createModelStore, inForce, type ModelEntry } from '../scorer/learning/modelStore.ts';
import {
  loadLifeModel,
  loadShippedModel,
  type ModelFiles,
  openModel,
} from '../scorer/model/loadModel.ts';
import type { Model } from '../scorer/model/model.ts';
import { VERDICT_AGE_S } from '../scorer/outcome/tokenOutcome.ts';
import { DATASET_HEADER, type Snapshot, snapshotsOf } from './exportDataset.ts';
import { LIVES_HEADER, lifeSnapshotsOf } from './exportLives.ts';
import { runProgram } from './python.ts';
import { InputError } from './readCsv.ts';
import type { RecordedPool } from './recordedMarket.ts';
import { readStoredMarket, storedChains } from './storedMarket.ts';

/** Minimum tokens with a known outcome for training, and minimum of those with the rarer outcome. */
const TOKENS_MIN = 200;
const EACH_OUTCOME_MIN = 30;

/** The progress of a chain. @throws InputError if nothing of it is stored. */
export const reachedOf = async (clickhouse: Clickhouse, chainId: number): Promise<Progress> => {
  const progress = await createActivityStore(clickhouse).progress(chainId);
  if (progress) return progress;
  const stored = await storedChains(clickhouse);
  const known = stored.length > 0 ? stored.join(', ') : 'none yet';
  throw new InputError(`CHAIN=${chainId}: nothing is stored of this chain; stored: ${known}`);
};

/** Contents of a data set, as of the age from which outcomes are counted. */
interface Counts {
  tokens: number;
  rows: number;
  decided: number;
  /** Rugs, and tokens that holders could not sell. */
  scams: number;
}

/**
 * A data set being written, with the prediction of a model beside each row that the model was not trained on.
 */
const openDataset = (path: string, saidPath: string, header: string, model: Model) => {
  const [rows, said] = [createWriteStream(path), createWriteStream(saidPath)];
  rows.write(`${header}\n`);
  return {
    add: async (snapshots: readonly Snapshot[], isNew: boolean): Promise<void> => {
      if (snapshots.length === 0) return;
      const predictions = await model.predict(snapshots.map(({ features }) => features));
      said.write(predictions.map(({ margin }) => `${isNew ? margin : ''}\n`).join(''));
      const lines = `${snapshots.map(({ line }) => line).join('\n')}\n`;
      if (!rows.write(lines)) await once(rows, 'drain');
    },
    close: async (): Promise<void> => {
      rows.end();
      said.end();
      await Promise.all([finished(rows), finished(said)]);
    },
  };
};

/** The training data sets in a folder: the first day of markets, and older ages. */
const filesIn = (folder: string) => ({
  dataset: join(folder, 'dataset.csv'),
  margins: join(folder, 'in_force.csv'),
  lives: join(folder, 'lives.csv'),
  lifeMargins: join(folder, 'lives_in_force.csv'),
});

/**
 * Writes the rows of all tokens, with the predictions of the models in force for rows that they were not trained on.
 */
export const writeDatasets = async (
  market: AsyncIterable<RecordedPool>,
  { untilS, model, lifeModel, trainedUntilS }: InForce & { untilS: number },
  folder: string,
): Promise<Counts> => {
  const files = filesIn(folder);
  const days = openDataset(files.dataset, files.margins, DATASET_HEADER, model);
  const lives = openDataset(files.lives, files.lifeMargins, LIVES_HEADER, lifeModel);
  const counts: Counts = { tokens: 0, rows: 0, decided: 0, scams: 0 };
  for await (const recorded of market) {
    const isNew = recorded.firstSyncS > trainedUntilS;
    const snapshots = snapshotsOf(recorded, untilS);
    await days.add(snapshots, isNew);
    await lives.add(lifeSnapshotsOf(recorded, untilS), isNew);
    const judged = snapshots.find(({ ageS }) => ageS === VERDICT_AGE_S);
    counts.tokens += snapshots.length > 0 ? 1 : 0;
    counts.rows += snapshots.length;
    counts.decided += judged ? 1 : 0;
    counts.scams += judged?.isScam ? 1 : 0;
  }
  await days.close();
  await lives.close();
  return counts;
};

/** @throws InputError that says what is missing. */
const assertEnough = (chainId: number, { decided, scams }: Counts): void => {
  const survived = decided - scams;
  if (decided >= TOKENS_MIN && Math.min(scams, survived) >= EACH_OUTCOME_MIN) return;
  throw new InputError(
    `chain ${chainId} has ${decided} tokens with a known outcome (${scams} rugs or unsellable, ${survived} survived): ` +
      `a model needs ${TOKENS_MIN}, and ${EACH_OUTCOME_MIN} of each. ` +
      `An outcome is known 7 days and an hour after the first Sync of a token's pool (pipeline/scorer/outcome/OUTCOMES.md)`,
  );
};

/** The models in force on a chain, and until when their training data reached, Unix seconds. */
interface InForce extends MarketModels {
  readonly trainedUntilS: number;
}

const openInForce = async (
  clickhouse: Clickhouse,
  chainId: number,
): Promise<InForce & { readonly life: ModelFiles | undefined }> => {
  const store = createModelStore(clickhouse);
  const entry = inForce(await store.list(chainId));
  const files = entry && (await store.files(chainId, entry.sha256));
  const life = files?.life;
  return {
    model: files ? await openModel(files) : await loadShippedModel(),
    lifeModel: life ? await openModel(life) : await loadLifeModel(),
    trainedUntilS: files ? entry.trainedUntilS : 0,
    life,
  };
};

const readFiles = (folder: string): ModelFiles => ({
  onnx: readFileSync(join(folder, 'model.onnx')),
  trees: readFileSync(join(folder, 'trees.json'), 'utf8'),
  card: readFileSync(join(folder, 'card.json'), 'utf8'),
});

/** Working folder of training: it is emptied first, and the virtual environment beside it is kept. */
export interface Workplace {
  readonly folder: string;
  readonly python: string;
}

/** The trained model, and whether the registry had it already. */
export interface Retrained {
  readonly entry: ModelEntry;
  readonly isKnown: boolean;
  /** Paths of the model cards: of the model, and of the model of older markets. */
  readonly cards: readonly string[];
}

/** Trains a model with Python into a folder. @throws InputError if that fails */
const runTraining = (python: string, script: string, args: readonly string[]): void => {
  try {
    runProgram(python, ['-B', join(import.meta.dirname, script), ...args]);
  } catch {
    throw new InputError('training failed, and nothing was stored: Python printed why');
  }
};

/**
 * Trains a model on the outcomes of a chain's own tokens, and stores it as a candidate. With it comes a model of
 * older markets: one trained on this chain if it predicts later outcomes better than the one in force, else the one
 * in force.
 * @throws InputError if the chain has too few tokens for that
 */
export const retrain = async (
  clickhouse: Clickhouse,
  chainId: number,
  pricing: PricingConfig,
  { folder, python }: Workplace,
): Promise<Retrained> => {
  const reached = await reachedOf(clickhouse, chainId);
  const untilS = reached.block.timestampS;
  const prices = await createPriceStore({ clickhouse, pricing, clock: systemClock }).prices(
    chainId,
  );
  const inForceNow = await openInForce(clickhouse, chainId);
  rmSync(folder, { recursive: true, force: true });
  const lifeFolder = join(folder, 'life');
  mkdirSync(lifeFolder, { recursive: true });
  const files = filesIn(folder);
  const market = readStoredMarket({ clickhouse, reached, untilS, prices });
  const counts = await writeDatasets(market, { ...inForceNow, untilS }, folder);
  assertEnough(chainId, counts);
  console.log(`${counts.rows} snapshots of ${counts.tokens} tokens of chain ${chainId}`);
  const day = new Date(untilS * 1_000).toISOString().slice(0, 10).replaceAll('-', '');
  const options = join(folder, 'options.json');
  const name = `gbdt-chain${chainId}-${day}`;
  const compared = { inForce: inForceNow.model.name, lifeInForce: inForceNow.lifeModel.name };
  writeFileSync(options, JSON.stringify({ name, chainId, untilS, ...compared }));
  runTraining(python, 'retrain.py', [files.dataset, files.margins, options, folder]);
  runTraining(python, 'retrainLives.py', [files.lives, files.lifeMargins, options, lifeFolder]);
  const isLifeTrained = existsSync(join(lifeFolder, 'model.onnx'));
  const made = {
    ...readFiles(folder),
    life: isLifeTrained ? readFiles(lifeFolder) : inForceNow.life,
  };
  const candidate = await openModel(made);
  if (made.life) await openModel(made.life);
  const store = createModelStore(clickhouse);
  const known = (await store.list(chainId)).find(({ sha256 }) => sha256 === candidate.sha256);
  const entry: ModelEntry = known ?? {
    sha256: candidate.sha256,
    name: candidate.name,
    trainedUntilS: untilS,
    tokens: counts.tokens,
    madeAtMs: Date.now(),
    promotedAtMs: undefined,
  };
  if (!known) await store.insert(chainId, entry, made);
  const cards = [join(folder, 'card.md'), join(lifeFolder, 'card.md')];
  return { entry, isKnown: known !== undefined, cards };
};
