import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { createStats } from './createStats.ts';

const NO_OUTCOMES = { decided: 0, right: 0, savedUsd: 0 };

/** Statistics over a database whose token count and state the test controls. */
const setup = (outcomes = NO_OUTCOMES, validationAccuracy: number | null = null) => {
  let nowMs = 1_000_000;
  const state = { tokens: 1, isAway: false, reads: 0 };
  const query = async (sql: string) => {
    if (state.isAway) throw new Error('away');
    if (!sql.includes('FROM clusters')) return [outcomes];
    state.reads += 1;
    return [{ rings: 0 }];
  };
  const ask = async (method: string) => (method === 'wallets' ? { total: 0 } : state.tokens);
  const index = { ask };
  const stats = createStats({
    database: { query } as unknown as Pick<Clickhouse, 'query'>,
    index,
    chainId: 1,
    validationAccuracy,
    clock: { now: () => nowMs, sleep: async () => undefined },
  });
  return {
    state,
    read: () => stats.read(),
    tokens: async () => (await stats.read()).tokens_analyzed,
    wait: (ms: number) => {
      nowMs += ms;
    },
    /** Resolves once background work has ended. */
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  };
};

describe('statistics', () => {
  it('say whether the accuracy was measured, and by how many tokens', async () => {
    const decided = { decided: 4, right: 3, savedUsd: 0 };
    for (const [outcomes, inTraining, expected] of [
      [NO_OUTCOMES, 0.78, { accuracy: 0.78, accuracy_source: 'training', accuracy_samples: 0 }],
      [NO_OUTCOMES, null, { accuracy: null, accuracy_source: null, accuracy_samples: 0 }],
      [decided, 0.78, { accuracy: 0.75, accuracy_source: 'measured', accuracy_samples: 4 }],
    ] as const) {
      const { accuracy, accuracy_source, accuracy_samples } = await setup(
        outcomes,
        inTraining,
      ).read();
      assert.deepEqual({ accuracy, accuracy_source, accuracy_samples }, expected);
    }
  });

  it('are computed once for all who ask, and again after a minute while those of before serve', async () => {
    const { state, tokens, wait, settle } = setup();
    assert.deepEqual(await Promise.all([tokens(), tokens()]), [1, 1]);
    assert.equal(state.reads, 1);
    state.tokens = 2;
    wait(59_999);
    assert.equal(await tokens(), 1);
    assert.equal(state.reads, 1);
    wait(1);
    assert.equal(await tokens(), 1);
    await settle();
    assert.equal(await tokens(), 2);
    assert.equal(state.reads, 2);
  });

  it('of before do not outlive a database that is away for long', async () => {
    const { state, tokens, wait, settle } = setup();
    await tokens();
    state.isAway = true;
    wait(60_000);
    assert.equal(await tokens(), 1);
    await settle();
    wait(540_000);
    await assert.rejects(tokens(), /away/);
    state.isAway = false;
    assert.equal(await tokens(), 1);
  });
});
