import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ScoredBatch, storeBatch } from './tokenScorer.ts';

const NOTHING: ScoredBatch = {
  verdicts: [],
  last: new Map(),
  codeLabels: [],
  deleted: [],
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
  const ports: Parameters<typeof storeBatch>[0] = {
    chainId: 1,
    verdicts: {
      insert: () => step('verdicts stored'),
      last: async () => new Map(),
      insertTombstones: () => step('tombstones stored'),
    },
    contracts: { study: async () => new Map(), label: () => step('codes labelled') },
    outbox: {
      flush: () => step('flushed'),
      publish: async (_news, store) => {
        await store([]);
        await step('published');
      },
    },
  };
  const makeBatch = async (): Promise<ScoredBatch> => {
    await step('scored');
    return NOTHING;
  };
  return { steps, score: () => storeBatch(ports, makeBatch) };
};

describe('storeBatch', () => {
  it('publishes what was stored before it scores anew', async () => {
    const { steps, score } = setup('scored');
    await assert.rejects(score());
    assert.deepEqual(steps, ['flushed']);
  });

  it('stores code labels before the verdicts that would keep a token from being scored again', async () => {
    const { steps, score } = setup();
    await score();
    assert.deepEqual(steps, [
      'flushed',
      'scored',
      'codes labelled',
      'verdicts stored',
      'published',
      'tombstones stored',
    ]);
    const killed = setup('codes labelled');
    await assert.rejects(killed.score());
    assert.ok(!killed.steps.includes('verdicts stored'));
  });
});
