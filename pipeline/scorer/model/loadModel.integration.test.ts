import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { FEATURE_NAMES } from '../../../shared/messages/featureNames.ts';
import { FatalError } from '../../../shared/platform/errors.ts';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { createRandom, syntheticPool } from '../../training/syntheticPools.ts';
import { poolFeatures } from '../features/poolFeatures.ts';
import { parseForest } from './forest.ts';
import { loadModel, openModel, openOnnx } from './loadModel.ts';
import { createModel, parseModelCard } from './model.ts';

const folder = join(projectRoot(), 'pipeline/scorer/model');

const readJson = async (name: string): Promise<unknown> => {
  const file = await readFile(join(folder, name));
  return JSON.parse((name.endsWith('.gz') ? gunzipSync(file) : file).toString());
};

const setup = async () => {
  const session = await openOnnx(await readFile(join(folder, 'artifacts/model.onnx')), 'shipped');
  const forest = parseForest(await readJson('artifacts/trees.json'));
  const card = parseModelCard(await readJson('artifacts/card.json'));
  return { session, model: createModel({ session, forest, card }) };
};

describe('openOnnx with the trained model', () => {
  it('agrees with the JSON trees on 500 invented pools, at every age', async (t) => {
    const { session, model } = await setup();
    t.after(() => session.close());
    const random = createRandom(21);
    const vectors = Array.from({ length: 500 }, () => {
      const syncs = syntheticPool(random);
      return poolFeatures({ syncs }, (syncs[0]?.timestampS ?? 0) + random() * 100_000);
    });
    const predictions = await model.predict(vectors);
    assert.equal(predictions.length, 500);
    assert.ok(predictions.every(({ probability }) => probability > 0 && probability < 1));
    assert.deepEqual(model.featureNames, FEATURE_NAMES);
  });

  it('gives the margins that xgboost gave, missing values included', async (t) => {
    const { session } = await setup();
    t.after(() => session.close());
    const reference = (await readJson('fixtures/xgboostReference.json.gz')) as {
      rows: (number | null)[][];
      margins: number[];
    };
    const rows = Float32Array.from(reference.rows.flat(), (v) => v ?? Number.NaN);
    const margins = await session.margins(rows, FEATURE_NAMES.length);
    assert.equal(margins.length, reference.margins.length);
    margins.forEach((margin, i) => {
      assert.ok(Math.abs(margin - (reference.margins[i] ?? Number.NaN)) <= 1e-5);
    });
  });

  it('answers nothing to nothing, and refuses rows that are not whole', async (t) => {
    const { session } = await setup();
    t.after(() => session.close());
    assert.equal((await session.margins(new Float32Array(), 3)).length, 0);
    await assert.rejects(session.margins(new Float32Array(4), 3), /not whole/);
  });

  it('is fatal when the file is missing or no model', async () => {
    await assert.rejects(loadModel(join(folder, 'absent')), FatalError);
    const card = await readFile(join(folder, 'artifacts/card.json'));
    await assert.rejects(openOnnx(card, 'card.json'), FatalError);
    const onnx = await readFile(join(folder, 'artifacts/model.onnx'));
    await assert.rejects(openModel({ onnx, trees: '{', card: '{' }), FatalError);
  });
});
