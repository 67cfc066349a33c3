import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressOf as address } from '../../../shared/testing/evmData.ts';
import { inRing, made, movement, walletFactsOf } from '../testing/walletFactsOf.ts';
import { reputation } from './reputation.ts';
import { fundingOf, reputationSteps } from './reputationSteps.ts';
import type { WalletFacts } from './walletFacts.ts';

const TOKEN = 8;
const FUNDER = 7;
const DAY_BLOCKS = 86_400;
const events = (changes: Partial<WalletFacts>): string[] =>
  reputationSteps(walletFactsOf(changes)).steps.map(({ event }) => event);

describe('reputationSteps', () => {
  it('list a token, its end and its verdicts in the order of the chain', () => {
    const token = made(TOKEN, {
      block: 20,
      drainedAt: 25,
      scamAt: 26,
      clearedAt: 40,
      stolenUsd: 50,
    });
    const { steps, record } = reputationSteps(walletFactsOf({ made: [token] }));
    assert.deepEqual(
      steps.map(({ event, block }) => [event, block]),
      [
        ['token_created', 20],
        ['liquidity_removed', 25],
        ['token_flagged', 26],
        ['cleared', 40],
      ],
    );
    assert.deepEqual([record.made, record.scored, record.scams, record.stolenUsd], [1, 1, 0, 0]);
    const flagged = steps[2];
    assert.deepEqual(
      [flagged?.role, flagged?.outcome, flagged?.stolenUsd, flagged?.victims],
      ['creator', 'rug_pull', 50, 2],
    );
    assert.equal(flagged?.txHash, token.loss?.drain?.txHash);
  });

  it('end in the reputation, each step by its own difference', () => {
    const facts = walletFactsOf({
      made: [made(TOKEN, { scamAt: 30 }), made(9, { block: 31, scamAt: 32 })],
      ring: inRing('master'),
      movements: [movement('native', 'in', FUNDER, { block: 2 })],
      scammers: new Set([address(FUNDER)]),
    });
    const { steps, record } = reputationSteps(facts);
    let score = 50;
    for (const step of steps) {
      score += step.delta;
      assert.equal(step.score, score);
    }
    assert.equal(score, reputation(record).score);
    assert.equal(steps[0]?.event, 'funded_by_scammer');
  });

  it('count a removal of liquidity only within a day of the creation', () => {
    assert.ok(
      events({ made: [made(TOKEN, { drainedAt: 20 + DAY_BLOCKS })] }).includes('liquidity_removed'),
    );
    assert.deepEqual(events({ made: [made(TOKEN, { drainedAt: 21 + DAY_BLOCKS })] }), [
      'token_created',
    ]);
  });

  it('record who joined a ring', () => {
    assert.deepEqual(events({ ring: inRing('puppet') }), ['cluster_joined']);
  });

  it('look at the first money only', () => {
    const movements = [
      movement('native', 'in', 3, { block: 5 }),
      movement('native', 'in', FUNDER, { block: 9, value: 100 }),
    ];
    assert.equal(fundingOf(walletFactsOf({ movements }))?.other, address(3));
    assert.deepEqual(events({ movements, scammers: new Set([address(FUNDER)]) }), []);
    const sameBlock = [
      movement('native', 'in', 3, { firstPlace: 2 }),
      movement('native', 'in', FUNDER, { firstPlace: 1 }),
    ];
    assert.equal(fundingOf(walletFactsOf({ movements: sameBlock }))?.other, address(FUNDER));
  });
});
