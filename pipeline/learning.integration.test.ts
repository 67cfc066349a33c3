import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { type Hex, ZERO_HASH } from '../shared/chain/block.ts';
import { FEATURE_NAMES } from '../shared/messages/featureNames.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { DAY_S } from '../shared/platform/durations.ts';
import { silentLogger } from '../shared/platform/logger.ts';
import { projectRoot } from '../shared/platform/projectRoot.ts';
import { clickhouse, emptyTables } from '../shared/testing/tables.ts';
import { tempFolder } from '../shared/testing/tempFolder.ts';
import { LIFE_FEATURE_NAMES } from './scorer/features/poolLifeFeatures.ts';
import { createActivityStore } from './scorer/ingest/activityStore.ts';
import { createDriftStore } from './scorer/learning/driftStore.ts';
import { createLearner, createPriors, type LearningReport } from './scorer/learning/learner.ts';
import { createModelChoice } from './scorer/learning/modelChoice.ts';
import { createModelStore, type ModelStore, SHIPPED } from './scorer/learning/modelStore.ts';
import { createShadowStore } from './scorer/learning/shadowStore.ts';
import { evaluateForest, parseForest } from './scorer/model/forest.ts';
import { loadShippedModel, type ModelFiles, openModel } from './scorer/model/loadModel.ts';
import { createModel, type Model, parseModelCard, probabilityOf } from './scorer/model/model.ts';
import { createLearningMetrics } from './scorer/scorerMetrics.ts';
import { promote } from './training/promoteModel.ts';
import { retrain } from './training/retrainModel.ts';
import { createRandom } from './training/syntheticPools.ts';

const CHAIN_ID = 31_337;
const WETH: Hex = `0x${'e'.repeat(40)}`;
const START_S = 1_700_000_000;
const HOUR_S = 3_600;
const TOKENS_A_DAY = 60;
/**
 * The two launch patterns: how many pools begin with little liquidity, and which of the two kinds are rugs, 85 of
 * 100.
 */
const FASHIONS = {
  old: { little: 0.6, littleIsRug: true },
  new: { little: 0.2, littleIsRug: false },
};
type Fashion = keyof typeof FASHIONS;
const SURE = 0.85;
const LITTLE_MAX = 2;

const hex = (n: number, bytes: number): string => n.toString(16).padStart(2 * bytes, '0');

/** A model with one split: whether a pool began with little liquidity. */
const modelFiles = (
  name: string,
  sha256: string,
  fashion: Fashion,
  features: readonly string[] = FEATURE_NAMES,
): ModelFiles => {
  const { little, littleIsRug } = FASHIONS[fashion];
  const margin = Math.log(SURE / (1 - SURE));
  const [low, high] = littleIsRug ? [margin, -margin] : [-margin, margin];
  const tree = {
    feature: [Math.max(0, features.indexOf('firstBase')), -1, -1],
    value: [LITTLE_MAX, low, high],
    left: [1, -1, -1],
    right: [2, -1, -1],
    missingLeft: [0, 0, 0],
    cover: [2, 1, 1],
  };
  const spread = { edges: [LITTLE_MAX], shares: [little, 1 - little], missing: 0 };
  const card = {
    name,
    sha256,
    features,
    rugShareByAgeS: { [HOUR_S]: 0.5 },
    featureDeciles: { firstBase: spread },
  };
  const forest = { name, features, baseMargin: 0, trees: [tree] };
  return { onnx: Buffer.from(sha256), trees: JSON.stringify(forest), card: JSON.stringify(card) };
};

/** The trees replace ONNX Runtime, with which other tests compare them. */
const open = async ({ onnx, trees, card }: ModelFiles): Promise<Model> => {
  const forest = parseForest(JSON.parse(trees));
  const margins = async (rows: Float32Array, columns: number) =>
    Float32Array.from({ length: rows.length / columns }, (_, i) =>
      evaluateForest(forest, rows.subarray(i * columns, (i + 1) * columns)),
    );
  const session = { sha256: Buffer.from(onnx).toString(), margins };
  return createModel({ session, forest, card: parseModelCard(JSON.parse(card)) });
};

const OLD = modelFiles('shipped', 'a'.repeat(64), 'old');
const NEW = modelFiles('learned', 'b'.repeat(64), 'new');

describe('a service that learns on its own chain', () => {
  before(emptyTables);
  let store: ModelStore;
  let shipped: Model;
  let shippedLife: Model;
  let nowMs = 0;
  let dayOfChain = 0;
  let launched = 0;
  const random = createRandom(5);
  const clock = { ...systemClock, now: () => nowMs };

  before(async () => {
    store = createModelStore(clickhouse);
    shipped = await open(OLD);
    shippedLife = await open(modelFiles('life', 'c'.repeat(64), 'old', LIFE_FEATURE_NAMES));
  });
  const chainTimeS = async () => START_S + dayOfChain * DAY_S;
  /** A newly started scorer. */
  const scorer = () => {
    const models = createModelChoice({
      chainId: CHAIN_ID,
      shipped: { model: shipped, lifeModel: shippedLife },
      store,
      open,
      clock,
      logger: silentLogger,
    });
    const registry = new Registry();
    const drift = createDriftStore(clickhouse);
    const ports = {
      chainId: CHAIN_ID,
      models,
      shadows: createShadowStore(clickhouse),
      drift,
      chainTimeS,
      report: createLearningMetrics(registry),
      clock,
      logger: silentLogger,
    };
    return { models, registry, ports, learner: createLearner(ports), priors: createPriors(ports) };
  };

  /**
   * Days of launches: the prediction of the model in force for tokens an hour old, and their outcomes a week later.
   */
  const launch = async (days: number, fashion: Fashion, model: Model): Promise<void> => {
    const { little, littleIsRug } = FASHIONS[fashion];
    const rows: [string, string, number, number, number, number][] = [];
    for (let i = 0; i < days * TOKENS_A_DAY; i += 1) {
      launched += 1;
      const isLittle = random() < little;
      const isRug = random() < SURE === (isLittle === littleIsRug);
      const firstBase = isLittle ? 1 + random() : 3 + random();
      const asOfS = START_S + Math.floor((dayOfChain + (i + 1) / TOKENS_A_DAY) * DAY_S);
      const vector = Float64Array.from(FEATURE_NAMES, (name) =>
        name === 'firstBase' ? firstBase : Number.NaN,
      );
      const [said] = await model.predict([vector]);
      // A creator launches three tokens one after the other.
      const creator = hex(1_000_000 + Math.floor(launched / 3), 20);
      rows.push([
        hex(launched, 20),
        creator,
        asOfS,
        firstBase,
        probabilityOf(said?.margin ?? 0),
        isRug ? 1 : 0,
      ]);
    }
    dayOfChain += days;
    const params = {
      chainId: CHAIN_ID,
      tokens: rows.map((row) => row[0]),
      creators: rows.map((row) => row[1]),
      times: rows.map((row) => row[2]),
      bases: rows.map((row) => row[3]),
      said: rows.map((row) => row[4]),
      rugs: rows.map((row) => row[5]),
      sha256: model.sha256,
      name: model.name,
    };
    const each = `(SELECT unhex(r.1) AS token, unhex(r.2) AS creator, toUInt32(r.3) AS at_s, r.4 AS base, r.5 AS p, r.6 AS rug FROM (SELECT arrayJoin(arrayZip(
      {tokens:Array(String)}, {creators:Array(String)}, {times:Array(UInt32)}, {bases:Array(Float64)}, {said:Array(Float64)}, {rugs:Array(UInt8)})) AS r))`;
    await clickhouse.exec(
      `INSERT INTO verdict_history (chain_id, token, block_number, block_hash, horizon_s, as_of, prediction, model, model_sha256, features, version)
       SELECT {chainId:UInt64}, token, at_s, unhex(repeat('0b', 32)), ${HOUR_S}, toDateTime(at_s, 'UTC'), 'LEGIT', {name:String}, {sha256:String},
         map('firstBase', base, 'market_probability', p), 1 FROM ${each}`,
      params,
    );
    await clickhouse.exec(
      `INSERT INTO dim_tokens (chain_id, token, creator, version) SELECT {chainId:UInt64}, token, creator, 1 FROM ${each}`,
      params,
    );
    await clickhouse.exec(
      `INSERT INTO token_outcomes (chain_id, token, judged_at, outcome, version)
       SELECT {chainId:UInt64}, token, toDateTime(at_s, 'UTC'), if(rug = 1, 'rug', 'survived'), 1 FROM ${each}`,
      params,
    );
  };

  /** Lets the shadow models catch up, then measures, as the scorer does alternately. */
  const observe = async (running: ReturnType<typeof scorer>): Promise<LearningReport> => {
    while ((await running.learner.scoreShadows()) > 0);
    const report = await running.learner.look();
    assert.ok(report);
    running.ports.report(report);
    return report;
  };
  const gaugeOf = async ({ registry }: ReturnType<typeof scorer>, name: string) =>
    (await registry.getSingleMetric(name)?.get())?.values[0]?.value;

  it('drifts, trains, compares in the shadow, takes the better model and gives it back', async () => {
    nowMs = 1_000_000;
    const running = scorer();
    await launch(8, 'old', shipped);
    dayOfChain += 8;
    const calm = await observe(running);
    assert.ok(
      (calm.calibration?.chiSquare ?? 99) < 20.5,
      'the shipped model is right of the old fashion',
    );

    // The launch pattern changes: features at once, calibration when outcomes are known.
    await launch(7, 'new', shipped);
    const drifted = await observe(running);
    assert.ok((drifted.stability.get('firstBase') ?? 0) > 0.25, 'alarm ModelDrift');
    dayOfChain += 8;
    const wrong = await observe(running);
    assert.ok((wrong.calibration?.error ?? 0) > 0.1, 'alarm ModelMiscalibrated');
    assert.ok(((await gaugeOf(running, 'tsd_model_calibration_chi_square')) ?? 0) > 20.5);

    // A candidate scores what comes after its training; it cannot be promoted before it passes the test.
    await store.insert(
      CHAIN_ID,
      {
        sha256: 'b'.repeat(64),
        name: 'learned',
        trainedUntilS: await chainTimeS(),
        tokens: 420,
        madeAtMs: nowMs,
        promotedAtMs: undefined,
      },
      { ...NEW, life: modelFiles('older', 'd'.repeat(64), 'new', LIFE_FEATURE_NAMES) },
    );
    await launch(2, 'new', shipped);
    const early = await observe(running);
    assert.equal(early.shadows[0]?.comparison.tokens, 2 * TOKENS_A_DAY);
    const promoteBy = (name: string, isForced = false) => {
      nowMs += 60_000;
      return promote(clickhouse, CHAIN_ID, { name, isForced }, shipped, nowMs);
    };
    await assert.rejects(promoteBy('b'.repeat(64)), /120 of 200 tokens .* FORCE=1/);
    await assert.rejects(
      promoteBy('cafe'),
      /MODEL=cafe: must be previous, shipped, or .* bbbbbbbb/,
    );
    await assert.rejects(
      promoteBy('previous'),
      /MODEL=previous: the shipped model was never replaced/,
    );
    await assert.rejects(promoteBy('shipped'), /MODEL=shipped: .* is in force/);

    await launch(4, 'new', shipped);
    const ready = await observe(running);
    assert.equal(ready.shadows[0]?.comparison.isBetter, true, 'alarm CandidateBetter');
    assert.equal((await running.models.current()).model.sha256, shipped.sha256);
    await promoteBy('bbbbbbbb');
    const { model: learned, lifeModel } = await running.models.current();
    assert.equal(learned.sha256, 'b'.repeat(64), 'a scorer that runs takes it');
    assert.equal(lifeModel.sha256, 'd'.repeat(64), 'with its model of older markets');
    assert.equal(
      (await scorer().models.current()).model.sha256,
      'b'.repeat(64),
      'and one that starts',
    );

    // Calibration returns; the previous model remains as a shadow model.
    dayOfChain += 8;
    await launch(7, 'new', learned);
    dayOfChain += 8;
    const right = await observe(running);
    assert.ok((right.calibration?.chiSquare ?? 99) < 20.5);
    assert.equal(right.shadows[0]?.role, 'previous');
    assert.equal(right.shadows[0]?.comparison.isBetter, false);

    // The old pattern returns: the promoted model gets worse, and the previous one replaces it.
    await launch(14, 'old', learned);
    const worse = await observe(running);
    assert.equal(worse.shadows[0]?.comparison.isBetter, true, 'alarm PreviousModelBetter');
    const { promoted } = await promoteBy('previous');
    assert.equal(promoted.sha256, SHIPPED);
    assert.deepEqual(await running.models.current(), { model: shipped, lifeModel: shippedLife });
    nowMs += 60_000;
    await promoteBy('previous');
    assert.equal(
      (await running.models.current()).model.sha256,
      'b'.repeat(64),
      'and back once more',
    );
  });

  it('follows the share of rugs of its chain with the prior, within bounds', async () => {
    dayOfChain += 8;
    const { pooled, others } = await scorer().priors();
    assert.equal(others, 0.5);
    assert.ok(pooled >= 0.38 && pooled <= 0.62 && pooled !== 0.5, `${pooled}`);
  });

  it('says what training lacks, and leaves nothing behind', async () => {
    const folder = tempFolder();
    const train = (chainId: number) => {
      const pricing = { weth: WETH, stables: [], nativePriceUsd: 2_000 };
      return retrain(clickhouse, chainId, pricing, { folder, python: 'none is needed' });
    };
    await assert.rejects(train(7), /CHAIN=7: nothing is stored of this chain; stored: none yet/);
    const block = { number: 9, hash: ZERO_HASH, timestampS: START_S };
    const progress = { chainId: 8, epoch: 0, block, head: 9, updatedAtMs: 0 };
    await createActivityStore(clickhouse).saveProgress(progress);
    await assert.rejects(train(7), /stored: 8/);
    await assert.rejects(
      train(8),
      /chain 8 has 0 tokens with a known outcome .* needs 200, and 30 of each/,
    );
    assert.deepEqual(await store.list(8), []);
  });

  it('keeps the files of a model as they are, for the runtime that scores', async () => {
    const folder = join(projectRoot(), 'pipeline/scorer/model/artifacts');
    const onnx = readFileSync(join(folder, 'model.onnx'));
    const files = {
      onnx,
      trees: readFileSync(join(folder, 'trees.json'), 'utf8'),
      card: readFileSync(join(folder, 'card.json'), 'utf8'),
      life: undefined,
    };
    const { sha256, name } = await openModel(files);
    const entry = { sha256, name, trainedUntilS: START_S, tokens: 9, madeAtMs: 1_234 };
    await store.insert(9, { ...entry, promotedAtMs: undefined }, files);
    assert.deepEqual(await store.list(9), [{ ...entry, promotedAtMs: undefined }]);
    const kept = await store.files(9, sha256);
    assert.ok(kept && onnx.equals(kept.onnx) && kept.life === undefined);
    assert.equal((await openModel(kept)).sha256, sha256);
    const vectors = [new Float64Array(FEATURE_NAMES.length).fill(Number.NaN)];
    const released = await loadShippedModel();
    assert.deepEqual(
      await (await openModel(kept)).predict(vectors),
      await released.predict(vectors),
    );
  });

  it('shows analysts weeks of models and features, and scores beside one another', async () => {
    const weeks = await clickhouse.query(
      `SELECT model, sum(tokens) AS all_tokens FROM model_calibration GROUP BY model ORDER BY model`,
      {},
      z.object({ model: z.string(), all_tokens: z.number() }),
    );
    assert.deepEqual(
      weeks.map(({ model }) => model),
      ['learned', 'shipped'],
    );
    const one = z.object({ rows: z.number() });
    const count = async (from: string) =>
      (await clickhouse.query(`SELECT count() AS rows FROM ${from}`, {}, one))[0]?.rows ?? 0;
    assert.ok((await count(`feature_weeks WHERE feature = 'firstBase'`)) > 4);
    assert.ok((await count('shadow_verdicts WHERE outcome IS NOT NULL')) > 300);
    assert.equal(await count(`learned_models WHERE chain_id = ${CHAIN_ID}`), 2);
  });
});
