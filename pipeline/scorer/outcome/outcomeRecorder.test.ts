import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { addressOf } from '../../../shared/testing/evmData.ts';
import { createOutcomeRecorder } from './outcomeRecorder.ts';

const WETH: Hex = `0x${'e'.repeat(40)}`;

/** A recorder over a number of young tokens; the errors in `fail` are thrown one by one when pages are read. */
const setup = (tokens: number, fail: Error[] = []) => {
  const pages: Hex[] = [];
  const stop = new AbortController();
  let rests = 0;
  const recorder = createOutcomeRecorder({
    chainId: 1,
    outcomes: {
      page: async (_chainId, after, _bases, limit) => {
        const error = fail.shift();
        if (error) throw error;
        pages.push(after);
        const all = Array.from({ length: tokens }, (_, i) => addressOf(i + 1));
        return all.filter((one) => one > after).slice(0, limit);
      },
      open: async () => [],
      verdictAtAge: async () => undefined,
      pools: async () => [],
      insert: async () => assert.fail('nothing is decided'),
      insertTombstones: async () => undefined,
    },
    activity: {
      progress: async () => ({
        chainId: 1,
        epoch: 0,
        block: { number: 9, hash: `0x${'9'.repeat(64)}`, timestampS: 1_700_000_000 },
        head: 9,
        updatedAtMs: 0,
      }),
    },
    prices: { prices: async () => new Map() },
    weth: WETH,
    exclusive: (work) => work(),
    clock: {
      now: () => 0,
      sleep: async () => {
        rests += 1;
        if (rests === 3) stop.abort();
      },
    },
    logger: silentLogger,
  });
  return { recorder, pages, stop };
};

describe('createOutcomeRecorder', () => {
  it('goes through all tokens in bounded pages, and begins again', async () => {
    const { recorder, pages } = setup(700);
    for (let i = 0; i < 3; i += 1) await recorder.round();
    assert.deepEqual(pages, [addressOf(0), addressOf(500), addressOf(0)]);
  });

  it('goes on where the store was away, and ends when it is asked to', async () => {
    const { recorder, pages, stop } = setup(1, [new RetryableError('away')]);
    await recorder.run(stop.signal);
    assert.equal(pages.length, 2);
  });

  it('lets a bug crash', async () => {
    const { recorder, stop } = setup(1, [new TypeError('bug')]);
    await assert.rejects(recorder.run(stop.signal), TypeError);
  });
});
