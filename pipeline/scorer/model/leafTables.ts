import assert from 'node:assert/strict';
import { type Forest, TREE_DEPTH_MAX } from './forest.ts';

/** Bounds the memory of the tables: 8 million doubles are 64 MB, depth 4 with 250 trees needs 0.2 million. */
const TABLE_ENTRIES_MAX = 8_000_000;

/**
 * One leaf of a forest with what TreeSHAP needs of its path. A slot is a distinct feature of the path. A row
 * is seen by the leaf as a bit set: bit i is set when the row passes every split of slot i towards the leaf.
 */
export type Leaf = {
  /** The splits on the path: the node, whether the path goes left there, and the slot of its feature. */
  steps: { node: number; isLeft: boolean; slot: number }[];
  /** The feature of each slot. */
  features: number[];
  /** For every bit set, one contribution per slot. */
  contributions: Float64Array;
};

/**
 * EXTEND of the paper for all entries of a path: the weights of its subsets by size. `zero` and `one` are the
 * shares of the training weight that follow the path when the entry's feature is unknown and known.
 */
const extendAll = (zero: readonly number[], one: readonly number[]): number[] => {
  const weights: number[] = [1];
  zero.forEach((zeroShare, entry) => {
    const length = entry + 1;
    weights.push(0);
    for (let i = length - 1; i >= 0; i -= 1) {
      const before = weights[i] ?? 0;
      weights[i + 1] =
        (weights[i + 1] ?? 0) + ((one[entry] ?? 0) * before * (i + 1)) / (length + 1);
      weights[i] = (zeroShare * before * (length - i)) / (length + 1);
    }
  });
  return weights;
};

/** The sum of the weights that UNWIND of the paper leaves after taking out an entry with these shares. */
const unwoundSum = (weights: readonly number[], zero: number, one: number): number => {
  const last = weights.length - 1;
  let sum = 0;
  let next = weights[last] ?? 0;
  for (let i = last - 1; i >= 0; i -= 1) {
    const before = weights[i] ?? 0;
    if (one === 0) {
      sum += before / (zero * (last - i));
    } else {
      const unwound = next / ((i + 1) * one);
      sum += unwound;
      next = before - unwound * zero * (last - i);
    }
  }
  return sum * (last + 1);
};

/** The contributions of a leaf for every bit set of slots, given the unknown share of each slot. */
const contributionTable = (leafValue: number, zero: readonly number[]): Float64Array => {
  const slots = zero.length;
  const table = new Float64Array(slots << slots);
  for (let set = 0; set < 1 << slots; set += 1) {
    const one = zero.map((_, slot) => (set >> slot) & 1);
    const weights = extendAll(zero, one);
    zero.forEach((zeroShare, slot) => {
      const oneShare = one[slot] ?? 0;
      table[set * slots + slot] =
        unwoundSum(weights, zeroShare, oneShare) * (oneShare - zeroShare) * leafValue;
    });
  }
  return table;
};

/** The leaves of each tree of a forest with their tables. Splits on one feature along a path share a slot. */
export const leafTables = (forest: Forest): Leaf[][] => {
  let leaves: Leaf[] = [];
  let entries = 0;
  const visit = (node: number, steps: Leaf['steps'], features: number[], zero: number[]): void => {
    assert.ok(steps.length <= TREE_DEPTH_MAX, 'tree depth');
    const feature = forest.feature[node] ?? -1;
    if (feature === -1) {
      entries += zero.length << zero.length;
      assert.ok(entries <= TABLE_ENTRIES_MAX, 'the trees are too deep for attribution tables');
      const contributions = contributionTable(forest.value[node] ?? 0, zero);
      leaves.push({ steps, features, contributions });
      return;
    }
    const known = features.indexOf(feature);
    const slot = known === -1 ? features.length : known;
    for (const isLeft of [true, false]) {
      const child = (isLeft ? forest.left[node] : forest.right[node]) ?? 0;
      const childZero = [...zero];
      childZero[slot] = (zero[slot] ?? 1) * (forest.share[child] ?? 0);
      const childFeatures = known === -1 ? [...features, feature] : features;
      visit(child, [...steps, { node, isLeft, slot }], childFeatures, childZero);
    }
  };
  return Array.from(forest.roots, (root) => {
    leaves = [];
    visit(root, [], [], []);
    return leaves;
  });
};
