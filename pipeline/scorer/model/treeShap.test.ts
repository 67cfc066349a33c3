import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createRandom } from '../../training/syntheticPools.ts';
import { evaluateForest, type Forest, parseForest } from './forest.ts';
import { createTreeShap } from './treeShap.ts';

const FEATURES = 4;

type TreeJson = Record<'feature' | 'value' | 'left' | 'right' | 'missingLeft' | 'cover', number[]>;

/** A random tree whose covers add up; the same feature may occur twice on a path. */
const randomTree = (random: () => number, depth: number): TreeJson => {
  const tree: TreeJson = {
    feature: [],
    value: [],
    left: [],
    right: [],
    missingLeft: [],
    cover: [],
  };
  const grow = (level: number, cover: number): number => {
    const node = tree.feature.length;
    const isLeaf = level === depth || random() < 0.15;
    tree.feature.push(isLeaf ? -1 : Math.floor(random() * FEATURES));
    tree.value.push(isLeaf ? random() * 2 - 1 : random());
    tree.left.push(-1);
    tree.right.push(-1);
    tree.missingLeft.push(random() < 0.5 ? 1 : 0);
    tree.cover.push(cover);
    if (isLeaf) return node;
    const leftCover = cover * (0.1 + 0.8 * random());
    tree.left[node] = grow(level + 1, leftCover);
    tree.right[node] = grow(level + 1, cover - leftCover);
    return node;
  };
  grow(0, 100);
  return tree;
};

const randomForest = (random: () => number): Forest =>
  parseForest({
    name: 'random',
    features: Array.from({ length: FEATURES }, (_, i) => `f${i}`),
    baseMargin: 0.25,
    trees: [randomTree(random, 5), randomTree(random, 3), randomTree(random, 1)],
  });

const randomRow = (random: () => number): Float32Array =>
  Float32Array.from({ length: FEATURES }, () => (random() < 0.2 ? Number.NaN : random()));

/** The expected margin when only the features in `known` (a bit set) are known: the definition. */
const expectation = (forest: Forest, row: Float32Array, known: number): number => {
  const below = (node: number): number => {
    const column = forest.feature[node] ?? -1;
    if (column === -1) return forest.value[node] ?? 0;
    const left = forest.left[node] ?? 0;
    const right = forest.right[node] ?? 0;
    if ((known & (1 << column)) === 0) {
      return (forest.share[left] ?? 0) * below(left) + (forest.share[right] ?? 0) * below(right);
    }
    const x = row[column] ?? Number.NaN;
    const goesLeft = Number.isNaN(x)
      ? forest.missingLeft[node] === 1
      : x < (forest.value[node] ?? 0);
    return below(goesLeft ? left : right);
  };
  return forest.roots.reduce((sum, root) => sum + below(root), forest.baseMargin);
};

const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));

/** Shapley values by enumerating all subsets. */
const bruteForce = (forest: Forest, row: Float32Array): number[] =>
  Array.from({ length: FEATURES }, (_, column) => {
    let value = 0;
    for (let set = 0; set < 1 << FEATURES; set += 1) {
      if ((set & (1 << column)) !== 0) continue;
      const size = set.toString(2).replaceAll('0', '').length;
      const weight = (factorial(size) * factorial(FEATURES - size - 1)) / factorial(FEATURES);
      value +=
        weight * (expectation(forest, row, set | (1 << column)) - expectation(forest, row, set));
    }
    return value;
  });

const assertNear = (actual: number, expected: number, tolerance: number): void => {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not near ${expected}`);
};

const read = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));
const readJson = (name: string): unknown =>
  JSON.parse((name.endsWith('.gz') ? gunzipSync(read(name)) : read(name)).toString());

describe('createTreeShap', () => {
  it('equals the Shapley values by definition on random trees with missing values', () => {
    const random = createRandom(11);
    for (let round = 0; round < 100; round += 1) {
      const forest = randomForest(random);
      const row = randomRow(random);
      const expected = bruteForce(forest, row);
      createTreeShap(forest)(row).forEach((value, i) => assertNear(value, expected[i] ?? 0, 1e-12));
    }
  });

  it('adds up to the margin with the base value', () => {
    const random = createRandom(12);
    for (let round = 0; round < 200; round += 1) {
      const forest = randomForest(random);
      const row = randomRow(random);
      const sum = createTreeShap(forest)(row).reduce((total, v) => total + v, forest.baseValue);
      assertNear(sum, evaluateForest(forest, row), 1e-9);
    }
  });

  const equalsXgboost = (trees: string, fixture: string, rowsMin: number): void => {
    const forest = parseForest(readJson(trees));
    const explain = createTreeShap(forest);
    const reference = readJson(fixture) as {
      rows: (number | null)[][];
      margins: number[];
      contributions: number[][];
    };
    assert.ok(reference.rows.length >= rowsMin);
    reference.rows.forEach((cells, i) => {
      const row = Float32Array.from(cells, (v) => v ?? Number.NaN);
      const contributions = explain(row);
      const margin = evaluateForest(forest, row);
      const expected = reference.contributions[i] ?? [];
      assertNear(margin, reference.margins[i] ?? Number.NaN, 1e-5);
      assertNear(
        contributions.reduce((total, v) => total + v, forest.baseValue),
        margin,
        1e-9,
      );
      contributions.forEach((v, column) => assertNear(v, expected[column] ?? Number.NaN, 1e-4));
      assertNear(forest.baseValue, expected.at(-1) ?? Number.NaN, 1e-4);
    });
  };

  it('equals the contributions and margins that xgboost gives for the pool model', () => {
    equalsXgboost('artifacts/trees.json', 'fixtures/xgboostReference.json.gz', 1_000);
  });

  it('equals those that xgboost gives for the contract model', () => {
    equalsXgboost('contractArtifacts/trees.json', 'fixtures/contractReference.json.gz', 200);
  });

  it('gives many rows at once what it gives one by one', () => {
    const random = createRandom(13);
    const forest = randomForest(random);
    const explain = createTreeShap(forest);
    const rows = Array.from({ length: 20 }, () => randomRow(random));
    const together = explain(Float32Array.from(rows.flatMap((row) => [...row])));
    assert.deepEqual(
      [...together],
      rows.flatMap((row) => [...explain(row)]),
    );
  });

  it('refuses a row of another length', () => {
    const explain = createTreeShap(randomForest(createRandom(1)));
    assert.throws(() => explain(new Float32Array(FEATURES + 1)), /row length/);
  });
});
