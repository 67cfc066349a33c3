import assert from 'node:assert/strict';
import { type Branch, branchTables } from './branchTables.ts';
import { decideNodes, type Forest } from './forest.ts';

/** The branches of `branchTables` in flat arrays; entry n + 1 of a `…Start` array ends branch n. */
type FlatBranches = {
  /** The first branch of each tree, and one past the last branch. */
  treeStart: Int32Array;
  stepStart: Int32Array;
  stepNode: Int32Array;
  /** What the decision at the node must be for the way to go on: 1 is left. */
  stepDecision: Uint8Array;
  stepSlot: Uint8Array;
  pathSlots: Uint8Array;
  nodeStart: Int32Array;
  node: Int32Array;
  featureStart: Int32Array;
  feature: Int32Array;
  tableStart: Int32Array;
  table: Float64Array;
};

const starts = (sizes: readonly number[]): Int32Array => {
  const ends = new Int32Array(sizes.length + 1);
  sizes.forEach((size, i) => {
    ends[i + 1] = (ends[i] ?? 0) + size;
  });
  return ends;
};

const flatten = (trees: readonly (readonly Branch[])[]): FlatBranches => {
  const branches = trees.flat();
  const steps = branches.flatMap(({ path }) => path);
  const tableStart = starts(branches.map(({ contributions }) => contributions.length));
  const table = new Float64Array(tableStart.at(-1) ?? 0);
  branches.forEach(({ contributions }, i) => table.set(contributions, tableStart[i]));
  return {
    treeStart: starts(trees.map((tree) => tree.length)),
    stepStart: starts(branches.map(({ path }) => path.length)),
    stepNode: Int32Array.from(steps, ({ node }) => node),
    stepDecision: Uint8Array.from(steps, ({ isLeft }) => (isLeft ? 1 : 0)),
    stepSlot: Uint8Array.from(steps, ({ slot }) => slot),
    pathSlots: Uint8Array.from(branches, ({ pathSlots }) => pathSlots),
    nodeStart: starts(branches.map(({ nodes }) => nodes.length)),
    node: Int32Array.from(branches.flatMap(({ nodes }) => nodes)),
    featureStart: starts(branches.map(({ features }) => features.length)),
    feature: Int32Array.from(branches.flatMap(({ features }) => features)),
    tableStart,
    table,
  };
};

/** The index by which a branch sees a row. Without branching: a row's ways are as good as random to a processor. */
const indexOf = (flat: FlatBranches, branch: number, decisions: Uint8Array): number => {
  const { stepStart, stepNode, stepDecision, stepSlot, nodeStart, node } = flat;
  let missed = 0;
  for (let i = stepStart[branch] as number; i < (stepStart[branch + 1] as number); i += 1) {
    const isOther = (decisions[stepNode[i] as number] as number) ^ (stepDecision[i] as number);
    missed |= isOther << (stepSlot[i] as number);
  }
  let bit = flat.pathSlots[branch] as number;
  let index = ((1 << bit) - 1) & ~missed;
  for (let i = nodeStart[branch] as number; i < (nodeStart[branch + 1] as number); i += 1) {
    index |= (decisions[node[i] as number] as number) << bit;
    bit += 1;
  }
  return index;
};

/** Adds to a row's contributions, from `offset` on, what a tree gives. Indices are in range by design. */
const addTree = (
  flat: FlatBranches,
  tree: number,
  decisions: Uint8Array,
  contributions: Float64Array,
  offset: number,
): void => {
  const { treeStart, featureStart, feature, table } = flat;
  const end = treeStart[tree + 1] as number;
  for (let branch = treeStart[tree] as number; branch < end; branch += 1) {
    const first = featureStart[branch] as number;
    const width = (featureStart[branch + 1] as number) - first;
    const row = (flat.tableStart[branch] as number) + indexOf(flat, branch, decisions) * width;
    for (let i = 0; i < width; i += 1) {
      const place = offset + (feature[first + i] as number);
      contributions[place] = (contributions[place] as number) + (table[row + i] as number);
    }
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
  const flat = flatten(branchTables(forest));
  const columns = forest.featureNames.length;
  const decisions = new Uint8Array(forest.feature.length);
  return (rows) => {
    assert.ok(rows.length > 0 && rows.length % columns === 0, 'row length');
    const contributions = new Float64Array(rows.length);
    // Tree by tree over all rows, so that the tables of a tree stay in the cache.
    for (let tree = 0; tree < forest.roots.length; tree += 1) {
      for (let offset = 0; offset < rows.length; offset += columns) {
        decideNodes(forest, tree, rows, offset, decisions);
        addTree(flat, tree, decisions, contributions, offset);
      }
    }
    return contributions;
  };
};
