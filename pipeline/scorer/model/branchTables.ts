import assert from 'node:assert/strict';
import type { Forest } from './forest.ts';
import { type Leaf, leafTables } from './leafTables.ts';

/** Splits below the top of a branch, at most: 3 splits on 2 levels, so up to 4 leaves are answered at once. */
const BRANCH_HEIGHT_MAX = 2;
/** Bounds the memory of the tables: 16 million doubles are 128 MB, 250 trees of depth 5 need 2 million. */
const TABLE_ENTRIES_MAX = 16_000_000;

/**
 * The leaves below one node with what TreeSHAP gives for all of them together. A row is seen as an index:
 * bit i is set when it passes every split of slot i on the way to the node; then follows one bit for each
 * split of the branch itself, set when the row goes left there.
 */
export type Branch = {
  /** Splits above the branch: the node, whether the way goes left there, and the slot of its feature. */
  path: Leaf['steps'];
  pathSlots: number;
  /** Splits of the branch. */
  nodes: number[];
  features: number[];
  /** For every index, one contribution for each of `features`. */
  contributions: Float64Array;
};

const heightOf = (forest: Forest, node: number): number =>
  forest.feature[node] === -1
    ? 0
    : 1 +
      Math.max(heightOf(forest, forest.left[node] ?? 0), heightOf(forest, forest.right[node] ?? 0));

/** How many splits of a leaf's way are above its branch. */
const stepsAbove = (forest: Forest, leaf: Leaf): number => {
  const top = leaf.steps.findIndex(({ node }) => heightOf(forest, node) <= BRANCH_HEIGHT_MAX);
  return top === -1 ? leaf.steps.length : top;
};

const distinct = (values: readonly number[]): number[] => [...new Set(values)];

/** The bit set by which a leaf sees a row of this index. */
const leafSet = (leaf: Leaf, above: number, branch: Branch, index: number): number => {
  let set = (1 << leaf.features.length) - 1;
  const passed = (1 << branch.pathSlots) - 1;
  set &= ~(passed & ~index);
  for (const { node, isLeft, slot } of leaf.steps.slice(above)) {
    const bit = branch.pathSlots + branch.nodes.indexOf(node);
    if (((index >> bit) & 1) !== (isLeft ? 1 : 0)) set &= ~(1 << slot);
  }
  return set;
};

const addLeaf = (branch: Branch, leaf: Leaf, above: number): void => {
  const width = branch.features.length;
  const places = leaf.features.map((feature) => branch.features.indexOf(feature));
  const indices = 1 << (branch.pathSlots + branch.nodes.length);
  for (let index = 0; index < indices; index += 1) {
    const row = leafSet(leaf, above, branch, index) * places.length;
    places.forEach((place, slot) => {
      const entry = index * width + place;
      branch.contributions[entry] =
        (branch.contributions[entry] ?? 0) + (leaf.contributions[row + slot] ?? 0);
    });
  }
};

const branchOf = (leaves: readonly Leaf[], above: number): Branch => {
  const path = leaves[0]?.steps.slice(0, above) ?? [];
  const pathSlots = distinct(path.map(({ slot }) => slot)).length;
  const nodes = distinct(leaves.flatMap(({ steps }) => steps.slice(above).map(({ node }) => node)));
  const features = distinct(leaves.flatMap((leaf) => leaf.features));
  const entries = features.length << (pathSlots + nodes.length);
  return { path, pathSlots, nodes, features, contributions: new Float64Array(entries) };
};

/** The branches of each tree of a forest, with their tables. */
export const branchTables = (forest: Forest): Branch[][] => {
  let entries = 0;
  return leafTables(forest).map((leaves) => {
    const groups = new Map<string, { above: number; leaves: Leaf[] }>();
    for (const leaf of leaves) {
      const above = stepsAbove(forest, leaf);
      const key = leaf.steps
        .slice(0, above)
        .map(({ node, isLeft }) => `${node}${isLeft ? 'l' : 'r'}`)
        .join(' ');
      const group = groups.get(key);
      if (group) group.leaves.push(leaf);
      else groups.set(key, { above, leaves: [leaf] });
    }
    return [...groups.values()].map((group) => {
      const branch = branchOf(group.leaves, group.above);
      entries += branch.contributions.length;
      assert.ok(entries <= TABLE_ENTRIES_MAX, 'the trees are too deep for attribution tables');
      for (const leaf of group.leaves) addLeaf(branch, leaf, group.above);
      return branch;
    });
  });
};
