import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blockTimeS } from '../../training/syncTable.ts';
import type { PoolSync } from '../features/poolSync.ts';
import { OUTCOME_WINDOW_S, rugOutcome } from './rugLabel.ts';

const HOUR_S = 3_600;
const FOREVER_S = 1e9;

const pool = (...rows: [hours: number, base: number][]): PoolSync[] =>
  rows.map(([hours, reserveBase], i) => ({
    timestampS: hours * HOUR_S,
    blockNumber: i,
    reserveBase,
    reserveToken: 1,
  }));

describe('rugOutcome', () => {
  it('is a rug when the reserve is drained within the window', () => {
    const syncs = pool([0, 10], [0.5, 20], [5, 1]);
    assert.deepEqual(rugOutcome(syncs, HOUR_S, FOREVER_S), { kind: 'rug', leadS: 4 * HOUR_S });
  });

  it('is survived when the drain comes after the window', () => {
    const syncs = pool([0, 10], [169.1, 0.1]);
    assert.equal(syncs[1] && syncs[1].timestampS > HOUR_S + OUTCOME_WINDOW_S, true);
    assert.deepEqual(rugOutcome(syncs, HOUR_S, FOREVER_S), { kind: 'survived' });
  });

  it('is survived when the reserve only bleeds slowly', () => {
    const syncs = pool([0, 10], [2, 5], [4, 2.5], [6, 1.2], [8, 0.8], [10, 0.4]);
    assert.deepEqual(rugOutcome(syncs, HOUR_S, FOREVER_S), { kind: 'survived' });
  });

  it('compares with the reserve that stood an hour before, even without an event in that hour', () => {
    const syncs = pool([0, 10], [30, 0.5], [31, 0.4]);
    assert.deepEqual(rugOutcome(syncs, HOUR_S, FOREVER_S), { kind: 'rug', leadS: 29 * HOUR_S });
  });

  it('is survived when the drained pool recovers, and a rug when it is drained again', () => {
    const recovered = pool([0, 10], [5, 0.1], [6, 9]);
    assert.deepEqual(rugOutcome(recovered, HOUR_S, FOREVER_S), { kind: 'survived' });
    const again = pool([0, 10], [5, 0.1], [6, 9], [7, 0.2]);
    assert.deepEqual(rugOutcome(again, HOUR_S, FOREVER_S), { kind: 'rug', leadS: 6 * HOUR_S });
  });

  it('excludes pools that are small, drained or not followed long enough', () => {
    const drained = pool([0, 100], [0.5, 2]);
    assert.deepEqual(rugOutcome(drained, HOUR_S, FOREVER_S), { kind: 'excluded' });
    assert.deepEqual(rugOutcome(pool([0, 0.4]), HOUR_S, FOREVER_S), { kind: 'excluded' });
    assert.deepEqual(rugOutcome(pool([0, 10]), HOUR_S, HOUR_S), { kind: 'excluded' });
    assert.deepEqual(rugOutcome(pool([2, 10]), HOUR_S, FOREVER_S), { kind: 'excluded' });
  });
});

describe('blockTimeS', () => {
  it('is exact at known heights and linear between and beyond them', () => {
    assert.equal(blockTimeS(10_000_835), 1_588_610_042);
    assert.equal(blockTimeS(12_965_000), 1_628_166_822);
    assert.equal(blockTimeS(13_472_302), 1_634_940_000);
    assert.equal(blockTimeS((12_965_000 + 13_472_302) / 2), (1_628_166_822 + 1_634_940_000) / 2);
    assert.ok(blockTimeS(13_472_303) > 1_634_940_000);
  });
});
