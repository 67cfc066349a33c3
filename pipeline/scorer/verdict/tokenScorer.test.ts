import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTokenScorer, type JudgedGroup } from './tokenScorer.ts';

const NOTHING: JudgedGroup = {
  verdicts: [],
  judgements: [],
  gone: [],
  messages: [],
  transfers: new Map(),
};

/** A scorer that notes what it does, and dies when it comes to one of its steps. */
const setup = (last?: string) => {
  const steps: string[] = [];
  const step = async (name: string): Promise<void> => {
    if (name === last) throw new Error('killed');
    steps.push(name);
  };
  const scorer = createTokenScorer(
    {
      verdicts: {
        insert: () => step('verdicts stored'),
        announcements: async () => [],
        predictions: async () => new Map(),
        bury: () => step('verdicts buried'),
        buryHistory: async () => undefined,
      },
      contracts: { study: async () => new Map(), judge: () => step('codes judged') },
      announcer: {
        settle: () => step('settled'),
        tell: async (_news, store) => {
          await store([]);
          await step('told');
        },
      },
    },
    async () => {
      await step('judged');
      return NOTHING;
    },
  );
  return { steps, score: () => scorer.score(1, [], { number: 1, timestampS: 1 }) };
};

describe('createTokenScorer', () => {
  it('tells what was stored before it compares with it', async () => {
    const { steps, score } = setup('judged');
    await assert.rejects(score());
    assert.deepEqual(steps, ['settled']);
  });

  it('stores the verdict last of what a token without one is judged again for', async () => {
    const { steps, score } = setup();
    await score();
    assert.deepEqual(steps, [
      'settled',
      'judged',
      'codes judged',
      'verdicts stored',
      'told',
      'verdicts buried',
    ]);
    const killed = setup('codes judged');
    await assert.rejects(killed.score());
    assert.ok(!killed.steps.includes('verdicts stored'));
  });
});
