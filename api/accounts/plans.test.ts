import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tierIncludes } from '../../shared/families/tier.ts';
import { DEFAULT_PLANS, nextTier, planOverridesSchema, plansWith } from './plans.ts';

describe('plans', () => {
  it('are the ones of the plans page', () => {
    const numbers = Object.values(plansWith()).map(({ perDay, perMinute }) => [perDay, perMinute]);
    assert.deepEqual(numbers, [
      [200, 10],
      [10_000, 100],
      [100_000, 1_000],
      [2_147_483_647, 10_000],
    ]);
  });

  it('change only where the configuration says so', () => {
    const plans = plansWith(planOverridesSchema.parse({ free: { perDay: 100 } }));
    assert.deepEqual(plans.free, { ...DEFAULT_PLANS.free, perDay: 100 });
    assert.deepEqual(plans.pro, DEFAULT_PLANS.pro);
  });

  it('refuse unknown tiers, unknown numbers and numbers out of range', () => {
    for (const wrong of [{ gold: {} }, { free: { perHour: 1 } }, { free: { perDay: 0 } }]) {
      assert.ok(!planOverridesSchema.safeParse(wrong).success);
    }
  });

  it('are ordered', () => {
    assert.ok(tierIncludes('pro', 'starter'));
    assert.ok(!tierIncludes('free', 'starter'));
    assert.equal(nextTier('free'), 'starter');
    assert.equal(nextTier('enterprise'), 'enterprise');
  });
});
