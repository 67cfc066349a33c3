import assert from 'node:assert/strict';
import { it } from 'node:test';
import { creatorFeatures, creatorRecord, type PoolLife, poolLife } from './creatorRecord.ts';

const life = (...rows: [timestampS: number, reserveBase: number][]): PoolLife => {
  const made = poolLife(rows.map(([timestampS, reserveBase]) => ({ timestampS, reserveBase })));
  assert.ok(made);
  return made;
};

const drainedEarly = life([0, 10], [50, 0.4]);
const cameBack = life([10, 10], [20, 0.1], [40, 9]);
const drainedLater = life([30, 10], [200, 0]);

it('counts what was drained before the first Sync, not what came later', () => {
  const made = [drainedEarly, cameBack, drainedLater, life([100, 5])];
  assert.deepEqual(creatorRecord(made, 100), { pools: 3, drained: 1, lastFirstSyncS: 30 });
  assert.deepEqual(creatorRecord(made, 50), { pools: 3, drained: 0, lastFirstSyncS: 30 });
  assert.deepEqual(creatorRecord(made, 30), { pools: 2, drained: 1, lastFirstSyncS: 10 });
  assert.deepEqual(creatorRecord(made, 0), { pools: 0, drained: 0, lastFirstSyncS: undefined });
  assert.equal(poolLife([]), undefined);
});

it('leaves missing what an unknown or new creator has not', () => {
  assert.ok(Object.values(creatorFeatures(undefined, 5)).every(Number.isNaN));
  assert.deepEqual(creatorFeatures({ pools: 0, drained: 0, lastFirstSyncS: undefined }, 5), {
    creatorPools: 0,
    creatorDrained: 0,
    creatorDrainedShare: Number.NaN,
    creatorGapS: Number.NaN,
  });
  assert.equal(creatorFeatures({ pools: 4, drained: 1, lastFirstSyncS: 2 }, 5).creatorGapS, 3);
});
