import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contractOf } from '../testing/checkInputOf.ts';
import { codeLabelsOf, type ScoredBatch, storeBatch } from './tokenScorer.ts';

const NOTHING: ScoredBatch = {
  verdicts: [],
  last: new Map(),
  codeLabels: [],
  deleted: [],
  messages: [],
  transfers: new Map(),
  postponed: new Set(),
};

/** A scorer that records its steps, and crashes at one of them. */
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
    contracts: { label: () => step('codes labelled') },
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

const TOKEN = `0x${'1'.repeat(40)}` as const;
type Made = Parameters<typeof codeLabelsOf>[0];

const labelOf = (...failed: readonly string[]): string | undefined => {
  const checks = failed.map((id) => ({ id, status: 'fail', severity: 'critical' }));
  const made = [{ token: TOKEN, verdict: { doc: { checks } } }] as unknown as Made;
  const known = new Map([[TOKEN, { profile: contractOf(), twins: undefined }]]);
  return codeLabelsOf(made, known)[0]?.scamCheck;
};

describe('codeLabelsOf', () => {
  it('accuses the code of a token that cannot be sold', () => {
    assert.equal(labelOf('sell_simulation'), 'sell_simulation');
  });

  it('accuses no code where the hook of the pool refuses the sale', () => {
    assert.equal(labelOf('sell_simulation', 'hook_power'), '');
  });

  it('accuses the code of what it does beside such a hook', () => {
    assert.equal(labelOf('sell_simulation', 'hook_power', 'mint_power'), 'mint_power');
  });
});
