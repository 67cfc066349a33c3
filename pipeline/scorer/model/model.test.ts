import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseForest } from './forest.ts';
import { createModel, type MarginSession, parseModelCard, probabilityOf } from './model.ts';

const SHA256 = 'ab'.repeat(32);

const treesJson = {
  name: 'tiny',
  features: ['liquidity', 'drawdown'],
  baseMargin: 0.5,
  trees: [
    {
      feature: [0, -1, 1, -1, -1],
      value: [0.1, 2, 5, -1, -3],
      left: [1, -1, 3, -1, -1],
      right: [2, -1, 4, -1, -1],
      missingLeft: [1, 0, 0, 0, 0],
      cover: [10, 4, 6, 3, 3],
    },
  ],
};

const card = parseModelCard({
  name: 'tiny',
  sha256: SHA256,
  features: ['liquidity', 'drawdown'],
  rugShareByAgeS: { '60': 0.7 },
});

/** A session that answers by a function of one row. */
const fakeSession = (marginOf: (row: Float32Array) => number): MarginSession & { runs: number } => {
  const session = {
    sha256: SHA256,
    runs: 0,
    margins: (rows: Float32Array, columns: number) => {
      session.runs += 1;
      const count = rows.length / columns;
      const answer = Float32Array.from({ length: count }, (_, i) =>
        marginOf(rows.subarray(i * columns, (i + 1) * columns)),
      );
      return Promise.resolve(answer);
    },
  };
  return session;
};

/** The same tree, written by hand. */
const marginByHand = (row: Float32Array): number => {
  const [liquidity = 0, drawdown = 0] = row;
  if (Number.isNaN(liquidity) || liquidity < Math.fround(0.1)) return 2.5;
  return drawdown < 5 ? -0.5 : -2.5;
};

const setup = (marginOf = marginByHand) => {
  const session = fakeSession(marginOf);
  return { session, model: createModel({ session, forest: parseForest(treesJson), card }) };
};

const vector = (...values: number[]): Float64Array => Float64Array.from(values);

describe('createModel', () => {
  it('gives margin, probability and contributions that add up', async () => {
    const { model } = setup();
    const [prediction] = await model.predict([vector(1, 6)]);
    assert.ok(prediction);
    assert.equal(prediction.margin, -2.5);
    assert.equal(prediction.probability, probabilityOf(-2.5));
    assert.ok(Math.abs(prediction.baseValue - (0.5 + 0.4 * 2 + 0.6 * -2)) < 1e-12);
    const sum = Object.values(prediction.contributions).reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(prediction.baseValue + sum - prediction.margin) < 1e-12);
    assert.deepEqual(Object.keys(prediction.contributions), ['liquidity', 'drawdown']);
  });

  it('compares in single precision and sends missing values their own way', async () => {
    const { model } = setup();
    const rows = [vector(0.1, 1), vector(0.1 - 1e-9, 1), vector(0.0999, 1), vector(Number.NaN, 9)];
    const margins = (await model.predict(rows)).map(({ margin }) => margin);
    assert.deepEqual(margins, [-0.5, -0.5, 2.5, 2.5]);
  });

  it('splits many rows into bounded runs and keeps their order', async () => {
    const { model, session } = setup();
    const rows = Array.from({ length: 2_500 }, (_, i) => vector(i % 2, 1));
    const predictions = await model.predict(rows);
    assert.equal(session.runs, 3);
    assert.deepEqual(
      predictions.slice(-2).map(({ margin }) => margin),
      [2.5, -0.5],
    );
    assert.deepEqual(await model.predict([]), []);
  });

  it('refuses to answer when trees and ONNX disagree', async () => {
    const { model } = setup((row) => marginByHand(row) + 2e-4);
    await assert.rejects(model.predict([vector(1, 6)]), /trees say -2.5, ONNX says/);
    const { model: silent } = setup(() => Number.NaN);
    await assert.rejects(silent.predict([vector(1, 6)]), /ONNX says NaN/);
  });

  it('refuses parts that do not belong together', () => {
    const forest = parseForest(treesJson);
    const session = fakeSession(marginByHand);
    const other = { ...session, sha256: 'cd'.repeat(32) };
    assert.throws(
      () => createModel({ session: other, forest, card }),
      /not the one of the model card/,
    );
    const renamed = { ...card, features: ['drawdown', 'liquidity'] };
    assert.throws(() => createModel({ session, forest, card: renamed }), /differ in features/);
  });

  it('refuses a vector of another length', async () => {
    const { model } = setup();
    await assert.rejects(model.predict([vector(1)]), /feature vector length/);
  });
});

describe('parseForest', () => {
  it('refuses cycles, foreign features and trees that are too deep', () => {
    const [tree] = treesJson.trees;
    const broken = (change: object) => ({ ...treesJson, trees: [{ ...tree, ...change }] });
    assert.throws(() => parseForest(broken({ left: [0, -1, 3, -1, -1] })), /deeper than/);
    assert.throws(() => parseForest(broken({ feature: [0, -1, 2, -1, -1] })), /out of range/);
    assert.throws(
      () => parseForest(broken({ right: [1, -1, 4, -1, -1] })),
      /unreachable or shared/,
    );
    assert.throws(() => parseForest(broken({ cover: [1] })), /differ in length/);
  });
});
