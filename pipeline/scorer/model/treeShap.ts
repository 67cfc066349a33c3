import assert from 'node:assert/strict';
import { decideNodes, type Forest } from './forest.ts';
import { leafTables } from './leafTables.ts';

/** The leaves of `leafTables` in flat arrays; entry n + 1 of a `…Start` array ends leaf n. */
type FlatLeaves = {
  count: number;
  stepStart: Int32Array;
  stepNode: Int32Array;
  /** What the decision at the node must be for the path to go on: 1 is left. */
  stepDecision: Uint8Array;
  /** The slot's bit. */
  stepBit: Int32Array;
  slotStart: Int32Array;
  slotFeature: Int32Array;
  tableStart: Int32Array;
  table: Float64Array;
};

const flatten = (forest: Forest): FlatLeaves => {
  const leaves = leafTables(forest);
  const total = (size: (leaf: (typeof leaves)[number]) => number): number =>
    leaves.reduce((sum, leaf) => sum + size(leaf), 0);
  const steps = total((leaf) => leaf.steps.length);
  const flat: FlatLeaves = {
    count: leaves.length,
    stepStart: new Int32Array(leaves.length + 1),
    stepNode: new Int32Array(steps),
    stepDecision: new Uint8Array(steps),
    stepBit: new Int32Array(steps),
    slotStart: new Int32Array(leaves.length + 1),
    slotFeature: new Int32Array(total((leaf) => leaf.features.length)),
    tableStart: new Int32Array(leaves.length + 1),
    table: new Float64Array(total((leaf) => leaf.contributions.length)),
  };
  let step = 0;
  let slot = 0;
  let entry = 0;
  leaves.forEach((leaf, index) => {
    for (const { node, isLeft, slot: stepSlot } of leaf.steps) {
      flat.stepNode[step] = node;
      flat.stepDecision[step] = isLeft ? 1 : 0;
      flat.stepBit[step] = 1 << stepSlot;
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

/** Adds to `contributions` what each leaf gives for the row's decisions. Every index is in range by design. */
const addLeaves = (
  leaves: FlatLeaves,
  decisions: Uint8Array,
  contributions: Float64Array,
): void => {
  const { stepStart, stepNode, stepDecision, stepBit, slotStart, slotFeature } = leaves;
  let step = 0;
  for (let leaf = 0; leaf < leaves.count; leaf += 1) {
    const firstSlot = slotStart[leaf] as number;
    const slots = (slotStart[leaf + 1] as number) - firstSlot;
    let set = (1 << slots) - 1;
    for (const end = stepStart[leaf + 1] as number; step < end; step += 1) {
      if (decisions[stepNode[step] as number] !== stepDecision[step]) {
        set &= ~(stepBit[step] as number);
      }
    }
    const row = (leaves.tableStart[leaf] as number) + set * slots;
    for (let slot = 0; slot < slots; slot += 1) {
      const feature = slotFeature[firstSlot + slot] as number;
      contributions[feature] =
        (contributions[feature] as number) + (leaves.table[row + slot] as number);
    }
  }
};

/**
 * Creates the explainer of a forest: exact path-dependent TreeSHAP (Lundberg, Erion and Lee 2018, "Consistent
 * individualized feature attribution for tree ensembles", Algorithm 2). A leaf's part depends on the row only
 * through which features of its path lead to it, so the algorithm runs once per leaf and such set when the
 * explainer is created (Yang 2021, "Fast TreeSHAP", version 2), and a row only looks results up.
 * It returns one contribution in log-odds per feature; their sum plus `forest.baseValue` is the margin.
 */
export const createTreeShap = (forest: Forest): ((row: Float32Array) => Float64Array) => {
  const leaves = flatten(forest);
  const decisions = new Uint8Array(forest.feature.length);
  return (row) => {
    assert.equal(row.length, forest.featureNames.length, 'row length');
    const contributions = new Float64Array(row.length);
    decideNodes(forest, row, decisions);
    addLeaves(leaves, decisions, contributions);
    return contributions;
  };
};
