import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { createPriceStore } from '../../shared/market/priceStore.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import type { PricingConfig } from '../../shared/platform/config.ts';
import { createActivityStore, type Progress } from '../scorer/ingest/activityStore.ts';
import { createModelStore, inForce, type ModelEntry } from '../scorer/learning/modelStore.ts';
import { loadShippedModel, type ModelFiles, openModel } from '../scorer/model/loadModel.ts';
import type { Model } from '../scorer/model/model.ts';
import { VERDICT_AGE_S } from '../scorer/outcome/tokenOutcome.ts';
import { DATASET_HEADER, snapshotsOf } from './exportDataset.ts';
import { runProgram } from './python.ts';
import { InputError } from './readCsv.ts';
import type { RecordedPool } from './recordedMarket.ts';
import { readStoredMarket, storedChains } from './storedMarket.ts';

/** Fewest tokens with a known outcome that are learnt from, and fewest of them with the rarer outcome. */
const TOKENS_MIN = 200;
const EACH_OUTCOME_MIN = 30;

/** How far a chain is stored. @throws InputError where nothing of it is. */
export const reachedOf = async (clickhouse: Clickhouse, chainId: number): Promise<Progress> => {
  const progress = await createActivityStore(clickhouse).progress(chainId);
  if (progress) return progress;
  const stored = await storedChains(clickhouse);
  const known = stored.length > 0 ? stored.join(', ') : 'none yet';
  throw new InputError(`CHAIN=${chainId}: nothing is stored of this chain; stored: ${known}`);
};

/** What a data set consists of, as of the age outcomes are counted from. */
interface Counts {
  tokens: number;
  rows: number;
  decided: number;
  rugs: number;
}

/** Writes the rows of all tokens, and beside them what the model in force says where it has not learnt from them. */
export const writeDataset = async (
  market: AsyncIterable<RecordedPool>,
  { untilS, model, trainedUntilS }: { untilS: number; model: Model; trainedUntilS: number },
  { dataset, margins }: { dataset: string; margins: string },
): Promise<Counts> => {
  const [rows, said] = [createWriteStream(dataset), createWriteStream(margins)];
  const counts: Counts = { tokens: 0, rows: 0, decided: 0, rugs: 0 };
  rows.write(`${DATASET_HEADER}\n`);
  for await (const recorded of market) {
    const snapshots = snapshotsOf(recorded, untilS);
    if (snapshots.length === 0) continue;
    const predictions = await model.predict(snapshots.map(({ features }) => features));
    const isNew = recorded.firstSyncS > trainedUntilS;
    said.write(predictions.map(({ margin }) => `${isNew ? margin : ''}\n`).join(''));
    if (!rows.write(`${snapshots.map(({ line }) => line).join('\n')}\n`)) await once(rows, 'drain');
    const judged = snapshots.find(({ ageS }) => ageS === VERDICT_AGE_S);
    counts.tokens += 1;
    counts.rows += snapshots.length;
    counts.decided += judged ? 1 : 0;
    counts.rugs += judged?.isRug ? 1 : 0;
  }
  rows.end();
  said.end();
  await Promise.all([finished(rows), finished(said)]);
  return counts;
};

/** @throws InputError that says what lacks. */
const assertEnough = (chainId: number, { decided, rugs }: Counts): void => {
  const survived = decided - rugs;
  if (decided >= TOKENS_MIN && Math.min(rugs, survived) >= EACH_OUTCOME_MIN) return;
  throw new InputError(
    `chain ${chainId} has ${decided} tokens with a known outcome (${rugs} rugs, ${survived} survived): ` +
      `a model needs ${TOKENS_MIN}, and ${EACH_OUTCOME_MIN} of each. ` +
      `An outcome is known 7 days and an hour after the first Sync of a token's pool (pipeline/scorer/outcome/OUTCOMES.md)`,
  );
};

/** The model in force on a chain, and until when it had learnt. */
const openInForce = async (
  clickhouse: Clickhouse,
  chainId: number,
): Promise<{ model: Model; trainedUntilS: number }> => {
  const store = createModelStore(clickhouse);
  const entry = inForce(await store.list(chainId));
  const files = entry && (await store.files(chainId, entry.sha256));
  if (!entry || !files) return { model: await loadShippedModel(), trainedUntilS: 0 };
  return { model: await openModel(files), trainedUntilS: entry.trainedUntilS };
};

const readFiles = (folder: string): ModelFiles => ({
  onnx: readFileSync(join(folder, 'model.onnx')),
  trees: readFileSync(join(folder, 'trees.json'), 'utf8'),
  card: readFileSync(join(folder, 'card.json'), 'utf8'),
});

/** Where training works: the folder is emptied first, and the virtual environment beside it is kept. */
export interface Workplace {
  readonly folder: string;
  readonly python: string;
}

/** What was trained, and whether the registry had it already. */
export interface Retrained {
  readonly entry: ModelEntry;
  readonly isKnown: boolean;
  readonly card: string;
}

/**
 * Trains a model on what a chain's own tokens became, and keeps it as a candidate.
 * @throws InputError where the chain has too few tokens for that
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
  const { model, trainedUntilS } = await openInForce(clickhouse, chainId);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = { dataset: join(folder, 'dataset.csv'), margins: join(folder, 'in_force.csv') };
  const market = readStoredMarket({ clickhouse, reached, prices });
  const counts = await writeDataset(market, { untilS, model, trainedUntilS }, files);
  assertEnough(chainId, counts);
  console.log(`${counts.rows} snapshots of ${counts.tokens} tokens of chain ${chainId}`);
  const day = new Date(untilS * 1_000).toISOString().slice(0, 10).replaceAll('-', '');
  const options = join(folder, 'options.json');
  const name = `gbdt-chain${chainId}-${day}`;
  writeFileSync(options, JSON.stringify({ name, chainId, untilS, inForce: model.name }));
  const script = join(import.meta.dirname, 'retrain.py');
  try {
    runProgram(python, ['-B', script, files.dataset, files.margins, options, folder]);
  } catch {
    throw new InputError('training failed, and nothing was stored: Python printed why');
  }
  const made = readFiles(folder);
  const candidate = await openModel(made);
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
  return { entry, isKnown: known !== undefined, card: join(folder, 'card.md') };
};
