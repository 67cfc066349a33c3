import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { JUDGED_AGES_S, judgedAtS, judgedFeatures } from './judgedMoment.ts';
import { poolFeatures } from './poolFeatures.ts';
import type { PoolSync } from './poolSync.ts';

const FIRST_S = 1_600_000_000;
const sync = (ageS: number, reserveBase: number, reserveToken = 1e24 / reserveBase): PoolSync => ({
  timestampS: FIRST_S + ageS,
  blockNumber: 100 + ageS,
  reserveBase,
  reserveToken,
});
const ageJudgedAt = (syncs: readonly PoolSync[], ageS: number): number =>
  judgedAtS(syncs, FIRST_S + ageS) - FIRST_S;

describe('the moment a market was judged last', () => {
  it('is an age the model has learnt from', () => {
    const path = join(projectRoot(), 'pipeline/scorer/model/artifacts/card.json');
    const card = JSON.parse(readFileSync(path, 'utf8')) as { rugShareByAgeS: object };
    assert.deepEqual(Object.keys(card.rugShareByAgeS).map(Number), [...JUDGED_AGES_S]);
  });

  it('is now in the first minute, then the last age passed, however it is traded', () => {
    const traded = [sync(0, 10), sync(30, 11), sync(700, 12), sync(800, 11), sync(2_000, 13)];
    for (const [ageS, judgedS] of [
      [30, 30],
      [59, 59],
      [60, 60],
      [599, 360],
      [600, 600],
      [899, 600],
      [1_799, 900],
      [2_600, 1_800],
      [90_000, 86_400],
    ] as const) {
      assert.equal(ageJudgedAt(traded, ageS), judgedS, String(ageS));
    }
  });

  it('is a later event: liquidity withdrawn, or a reserve that doubled or halved since', () => {
    const start = [sync(0, 10), sync(590, 12)];
    const withdrawn = [...start, sync(700, 10.5, 0.8e23)];
    const [little, much] = [sync(650, 11.5, 8e22), sync(700, 10, 7.3e22)];
    assert.equal(ageJudgedAt([...start, little], 800), 600);
    assert.equal(ageJudgedAt(withdrawn, 800), 700);
    assert.equal(ageJudgedAt([...start, little, much], 800), 700);
    assert.equal(ageJudgedAt([...start, sync(700, 23)], 800), 600);
    assert.equal(ageJudgedAt([...start, sync(700, 23), sync(710, 24)], 800), 710);
    assert.equal(ageJudgedAt([...start, sync(700, 6), sync(710, 11)], 800), 700);
    assert.equal(ageJudgedAt([...start, sync(700, 24), sync(910, 25)], 950), 900);
  });

  it('leaves the features as they were until then, those of liquidity apart', () => {
    const trades = fc.array(
      fc.record({
        waitS: fc.integer({ min: 1, max: 300 }),
        base: fc.double({ min: 9, max: 11, noNaN: true }),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(trades, fc.nat(7_200), (steps, ageS) => {
        let atS = 0;
        const syncs = [
          sync(0, 10),
          ...steps.map(({ waitS, base }) => {
            atS += waitS;
            return sync(atS, base);
          }),
        ];
        const series = { syncs };
        const judgedS = judgedAtS(syncs, FIRST_S + ageS);
        assert.ok(judgedS <= FIRST_S + ageS);
        assert.deepEqual(judgedFeatures(series, FIRST_S + ageS), poolFeatures(series, judgedS));
        assert.equal(judgedAtS(syncs, judgedS), judgedS, 'judged again, nothing is new');
      }),
    );
  });
});
