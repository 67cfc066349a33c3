import assert from 'node:assert/strict';
import { decideNodes, type Forest } from './forest.ts';
import { leafTables } from './leafTables.ts';

/** The leaves of `leafTables` in flat arrays; entry n + 1 of a `…Start` array ends leaf n. */
type FlatLeaves = {
  /** The first leaf of each tree, and one past the last leaf. */
  treeStart: Int32Array;
  stepStart: Int32Array;
  stepNode: Int32Array;
  /** What the decision at the node must be for the path to go on: 1 is left. */
  stepDecision: Uint8Array;
  stepSlot: Uint8Array;
  slotStart: Int32Array;
  slotFeature: Int32Array;
  tableStart: Int32Array;
  table: Float64Array;
};

const flatten = (forest: Forest): FlatLeaves => {
  const trees = leafTables(forest);
  const leaves = trees.flat();
  const total = (size: (leaf: (typeof leaves)[number]) => number): number =>
    leaves.reduce((sum, leaf) => sum + size(leaf), 0);
  const steps = total((leaf) => leaf.steps.length);
  const flat: FlatLeaves = {
    treeStart: new Int32Array(trees.length + 1),
    stepStart: new Int32Array(leaves.length + 1),
    stepNode: new Int32Array(steps),
    stepDecision: new Uint8Array(steps),
    stepSlot: new Uint8Array(steps),
    slotStart: new Int32Array(leaves.length + 1),
    slotFeature: new Int32Array(total((leaf) => leaf.features.length)),
    tableStart: new Int32Array(leaves.length + 1),
    table: new Float64Array(total((leaf) => leaf.contributions.length)),
  };
  trees.forEach((tree, index) => {
    flat.treeStart[index + 1] = (flat.treeStart[index] ?? 0) + tree.length;
  });
  let step = 0;
  let slot = 0;
  let entry = 0;
  leaves.forEach((leaf, index) => {
    for (const { node, isLeft, slot: stepSlot } of leaf.steps) {
      flat.stepNode[step] = node;
      flat.stepDecision[step] = isLeft ? 1 : 0;
      flat.stepSlot[step] = stepSlot;
      step += 1;
    }
    flat.slotFeature.set(leaf.features, slot);
    slot += leaf.features.length;
    flat.table.set(leaf.contributions, entry);
    entry += leaf.contributions.length;
    flat.stepStart[index + 1] = step;
    flat.slotStart[index + 1] = slot;
    flat.tableStart[index + 1] = entry;
  });
  return flat;
};

/** Adds to a row's contributions, from `offset` on, what each leaf of a tree gives. Indices are in range by design. */
const addLeaves = (
  leaves: FlatLeaves,
  tree: number,
  decisions: Uint8Array,
  contributions: Float64Array,
  offset: number,
): void => {
  const { stepStart, stepNode, stepDecision, stepSlot, slotStart, slotFeature } = leaves;
  const firstLeaf = leaves.treeStart[tree] as number;
  const endLeaf = leaves.treeStart[tree + 1] as number;
  let step = stepStart[firstLeaf] as number;
  for (let leaf = firstLeaf; leaf < endLeaf; leaf += 1) {
    const firstSlot = slotStart[leaf] as number;
    const slots = (slotStart[leaf + 1] as number) - firstSlot;
    // Without a branch: which way a row goes is as good as random to the processor.
    let missed = 0;
    for (const end = stepStart[leaf + 1] as number; step < end; step += 1) {
      const isOther =
        (decisions[stepNode[step] as number] as number) ^ (stepDecision[step] as number);
      missed |= isOther << (stepSlot[step] as number);
    }
    const set = ((1 << slots) - 1) & ~missed;
    const row = (leaves.tableStart[leaf] as number) + set * slots;
    for (let slot = 0; slot < slots; slot += 1) {
      const place = offset + (slotFeature[firstSlot + slot] as number);
      contributions[place] =
        (contributions[place] as number) + (leaves.table[row + slot] as number);
    }
  }
};

/**
 * Creates the explainer of a forest: exact path-dependent TreeSHAP (Lundberg, Erion and Lee 2018, "Consistent
 * individualized feature attribution for tree ensembles", Algorithm 2). A leaf's part depends on the row only
 * through which features of its path lead to it, so the algorithm runs once per leaf and such set when the
 * explainer is created (Yang 2021, "Fast TreeSHAP", version 2), and a row only looks results up.
 * It takes one or more rows end to end and returns as many rows of contributions in log-odds, one per feature;
 * a row's sum plus `forest.baseValue` is its margin. Tree by tree over all rows, so that a tree's tables stay
 * in the cache: many rows at once cost less than half of one by one.
 */
export const createTreeShap = (forest: Forest): ((rows: Float32Array) => Float64Array) => {
  const leaves = flatten(forest);
  const columns = forest.featureNames.length;
  const decisions = new Uint8Array(forest.feature.length);
  return (rows) => {
    assert.ok(rows.length > 0 && rows.length % columns === 0, 'row length');
    const contributions = new Float64Array(rows.length);
    for (let tree = 0; tree < forest.roots.length; tree += 1) {
      for (let offset = 0; offset < rows.length; offset += columns) {
        decideNodes(forest, tree, rows, offset, decisions);
        addLeaves(leaves, tree, decisions, contributions, offset);
      }
    }
    return contributions;
  };
};
