import assert from 'node:assert/strict';
import { z } from 'zod';

/** Deepest accepted tree: bounds the recursion of evaluation and TreeSHAP. */
export const TREE_DEPTH_MAX = 12;
const TREES_MAX = 5_000;

const treeSchema = z.object({
  feature: z.array(z.number().int().min(-1)).min(1),
  value: z.array(z.number().finite()),
  left: z.array(z.number().int()),
  right: z.array(z.number().int()),
  missingLeft: z.array(z.number().int().min(0).max(1)),
  cover: z.array(z.number().positive()),
});

const forestSchema = z.object({
  name: z.string(),
  features: z.array(z.string()).min(1),
  baseMargin: z.number().finite(),
  trees: z.array(treeSchema).min(1).max(TREES_MAX),
});

/**
 * Gradient-boosted trees in flat arrays over all nodes of all trees. A leaf has feature −1. An inner node
 * sends a row left when `float32(x) < threshold`, and a missing (NaN) x to its `missingLeft` side.
 */
export type Forest = {
  name: string;
  featureNames: readonly string[];
  baseMargin: number;
  roots: Int32Array;
  feature: Int32Array;
  /** The threshold of an inner node, the leaf value of a leaf. */
  value: Float32Array;
  left: Int32Array;
  right: Int32Array;
  missingLeft: Uint8Array;
  /** The share of the parent's training weight that reached this node; both children's shares sum to 1. */
  share: Float64Array;
  /** The expected margin over the training weight: base margin plus every tree's mean. */
  baseValue: number;
};

type Tree = z.infer<typeof treeSchema>;

const checkTree = (tree: Tree, featureCount: number): void => {
  const nodes = tree.feature.length;
  for (const column of [tree.value, tree.left, tree.right, tree.missingLeft, tree.cover]) {
    assert.equal(column.length, nodes, 'columns of a tree differ in length');
  }
  let reached = 0;
  const visit = (node: number, depth: number): void => {
    assert.ok(depth <= TREE_DEPTH_MAX, `a tree is deeper than ${TREE_DEPTH_MAX}`);
    const feature = tree.feature[node];
    assert.ok(feature !== undefined && feature < featureCount, 'a node or feature is out of range');
    reached += 1;
    if (feature === -1) return;
    visit(tree.left[node] ?? -1, depth + 1);
    visit(tree.right[node] ?? -1, depth + 1);
  };
  visit(0, 0);
  assert.equal(reached, nodes, 'a tree has unreachable or shared nodes');
};

/** The mean margin below a node, weighted by training weight. */
const meanBelow = (forest: Forest, node: number): number => {
  if (forest.feature[node] === -1) return forest.value[node] ?? 0;
  const children = [forest.left[node] ?? 0, forest.right[node] ?? 0];
  return children.reduce(
    (sum, child) => sum + (forest.share[child] ?? 0) * meanBelow(forest, child),
    0,
  );
};

/** Parses and validates the JSON trees of a model; throws if a tree is malformed or too deep. */
export const parseForest = (json: unknown): Forest => {
  const { name, features, baseMargin, trees } = forestSchema.parse(json);
  const nodes = trees.reduce((sum, tree) => sum + tree.feature.length, 0);
  const forest: Forest = {
    name,
    featureNames: features,
    baseMargin,
    roots: new Int32Array(trees.length),
    feature: new Int32Array(nodes),
    value: new Float32Array(nodes),
    left: new Int32Array(nodes),
    right: new Int32Array(nodes),
    missingLeft: new Uint8Array(nodes),
    share: new Float64Array(nodes).fill(1),
    baseValue: baseMargin,
  };
  let offset = 0;
  trees.forEach((tree, index) => {
    checkTree(tree, features.length);
    forest.roots[index] = offset;
    forest.feature.set(tree.feature, offset);
    forest.value.set(tree.value, offset);
    forest.missingLeft.set(tree.missingLeft, offset);
    tree.feature.forEach((feature, node) => {
      if (feature !== -1) linkChildren(forest, tree, node, offset);
    });
    forest.baseValue += meanBelow(forest, offset);
    offset += tree.feature.length;
  });
  return forest;
};

/** Shares are computed from both children's covers, not the parent's: float32 covers need not add up. */
const linkChildren = (forest: Forest, tree: Tree, node: number, offset: number): void => {
  const left = tree.left[node] ?? 0;
  const right = tree.right[node] ?? 0;
  const leftCover = tree.cover[left] ?? 0;
  const rightCover = tree.cover[right] ?? 0;
  forest.left[offset + node] = offset + left;
  forest.right[offset + node] = offset + right;
  forest.share[offset + left] = leftCover / (leftCover + rightCover);
  forest.share[offset + right] = rightCover / (leftCover + rightCover);
};

/** Whether the row that begins at `offset` goes left at an inner node. */
export const goesLeft = (
  forest: Forest,
  rows: Float32Array,
  offset: number,
  node: number,
): boolean => {
  const x = rows[offset + (forest.feature[node] as number)] as number;
  return Number.isNaN(x) ? forest.missingLeft[node] === 1 : x < (forest.value[node] as number);
};

/** The margin of one float32 row: base margin plus the leaf of every tree, summed in double precision. */
export const evaluateForest = (forest: Forest, row: Float32Array): number => {
  assert.equal(row.length, forest.featureNames.length, 'row length');
  const { feature, left, right, value } = forest;
  let margin = forest.baseMargin;
  for (const root of forest.roots) {
    let node = root;
    while (feature[node] !== -1) {
      node = (goesLeft(forest, row, 0, node) ? left[node] : right[node]) as number;
    }
    margin += value[node] as number;
  }
  return margin;
};
