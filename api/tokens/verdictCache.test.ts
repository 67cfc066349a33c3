import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../shared/chain/block.ts';
import { addressOf, verdictOf } from '../testing/fakePorts.ts';
import type { Verdict } from './verdict.ts';
import { createVerdictCache, VERDICT_KEPT_MS_MAX } from './verdictCache.ts';

const TOKEN = addressOf(1);
const OTHER = addressOf(2);

/** A cache over a table of verdicts, with a clock and queries that are held while the test wants it. */
const setup = () => {
  const stored = new Map<Hex, Verdict>([
    [TOKEN, verdictOf(TOKEN)],
    [OTHER, verdictOf(OTHER)],
  ]);
  const state = { nowMs: 0, queries: 0, held: Promise.resolve() };
  const cache = createVerdictCache({
    find: async (token) => {
      state.queries += 1;
      // Read when the query begins, answered when it ends.
      const verdict = stored.get(token);
      await state.held;
      return verdict;
    },
    now: () => state.nowMs,
  });
  cache.setConnected(true);
  const hold = (): (() => void) => {
    let release: () => void = () => undefined;
    state.held = new Promise((resolve) => (release = resolve));
    return release;
  };
  const judge = (riskScore: number): void => {
    stored.set(TOKEN, { ...verdictOf(TOKEN), riskScore });
  };
  const riskOf = async (token = TOKEN) => (await cache.findRecent(token))?.riskScore;
  return { cache, state, stored, hold, judge, riskOf };
};

describe('the cache of verdicts', () => {
  it('answers from memory until the token is forgotten', async () => {
    const { cache, state, judge, riskOf } = setup();
    const before = await riskOf();
    judge(1);
    assert.equal(await riskOf(), before);
    assert.equal(state.queries, 1);
    cache.forget(TOKEN);
    assert.equal(await riskOf(), 1);
    await riskOf();
    assert.equal(state.queries, 2);
  });

  it('keeps nothing longer than its age, reckoned from the start of the query', async () => {
    const { state, hold, judge, riskOf } = setup();
    const release = hold();
    const first = riskOf();
    state.nowMs = VERDICT_KEPT_MS_MAX;
    release();
    await first;
    judge(1);
    assert.equal(await riskOf(), 1);
    state.nowMs += VERDICT_KEPT_MS_MAX - 1;
    judge(2);
    assert.equal(await riskOf(), 1);
    state.nowMs += 1;
    assert.equal(await riskOf(), 2);
  });

  it('does not keep what a query read before the token was forgotten', async () => {
    const { cache, hold, judge, riskOf } = setup();
    const release = hold();
    const before = riskOf();
    judge(1);
    cache.forget(TOKEN);
    const after = riskOf();
    release();
    assert.notEqual(await before, 1);
    assert.equal(await after, 1);
    assert.equal(await riskOf(), 1);
  });

  it('lets the later of two queries decide, whichever ends first', async () => {
    const { cache, state, hold, judge, riskOf } = setup();
    const releaseFirst = hold();
    const first = cache.find(TOKEN);
    state.held = Promise.resolve();
    judge(1);
    await cache.find(TOKEN);
    releaseFirst();
    await first;
    assert.equal(await riskOf(), 1);
  });

  it('joins who asks for the same token at the same time', async () => {
    const { state, hold, riskOf } = setup();
    const release = hold();
    const both = Promise.all([riskOf(), riskOf()]);
    release();
    await both;
    assert.equal(state.queries, 1);
  });

  it('reads what is stored now where that is asked for', async () => {
    const { cache, judge, riskOf } = setup();
    await riskOf();
    judge(1);
    assert.equal((await cache.find(TOKEN))?.riskScore, 1);
    assert.equal(await riskOf(), 1);
  });

  it('keeps neither absent tokens nor failures', async () => {
    const { cache, state, stored, riskOf } = setup();
    assert.equal(await riskOf(addressOf(9)), undefined);
    stored.set(addressOf(9), verdictOf(addressOf(9)));
    assert.ok(await riskOf(addressOf(9)));
    await cache.find(TOKEN);
    state.held = Promise.reject(new Error('away'));
    await assert.rejects(cache.find(TOKEN), /away/);
    state.held = Promise.resolve();
    const queries = state.queries;
    await riskOf();
    assert.equal(state.queries, queries + 1);
  });

  it('forgets what the wallets of a ring have made, and queries that may read it', async () => {
    const { cache, state, stored, riskOf } = setup();
    const verdict = verdictOf(OTHER);
    const creator = { ...verdict.doc.creator, address: addressOf(0xdd) };
    stored.set(OTHER, { ...verdict, doc: { ...verdict.doc, creator } });
    await Promise.all([riskOf(TOKEN), riskOf(OTHER)]);
    cache.forgetMadeBy([addressOf(0xdd)]);
    await Promise.all([riskOf(TOKEN), riskOf(OTHER)]);
    assert.equal(state.queries, 3);
  });

  it('answers nothing from memory while changes are not reported', async () => {
    const { cache, state, judge, riskOf } = setup();
    await riskOf();
    cache.setConnected(false);
    judge(1);
    assert.equal(await riskOf(), 1);
    judge(2);
    assert.equal(await riskOf(), 2);
    cache.setConnected(true);
    judge(3);
    assert.equal(await riskOf(), 3);
    assert.equal(state.queries, 4);
  });
});
