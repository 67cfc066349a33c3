import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Tier } from '../../shared/families/tier.ts';
import { createEntitlements } from './entitlements.ts';

const setup = (tiers: Record<string, Tier | 'none'>) => {
  const asked: string[][] = [];
  let nowMs = 0;
  const entitlements = createEntitlements(
    async (families) => {
      asked.push([...families]);
      return new Map(families.flatMap((one) => (tiers[one] ? [[one, tiers[one]]] : [])));
    },
    () => nowMs,
  );
  const entitled = async (...families: string[]) => [...(await entitlements.entitled(families))];
  return { tiers, asked, entitled, pass: (ms: number) => (nowMs += ms) };
};

describe('entitlements', () => {
  it('has webhooks from Starter on, and none without a good key', async () => {
    const { entitled } = setup({ a: 'free', b: 'starter', c: 'enterprise', d: 'none' });
    assert.deepEqual(await entitled('a', 'b', 'c', 'd'), ['b', 'c']);
  });

  it('has none without any key', async () => {
    assert.deepEqual(await setup({}).entitled('a'), []);
  });

  it('learns of another tier after ten seconds, both ways, and asks no sooner', async () => {
    const { tiers, asked, entitled, pass } = setup({ a: 'pro', b: 'free' });
    assert.deepEqual(await entitled('a', 'b', 'a'), ['a']);
    [tiers['a'], tiers['b']] = ['free', 'starter'];
    pass(9_999);
    assert.deepEqual(await entitled('a', 'b'), ['a']);
    assert.deepEqual(asked, [['a', 'b']]);
    pass(1);
    assert.deepEqual(await entitled('a', 'b'), ['b']);
    assert.deepEqual(asked, [
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });
});
