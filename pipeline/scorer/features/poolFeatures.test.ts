import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { FEATURE_NAMES, type FeatureName } from '../../../shared/messages/featureNames.ts';
import { createRandom, syntheticPool } from '../../training/syntheticPools.ts';
import { FEATURE_WINDOW_S, poolFeatures } from './poolFeatures.ts';
import { LIFE_FEATURE_NAMES } from './poolLifeFeatures.ts';
import { classifyStep, type PoolSync, wholeUnits } from './poolSync.ts';

const FIRST_SYNC_S = 1_000_000;

/** Syncs from rows of [seconds after the first Sync, block, base, token]. */
const series = (...rows: [number, number, number, number][]): { syncs: PoolSync[] } => ({
  syncs: rows.map(([afterS, blockNumber, reserveBase, reserveToken]) => ({
    timestampS: FIRST_SYNC_S + afterS,
    blockNumber,
    reserveBase,
    reserveToken,
  })),
});

const featuresAt = (pool: { syncs: PoolSync[] }, ageS: number): Record<FeatureName, number> => {
  const vector = poolFeatures(pool, FIRST_SYNC_S + ageS);
  const entries = FEATURE_NAMES.map((name, i) => [name, vector[i]]);
  return Object.fromEntries(entries) as Record<FeatureName, number>;
};

const assertFeatures = (
  actual: Record<FeatureName, number>,
  expected: Partial<Record<FeatureName, number>>,
): void => {
  for (const [name, value] of Object.entries(expected)) {
    const found = actual[name as FeatureName];
    const isNear = Object.is(found, value) || Math.abs(found - value) <= 1e-12 * Math.abs(value);
    assert.ok(isNear, `${name} is ${found}, expected ${value}`);
  }
};

/** Liquidity 10; buys of 10 and 5 (same block); a sell of 5; an add of half; a removal of four fifths. */
const story = series(
  [0, 100, 10, 1_000],
  [60, 105, 20, 500],
  [60, 105, 25, 400],
  [700, 150, 20, 500],
  [1_300, 200, 30, 750],
  [1_900, 250, 6, 150],
);

describe('poolFeatures', () => {
  it('counts and sums every kind of step', () => {
    assertFeatures(featuresAt(story, 2_000), {
      eventCount: 6,
      buyCount: 2,
      sellCount: 1,
      addCount: 2,
      removeCount: 1,
      otherCount: 0,
      buyCountShare: 2 / 3,
      buyVolumeShare: 0.75,
      netFlowToFirstBase: 1,
      largestBuyShare: 1,
      largestSellShare: 0.2,
      largestAddShare: 0.5,
      largestRemovalShare: 0.8,
      buyHerfindahl: 125 / 225,
      sellHerfindahl: 1,
      roundBuyShare: 1,
      buysBeforeFirstSell: 2,
      longestBuyRun: 2,
      roundTripBlocks: 0,
    });
  });

  it('measures times against the first Sync and the time asked for', () => {
    assertFeatures(featuresAt(story, 2_000), {
      ageS: 2_000,
      secondsSinceLastEvent: 100,
      largestGapS: 640,
      eventsPerHour: (6 * 3_600) / 2_000,
      distinctBlockShare: 5 / 6,
      firstBlockEventShare: 1 / 6,
      firstTenMinutesEventShare: 0.5,
      secondsToFirstBuy: 60,
      secondsToFirstSell: 700,
      secondsSinceLastBuy: 1_940,
      secondsSinceLastSell: 1_300,
      secondsSincePeak: 700,
      recentEventShare: 1 / 6,
      lastHourEventCount: 6,
    });
  });

  it('follows reserves and price', () => {
    assertFeatures(featuresAt(story, 2_000), {
      firstBase: 10,
      drawdownFromPeak: 0.8,
      maxDrawdown: 0.8,
      growthFromFirst: 0.6,
      peakGrowthFromFirst: 3,
      firstBaseRound: 1,
      tokenReserveGrowth: 0.15,
      logPriceFromFirst: Math.log(4),
      logPriceFromPeak: Math.log(0.04 / 0.0625),
      maxPriceDrawdown: 1 - 0.04 / 0.0625,
      recentBaseGrowth: 0.2,
      recentLogPriceChange: 0,
      lastHourDrawdown: 0.8,
    });
  });

  it('follows how money flows', () => {
    assertFeatures(featuresAt(story, 2_000), {
      firstBaseDigits: 1,
      firstTokenDigits: 1,
      repeatedBuyShare: 0,
      medianBuyShare: 0.625,
      smallBuyShare: 0,
      largeSaleCount: 1,
      largeSaleShare: 1,
      buyTurnover: 1.5,
      sellTurnover: 0.5,
      firstMinuteBuyTurnover: 1.5,
      firstTenMinutesBuyTurnover: 1.5,
      firstBlocksBuyCount: 0,
      soldOfBoughtToken: 100 / 600,
      netBoughtOfFirstToken: 0.5,
      outsideTokenShare: 0,
      liquidityUnits: 1.5 * 0.2,
      addedUnits: 0.5,
      removedUnitsShare: (1.5 - 1.5 * 0.2) / 1.5,
      longestSellRun: 1,
      lastHourNetFlow: (15 - 5) / 6,
      lastHourSellCountShare: 1 / 3,
      lastHourLargestSale: 0.2,
      lastHourVolumeShare: 1,
      lastTenMinutesEventCount: 1,
      lastTenMinutesNetFlow: 0,
    });
    const sold = series([0, 1, 10, 100], [60, 2, 5, 200], [90, 3, 7, 150], [95, 4, 9, 120]);
    assertFeatures(featuresAt(sold, 100), { outsideTokenShare: 1, repeatedBuyShare: 0.5 });
  });

  it('reads nothing after the time asked for', () => {
    const past = { syncs: story.syncs.slice(0, 3) };
    assert.deepEqual(
      poolFeatures(story, FIRST_SYNC_S + 699),
      poolFeatures(past, FIRST_SYNC_S + 699),
    );
    assertFeatures(featuresAt(story, 699), { eventCount: 3, sellCount: 0, removeCount: 0 });
    assertFeatures(featuresAt(story, 700), { eventCount: 4, sellCount: 1 });
  });

  it('keeps the features of the first day for older pools', () => {
    const late: PoolSync = {
      timestampS: FIRST_SYNC_S + FEATURE_WINDOW_S + 1,
      blockNumber: 9_000,
      reserveBase: 1,
      reserveToken: 9_000,
    };
    const dayOld = poolFeatures(story, FIRST_SYNC_S + FEATURE_WINDOW_S);
    const older = poolFeatures(
      { syncs: [...story.syncs, late] },
      FIRST_SYNC_S + 40 * FEATURE_WINDOW_S,
    );
    assert.deepEqual(older, dayOld);
    assert.equal(dayOld[FEATURE_NAMES.indexOf('ageS')], FEATURE_WINDOW_S);
  });

  it('leaves what is not known missing, never 0', () => {
    const only = featuresAt(series([0, 1, 7.61, 3]), 30);
    assertFeatures(only, {
      ageS: 30,
      eventCount: 1,
      eventsPerHour: 60,
      firstBaseRound: 0,
      buyCount: 0,
      buyCountShare: Number.NaN,
      largestSellShare: Number.NaN,
      largestRemovalShare: Number.NaN,
      secondsToFirstSell: Number.NaN,
      logReturnVolatility: Number.NaN,
    });
    assert.ok(poolFeatures({ syncs: [] }, FIRST_SYNC_S).every((v) => Number.isNaN(v)));
    assert.ok(poolFeatures(story, FIRST_SYNC_S - 1).every((v) => Number.isNaN(v)));
  });

  it('survives an emptied pool that is filled again', () => {
    const features = featuresAt(
      series([0, 1, 5, 100], [10, 2, 0, 0], [20, 3, 4, 50], [30, 4, 4, 60]),
      40,
    );
    assertFeatures(features, {
      removeCount: 1,
      largestRemovalShare: 1,
      addCount: 2,
      otherCount: 1,
      maxDrawdown: 1,
      maxPriceDrawdown: 1 - 4 / 60 / (4 / 50),
    });
    assert.ok(Object.values(features).every((v) => Number.isNaN(v) || Number.isFinite(v)));
  });

  it('sees a buy and a sell in one block as a round trip, once', () => {
    const features = featuresAt(
      series([0, 1, 10, 100], [5, 2, 20, 50], [5, 2, 10, 100], [5, 2, 20, 50]),
      10,
    );
    assertFeatures(features, { roundTripBlocks: 1, logPriceFromFirst: Math.log(4) });
    const volatility = Math.sqrt((3 * Math.log(4) ** 2 - 3 * (Math.log(4) / 3) ** 2) / 2);
    assertFeatures(features, { logReturnVolatility: volatility });
  });

  it('never gives an infinity on random pools', () => {
    const random = createRandom(5);
    for (let round = 0; round < 300; round += 1) {
      const syncs = syntheticPool(random);
      const asOfS = (syncs[0]?.timestampS ?? 0) + random() * 90_000;
      const vector = poolFeatures({ syncs }, asOfS);
      assert.ok(vector.every((v) => Number.isNaN(v) || Number.isFinite(v)));
    }
  });

  it('refuses Syncs out of order', () => {
    const pool = series([10, 2, 1, 1], [5, 3, 1, 1]);
    assert.throws(() => poolFeatures(pool, FIRST_SYNC_S + 100), /time order/);
  });
});

describe('classifyStep', () => {
  it('reads the kind from the signs of the changes', () => {
    assert.deepEqual(
      [
        [1, -1],
        [-1, 1],
        [1, 1],
        [-1, -1],
        [0, 1],
        [1, 0],
        [0, 0],
      ].map(([base = 0, token = 0]) => classifyStep(base, token)),
      ['buy', 'sell', 'add', 'remove', 'other', 'other', 'other'],
    );
  });
});

describe('wholeUnits', () => {
  it('gives the same double for text and bigint', () => {
    assert.equal(wholeUnits('7610000000000000000', 18), 7.61);
    assert.equal(wholeUnits(7_610_000_000_000_000_000n, 18), 7.61);
    assert.equal(wholeUnits('1500000', 6), 1.5);
  });
});

/** The rows of the last table of FEATURES.md, by cells. */
const LIFE_ROWS =
  readFileSync(new URL('FEATURES.md', import.meta.url), 'utf8')
    .split("# Features of a pool's whole life")[1]
    ?.split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ) ?? [];

it('FEATURES.md has name, formula and unit of every feature of a whole life', () => {
  // `lifeEvents1d`, `…7d` stands for lifeEvents1d and lifeEvents7d.
  const names = LIFE_ROWS.flatMap(([cell = '']) => {
    let stem = '';
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => {
      if (name.startsWith('…')) return stem + name.slice(1);
      stem = name.replace(/\d+d$/, '');
      return name;
    });
  });
  assert.deepEqual(names.sort(), [...LIFE_FEATURE_NAMES].sort());
  assert.ok(LIFE_ROWS.every((row) => row.length === 3 && row.every((cell) => cell !== '')));
});
