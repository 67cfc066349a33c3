import assert from 'node:assert/strict';
import { type Forest, goesLeft, TREE_DEPTH_MAX } from './forest.ts';

/**
 * TreeSHAP results for all leaves below one node. A row is represented by an index: bit i is set if it goes left at
 * `nodes[i]`, the splits above and among the leaves.
 */
type Branch = {
  nodes: Int32Array;
  features: Int32Array;
  /** For every index, one contribution for each of `features`. */
  table: Float64Array;
};

/** A split on the path to a leaf; splits on one feature share a slot. */
type Step = { node: number; isLeft: boolean; slot: number };

/** A leaf; a row passes a slot if it goes this way at all of its splits. */
type Leaf = {
  steps: readonly Step[];
  /** The feature of each slot. */
  features: readonly number[];
  /** For every set of passed slots, one contribution for each slot. */
  contributions: Float64Array;
};

/**
 * Maximum levels of splits in a branch: 7 splits, so that up to 8 leaves are looked up at once. Leaf by leaf the pool
 * model takes twice as long; with one level more a table has 32,768 rows.
 */
const BRANCH_HEIGHT_MAX = 3;
/**
 * Bounds the memory of the tables: 8 million doubles are 64 MB; 470 trees of depth 3 and 4 need half a million.
 */
const TABLE_ENTRIES_MAX = 8_000_000;

/**
 * EXTEND of the paper for all entries of a path: the weights of its subsets by size. `zero` and `one` are the shares
 * of the training weight that follow the path when the entry's feature is unknown and known.
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

/** The sum of the weights that UNWIND of the paper leaves after removing an entry with these shares. */
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

const heightOf = (forest: Forest, node: number): number =>
  forest.feature[node] === -1
    ? 0
    : 1 +
      Math.max(heightOf(forest, forest.left[node] ?? 0), heightOf(forest, forest.right[node] ?? 0));

/** The leaves of a tree, grouped by branch. */
const leavesByBranch = (forest: Forest, root: number): Leaf[][] => {
  const groups: Leaf[][] = [];
  const visit = (
    node: number,
    steps: Step[],
    features: number[],
    zero: number[],
    within?: Leaf[],
  ) => {
    assert.ok(steps.length <= TREE_DEPTH_MAX, 'tree depth');
    let group = within;
    if (!group && heightOf(forest, node) <= BRANCH_HEIGHT_MAX) {
      group = [];
      groups.push(group);
    }
    const feature = forest.feature[node] ?? -1;
    if (feature === -1) {
      group?.push({
        steps,
        features,
        contributions: contributionTable(forest.value[node] ?? 0, zero),
      });
      return;
    }
    const known = features.indexOf(feature);
    const slot = known === -1 ? features.length : known;
    for (const isLeft of [true, false]) {
      const child = (isLeft ? forest.left[node] : forest.right[node]) ?? 0;
      const childZero = [...zero];
      childZero[slot] = (zero[slot] ?? 1) * (forest.share[child] ?? 0);
      const childFeatures = known === -1 ? [...features, feature] : features;
      visit(child, [...steps, { node, isLeft, slot }], childFeatures, childZero, group);
    }
  };
  visit(root, [], [], []);
  return groups;
};

const distinct = (values: readonly number[]): number[] => [...new Set(values)];

/** The slots of a leaf that a row with this index passes, as a bit set. */
const passedBy = ({ steps, features }: Leaf, nodes: readonly number[], index: number): number => {
  let passed = (1 << features.length) - 1;
  for (const { node, isLeft, slot } of steps) {
    if (((index >> nodes.indexOf(node)) & 1) !== (isLeft ? 1 : 0)) passed &= ~(1 << slot);
  }
  return passed;
};

/** Combines the tables of a branch's leaves. */
const branchOf = (leaves: readonly Leaf[]): Branch => {
  const nodes = distinct(leaves.flatMap(({ steps }) => steps.map(({ node }) => node)));
  const features = distinct(leaves.flatMap((leaf) => leaf.features));
  const width = features.length;
  assert.ok(
    width << nodes.length <= TABLE_ENTRIES_MAX,
    'the trees are too deep for attribution tables',
  );
  const table = new Float64Array(width << nodes.length);
  for (const leaf of leaves) {
    const places = leaf.features.map((feature) => features.indexOf(feature));
    for (let index = 0; index < 1 << nodes.length; index += 1) {
      const row = passedBy(leaf, nodes, index) * places.length;
      places.forEach((place, slot) => {
        const entry = index * width + place;
        table[entry] = (table[entry] ?? 0) + (leaf.contributions[row + slot] ?? 0);
      });
    }
  }
  return { nodes: Int32Array.from(nodes), features: Int32Array.from(features), table };
};

/** Adds a branch's contributions to the row at `offset`. Indices are in range by design. */
const addBranch = (
  forest: Forest,
  { nodes, features, table }: Branch,
  rows: Float32Array,
  offset: number,
  contributions: Float64Array,
): void => {
  let index = 0;
  for (let i = 0; i < nodes.length; i += 1) {
    if (goesLeft(forest, rows, offset, nodes[i] as number)) index |= 1 << i;
  }
  const row = index * features.length;
  for (let i = 0; i < features.length; i += 1) {
    const place = offset + (features[i] as number);
    contributions[place] = (contributions[place] as number) + (table[row + i] as number);
  }
};

/**
 * Creates the explainer of a forest: exact path-dependent TreeSHAP (Lundberg, Erion and Lee 2018, "Consistent
 * individualized feature attribution for tree ensembles", Algorithm 2). A leaf's part depends on the row only
 * through which features of its path lead to it, so the algorithm runs once per leaf and such set when the
 * explainer is created (Yang 2021, "Fast TreeSHAP", version 2), the tables of neighbouring leaves are joined,
 * and a row only looks results up. It takes one or more rows end to end and returns as many rows of
 * contributions in log-odds, one per feature; a row's sum plus `forest.baseValue` is its margin.
 */
export const createTreeShap = (forest: Forest): ((rows: Float32Array) => Float64Array) => {
  const branches = Array.from(forest.roots, (root) => leavesByBranch(forest, root))
    .flat()
    .map(branchOf);
  const entries = branches.reduce((sum, { table }) => sum + table.length, 0);
  assert.ok(entries <= TABLE_ENTRIES_MAX, 'the trees are too deep for attribution tables');
  const columns = forest.featureNames.length;
  return (rows) => {
    assert.ok(rows.length > 0 && rows.length % columns === 0, 'row length');
    const contributions = new Float64Array(rows.length);
    // Branch by branch over all rows, so that its table stays in the CPU cache.
    for (const branch of branches) {
      for (let offset = 0; offset < rows.length; offset += columns) {
        addBranch(forest, branch, rows, offset, contributions);
      }
    }
    return contributions;
  };
};
