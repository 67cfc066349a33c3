import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../training/syntheticPools.ts';
import { COMPARED_TOKENS_MIN, type ComparedToken, compareModels } from './compareModels.ts';

const logistic = (margin: number): number => 1 / (1 + Math.exp(-margin));

/**
 * Tokens of creators that launch two each; both models know the truth except for their own noise, in log-odds.
 */
const tokens = (
  count: number,
  random: () => number,
  noise: { inForce: number; other: number },
): ComparedToken[] =>
  Array.from({ length: count }, (_, i) => {
    const truth = 4 * (random() - 0.5);
    const wrong = (size: number): number => 2 * size * (random() - 0.5);
    return {
      creator: `creator${Math.floor(i / 2)}`,
      isRug: random() < logistic(truth),
      inForce: logistic(truth + wrong(noise.inForce)),
      other: logistic(truth + wrong(noise.other)),
    };
  });

describe('compareModels', () => {
  it('says what lacks: tokens, outcomes of both kinds, or a lead beyond chance', () => {
    const random = createRandom(1);
    const better = tokens(400, random, { inForce: 3, other: 0.5 });
    assert.match(compareModels([]).lacks ?? '', /^0 of 200 tokens/);
    const few = compareModels(better.slice(0, COMPARED_TOKENS_MIN - 1));
    assert.match(few.lacks ?? '', /^199 of 200 tokens/);
    const onlyRugs = better.map((token) => ({ ...token, isRug: true }));
    assert.match(compareModels(onlyRugs).lacks ?? '', /^400 rugs and 0 that survived/);
    const equal = tokens(400, random, { inForce: 1, other: 1 });
    assert.match(compareModels(equal).lacks ?? '', /^its log-loss may be no lower/);
    assert.equal(compareModels(better).isBetter, true);
    assert.ok(compareModels(better).gainMin < compareModels(better).gain);
  });

  it('is not moved by one creator with many tokens', () => {
    const random = createRandom(2);
    const equal = tokens(300, random, { inForce: 1, other: 1 });
    const ofOne = Array.from({ length: 200 }, () => ({
      creator: 'one',
      isRug: true,
      inForce: 0.5,
      other: 0.95,
    }));
    assert.ok(compareModels([...equal, ...ofOne]).gain > 0.2);
    assert.equal(compareModels([...equal, ...ofOne]).isBetter, false);
  });

  it('lets an equal model pass one of ten looks at a time with a chance of at most one in twenty-five', () => {
    const random = createRandom(3);
    const runs = 400;
    let passed = 0;
    for (let run = 0; run < runs; run += 1) {
      const all = tokens(2_000, random, { inForce: 1, other: 1 });
      const looks = Array.from({ length: 10 }, (_, i) => all.slice(0, 200 * (i + 1)));
      passed += looks.some((seen) => compareModels(seen).isBetter) ? 1 : 0;
    }
    assert.ok(passed / runs <= 0.04, `${passed} of ${runs}`);
  });
});
