import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { PoolSync } from '../features/poolSync.ts';
import { countedPools } from './outcomeStore.ts';
import {
  type Observation,
  type ObservedPool,
  type Prediction,
  purchasesOf,
  tokenOutcome,
} from './tokenOutcome.ts';

const HOUR_S = 3_600;
const WEEK_S = 7 * 86_400;
const POOL = `0x${'a'.repeat(40)}` as const;
const OTHER_POOL = `0x${'b'.repeat(40)}` as const;

/** Rows of hours, base and tokens; each in a block of its own, counted from 100. */
const syncsOf = (...rows: [hours: number, base: number, tokens: number][]): PoolSync[] =>
  rows.map(([hours, reserveBase, reserveToken], i) => ({
    timestampS: hours * HOUR_S,
    blockNumber: 100 + i,
    reserveBase,
    reserveToken,
  }));

const poolOf = (syncs: PoolSync[], pool: Hex = POOL): ObservedPool => ({
  pool,
  syncs,
  purchases: purchasesOf(syncs),
});

const SCAM: Prediction = { prediction: 'SCAM', probability: 0.9, model: 'm', criticalCheck: '' };

const observation = (change: Partial<Observation> = {}): Observation => ({
  pools: [poolOf(syncsOf([0, 10, 1_000], [0.5, 12, 900], [24, 0.1, 900]))],
  verdict: SCAM,
  flaggedBlock: undefined,
  unsellableSinceS: undefined,
  observedUntilS: HOUR_S + WEEK_S,
  nativeUsd: 2_000,
  ...change,
});

describe('tokenOutcome', () => {
  it('labels from an hour after the first Sync, and counts what left', () => {
    assert.deepEqual(tokenOutcome(observation()), {
      pool: POOL,
      verdictAtS: HOUR_S,
      verdict: SCAM,
      outcome: 'rug',
      leadS: 23 * HOUR_S,
      // Twice the base: 2 · (12 − 0.1) · 2,000.
      leftUsd: 47_600,
      flag: undefined,
    });
  });

  it('waits for the end of the week, to the second', () => {
    assert.equal(tokenOutcome(observation({ observedUntilS: HOUR_S + WEEK_S - 1 })), undefined);
  });

  it('leaves out who has no verdict and whom no one traded', () => {
    assert.equal(tokenOutcome(observation({ verdict: undefined })), undefined);
    assert.equal(tokenOutcome(observation({ pools: [] })), undefined);
  });

  it('counts a pool that grew as no loss', () => {
    const syncs = syncsOf([0, 10, 1_000], [30, 15, 700]);
    const found = tokenOutcome(observation({ pools: [poolOf(syncs)] }));
    assert.equal(found?.outcome, 'survived');
    assert.equal(found?.leadS, undefined);
    assert.equal(found?.leftUsd, 0);
  });

  it('excludes what was drained or too small at the time of the verdict', () => {
    for (const syncs of [syncsOf([0, 10, 10], [0.9, 0.1, 10]), syncsOf([0, 0.4, 10])]) {
      assert.equal(tokenOutcome(observation({ pools: [poolOf(syncs)] }))?.outcome, 'excluded');
    }
  });

  it('takes the pool that had held most within the hour', () => {
    const small = poolOf(syncsOf([0, 2, 10], [50, 900, 10]));
    const large = poolOf(syncsOf([0.9, 3, 10]), OTHER_POOL);
    assert.equal(tokenOutcome(observation({ pools: [small, large] }))?.pool, OTHER_POOL);
    assert.equal(tokenOutcome(observation({ pools: [small, large] }))?.verdictAtS, HOUR_S);
  });

  it('measures from the flag: what stood, what was left a week later, what was bought in between', () => {
    const syncs = syncsOf(
      [0, 10, 1_000],
      [2, 12, 850], // Bought before the flag.
      [3, 13, 780], // Bought after it: 1.
      [4, 12.5, 820], // Sold.
      [5, 13.5, 760], // Bought: 1.
      [6, 14.5, 815], // Added: no purchase.
      [7, 0.2, 12], // Pulled.
      [180, 0.3, 9], // Bought when the week after the flag is over.
    );
    const found = tokenOutcome(
      observation({
        pools: [poolOf(syncs)],
        verdict: undefined,
        // Between the second trade, block 101, and the third: nothing traded in blocks 101 … 101.
        flaggedBlock: 101,
        observedUntilS: 2 * HOUR_S + WEEK_S,
      }),
    );
    assert.deepEqual(found?.flag, {
      flaggedAtS: 2 * HOUR_S,
      liquidityUsd: 48_000,
      after: { outcome: 'rug', liquidityUsd: 800, boughtUsd: 4_000 },
    });
  });

  it('is known when its own week is over, what followed a flag a week after that', () => {
    const flagged = observation({ flaggedBlock: 102 });
    const first = tokenOutcome(flagged);
    assert.equal(first?.outcome, 'rug');
    assert.deepEqual([first.flag?.flaggedAtS, first.flag?.after], [24 * HOUR_S, undefined]);
    const later = tokenOutcome({ ...flagged, observedUntilS: 24 * HOUR_S + WEEK_S });
    // Flagged when it was drained: nothing was saved.
    assert.equal(later?.flag?.after?.outcome, 'excluded');
  });

  it('leaves out a flag that comes after the week', () => {
    const syncs = syncsOf([0, 10, 1_000], [200, 9, 1_100]);
    const found = tokenOutcome(
      observation({ pools: [poolOf(syncs)], flaggedBlock: 101, observedUntilS: 1e9 }),
    );
    assert.equal(found?.outcome, 'survived');
    assert.equal(found?.flag, undefined);
  });

  it('knows no flag from before the first trade', () => {
    assert.equal(tokenOutcome(observation({ flaggedBlock: 99 }))?.flag, undefined);
  });
});

describe('countedPools', () => {
  const listed = (base: number) => ({ ...poolOf(syncsOf([0, base, 1])), isListed: true });
  const other = { ...poolOf(syncsOf([0, 900, 1]), OTHER_POOL), isListed: false };

  it('leaves out what no factory lists beside a market that held something', () => {
    assert.deepEqual(countedPools([listed(0.5), other]), [listed(0.5)]);
    assert.deepEqual(countedPools([listed(0.4), other]), [listed(0.4), other]);
    assert.deepEqual(countedPools([other]), [other]);
  });
});
