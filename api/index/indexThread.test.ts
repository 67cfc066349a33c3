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
const PAGE = { sort: 'symbol', order: 'asc', limit: 1, offset: 0 } as const;

describe('the thread of the index', () => {
  let thread: IndexThread;
  before(async () => {
    thread = await startIndexThread();
    await thread.call('load', [TOKEN]);
    await thread.call('seal', undefined);
  });
  after(() => thread.close());

  it('goes on after a question that fails', async () => {
    await assert.rejects(thread.call('find', [1n] as never), /BigInt/);
    assert.equal(await thread.call('count', {}), '1');
    assert.equal(await thread.call('list', PAGE), `[["${TOKEN.token.slice(2)}",0,[]]]`);
    assert.equal(thread.hasEnded(), false);
  });

  it('ends where it cannot write: nothing it says may be believed from then on', async () => {
    await assert.rejects(thread.call('load', [TOKEN]));
    assert.equal(thread.hasEnded(), true);
    await assert.rejects(thread.call('count', {}));
  });
});
