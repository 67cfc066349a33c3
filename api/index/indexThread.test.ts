import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressOf } from '../../shared/testing/evmData.ts';
import { type IndexThread, startIndexThread } from './indexThread.ts';

const TOKEN = {
  token: addressOf(1),
  verdict: {
    isScam: 0,
    percent: 60,
    risk: 4_000,
    createdAtS: 1,
    analyzedAtMs: 1_000,
    confidence: 0.6,
    riskScore: 40,
    name: 'One',
    symbol: 'ONE',
    creator: addressOf(2),
    failed: [],
    summary: '[]',
  },
} as const;
const COUNT = { sql: 'SELECT CAST(count(*) AS TEXT) FROM tokens', values: [] };

describe('the thread of the index', () => {
  let thread: IndexThread;
  before(async () => {
    thread = await startIndexThread();
    await thread.call('load', [TOKEN]);
    await thread.call('seal', undefined);
  });
  after(() => thread.close());

  it('goes on after a statement that fails', async () => {
    const broken = { sql: 'SELECT no_column', values: [] };
    await assert.rejects(thread.call('read', broken), /no such column/);
    const matched = 'SELECT CAST(count(*) AS TEXT) FROM parts WHERE parts MATCH ?';
    await assert.rejects(thread.call('read', { sql: matched, values: ['"'] }));
    assert.equal(await thread.call('read', COUNT), '1');
    assert.equal(thread.hasEnded(), false);
  });

  it('keeps few statements prepared, however many different ones are asked', async () => {
    for (let i = 0; i < 600; i += 1) {
      const sql = `SELECT CAST(count(*) + ${i} AS TEXT) FROM tokens`;
      assert.equal(await thread.call('read', { sql, values: [] }), String(1 + i));
    }
    assert.equal(await thread.call('read', COUNT), '1');
  });

  it('ends where it cannot write: nothing it says may be believed from then on', async () => {
    await assert.rejects(thread.call('load', [TOKEN]));
    assert.equal(thread.hasEnded(), true);
    await assert.rejects(thread.call('read', COUNT));
  });
});
