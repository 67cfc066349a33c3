import assert from 'node:assert/strict';
import { z } from 'zod';
import { slicesOf } from '../../../shared/platform/slicesOf.ts';
import { evaluateForest, type Forest } from './forest.ts';
import { createTreeShap } from './treeShap.ts';

/** ONNX sums leaves in single precision, the JSON trees in double: they may differ by this much in log-odds. */
const MARGIN_DIFFERENCE_MAX = 1e-4;
/** Contributions and tree evaluation are both in double precision. */
const ADDITIVITY_DIFFERENCE_MAX = 1e-9;
/** Rows per call of the session. */
const ROWS_PER_RUN_MAX = 1_024;

/** Distribution of a feature in the training data: up to ten bins of equally many rows. */
const spreadSchema = z.object({
  /** Boundaries of the bins; a value equal to one belongs to the upper bin. */
  edges: z.array(z.number()),
  /** Share of all rows in each bin, and of those without a value. */
  shares: z.array(z.number()),
  missing: z.number(),
});
export type FeatureSpread = z.infer<typeof spreadSchema>;

const cardSchema = z.object({
  name: z.string().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  features: z.array(z.string()).min(1),
  rugShareByAgeS: z.record(z.string().regex(/^\d+$/), z.number().gt(0).lt(1)),
  /** For features one hour after the first Sync; the model of contracts has none. */
  featureDeciles: z.record(spreadSchema).optional(),
});

/**
 * The fields of a model card that the service needs: the model's name, its hash, its features in order, the share of
 * rugs among the training snapshots by age in seconds (the prior of a probability at that age), and the distribution
 * of features.
 */
export type ModelCard = z.infer<typeof cardSchema>;

/** Parses `card.json` of a trained model; throws if it is malformed. */
export const parseModelCard = (json: unknown): ModelCard => cardSchema.parse(json);

/** The port to the ONNX model: one margin for each row of `columns` float32 values, NaN = missing. */
export type MarginSession = {
  /** SHA-256 of the model file, lower-case hex without 0x. */
  sha256: string;
  margins: (rows: Float32Array, columns: number) => Promise<Float32Array>;
};

/** The prediction for one feature vector. */
export type Prediction = {
  /** Log-odds of a rug; `baseValue` plus all contributions, within 1e-9. */
  margin: number;
  /** Calibrated probability of a rug: the logistic function of the margin. */
  probability: number;
  /** Log-odds that each feature added, by feature name. */
  contributions: Record<string, number>;
  /** The margin without any known feature: its mean over the training weight. */
  baseValue: number;
};

/** A loaded model; `sha256` is that of the ONNX file. */
export type Model = {
  name: string;
  sha256: string;
  featureNames: readonly string[];
  /** Share of rugs among the training snapshots, by age in seconds: the prior behind a probability. */
  rugShareByAgeS: Readonly<Record<string, number>>;
  /** Distribution of features in the training data; undefined if the card has none. */
  featureDeciles?: ModelCard['featureDeciles'];
  predict: (features: readonly Float64Array[]) => Promise<Prediction[]>;
};

/** The probability of a margin. Calibration is already part of the trees. */
export const probabilityOf = (margin: number): number => 1 / (1 + Math.exp(-margin));

/**
 * A model that computes every margin twice, by the ONNX session and by the JSON trees. Throws AssertionError if the two differ, or
 * if the contributions do not add up to the margin.
 */
export const createModel = (parts: {
  session: MarginSession;
  forest: Forest;
  card: ModelCard;
}): Model => {
  const { session, forest, card } = parts;
  assert.equal(session.sha256, card.sha256, 'the ONNX file is not the one of the model card');
  assert.equal(forest.name, card.name, 'the trees are not those of the model card');
  assert.deepEqual(forest.featureNames, card.features, 'trees and model card differ in features');
  const columns = card.features.length;
  const explain = createTreeShap(forest);

  // A template that is copied for every prediction: an object that grows name by name is a hash table to the engine.
  // With integers in it the engine would rebuild the layout of each copy field by field: 8 ms per verdict at the
  // head.
  const template = Object.fromEntries(card.features.map((name) => [name, 0.5]));
  const shape = JSON.parse(JSON.stringify(template)) as Record<string, number>;

  const predictRow = (
    row: Float32Array,
    attributed: Float64Array,
    onnxMargin: number,
  ): Prediction => {
    const margin = evaluateForest(forest, row);
    assert.ok(
      Math.abs(margin - onnxMargin) <= MARGIN_DIFFERENCE_MAX,
      `trees say ${margin}, ONNX says ${onnxMargin}`,
    );
    const sum = attributed.reduce((total, value) => total + value, forest.baseValue);
    assert.ok(
      Math.abs(sum - margin) <= ADDITIVITY_DIFFERENCE_MAX,
      `contributions add up to ${sum}, the margin is ${margin}`,
    );
    const contributions = { ...shape };
    card.features.forEach((name, i) => {
      contributions[name] = attributed[i] ?? 0;
    });
    const probability = probabilityOf(margin);
    return { margin, probability, contributions, baseValue: forest.baseValue };
  };

  const predictBatch = async (vectors: readonly Float64Array[]): Promise<Prediction[]> => {
    const rows = new Float32Array(vectors.length * columns);
    vectors.forEach((vector, i) => {
      assert.equal(vector.length, columns, 'feature vector length');
      rows.set(vector, i * columns);
    });
    const margins = await session.margins(rows, columns);
    assert.equal(margins.length, vectors.length, 'the session must answer every row');
    const attributed = explain(rows);
    return Array.from(margins, (margin, i) => {
      const [from, to] = [i * columns, (i + 1) * columns];
      return predictRow(rows.subarray(from, to), attributed.subarray(from, to), margin);
    });
  };

  const predict = async (features: readonly Float64Array[]): Promise<Prediction[]> => {
    const predictions: Prediction[] = [];
    for (const some of slicesOf(features, ROWS_PER_RUN_MAX)) {
      predictions.push(...(await predictBatch(some)));
    }
    return predictions;
  };

  const { name, sha256, features, rugShareByAgeS, featureDeciles } = card;
  return { name, sha256, featureNames: features, rugShareByAgeS, featureDeciles, predict };
};
