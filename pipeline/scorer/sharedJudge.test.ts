import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../shared/chain/block.ts';
import { RetryableError } from '../../shared/runtime/errors.ts';
import { silentLogger } from '../../shared/runtime/logger.ts';
import { createSharedJudge, type JudgeHelper } from './sharedJudge.ts';
import type { JudgedGroup, ScoringRequest, TokenJudge } from './tokenScorer.ts';

const STORED = { number: 9, timestampS: 9 };
const tokenOf = (index: number): Hex => `0x${index.toString(16).padStart(40, '0')}`;
const requestsOf = (count: number): ScoringRequest[] =>
  Array.from({ length: count }, (_, index) => ({ token: tokenOf(index), position: index }));

/** Judges by listing what it was asked for. */
const listed = (requests: readonly ScoringRequest[]): JudgedGroup => ({
  verdicts: [],
  judgements: [],
  gone: requests.map(({ token, position }) => ({ token, position })),
  messages: [],
  transfers: new Map(requests.map(({ token }) => [token, 1])),
});

const setup = (helpers: readonly JudgeHelper[], local?: TokenJudge) => {
  const sizes: number[] = [];
  const judge = createSharedJudge({
    local:
      local ??
      (async (_, requests) => {
        sizes.push(requests.length);
        return listed(requests);
      }),
    helpers: () => helpers,
    isLive: () => true,
    logger: silentLogger,
  });
  return { judge, sizes };
};

const willing = (sizes: number[]): JudgeHelper => ({
  id: 'willing',
  judge: async ({ requests }) => {
    sizes.push(requests.length);
    return listed(requests);
  },
});
const failing = (error: Error): JudgeHelper => ({
  id: 'failing',
  judge: () => Promise.reject(error),
});
const tokens = ({ gone }: JudgedGroup): Hex[] => gone.map(({ token }) => token).sort();

describe('createSharedJudge', () => {
  it('judges all at once where nobody helps', async () => {
    const { judge, sizes } = setup([]);
    await judge(1, requestsOf(200), STORED);
    assert.deepEqual(sizes, [200]);
  });

  it('shares a large group, and leaves no token out and none twice', async () => {
    const helped: number[] = [];
    const { judge, sizes } = setup([willing(helped)]);
    const judged = await judge(1, requestsOf(200), STORED);
    assert.deepEqual(
      tokens(judged),
      requestsOf(200).map(({ token }) => token),
    );
    assert.equal(judged.transfers.size, 200);
    assert.ok(helped.length > 0 && sizes.length > 0, 'both work');
  });

  it('keeps a small group to itself', async () => {
    const helped: number[] = [];
    const { judge, sizes } = setup([willing(helped)]);
    await judge(1, requestsOf(10), STORED);
    assert.deepEqual([sizes, helped], [[10], []]);
  });

  it('does what a helper that went away did not', async () => {
    const { judge } = setup([failing(new RetryableError('gone'))]);
    const judged = await judge(1, requestsOf(200), STORED);
    assert.deepEqual(
      tokens(judged),
      requestsOf(200).map(({ token }) => token),
    );
  });

  it('does the last part of a helper that went away when nothing else was left', async () => {
    let giveUp: (error: Error) => void = () => undefined;
    const late: JudgeHelper = {
      id: 'late',
      judge: () => new Promise((_, reject) => (giveUp = reject)),
    };
    const sizes: number[] = [];
    const { judge } = setup([late], async (_, requests) => {
      sizes.push(requests.length);
      if (sizes.length === 3) setImmediate(() => giveUp(new RetryableError('gone')));
      return listed(requests);
    });
    const judged = await judge(1, requestsOf(200), STORED);
    assert.equal(judged.gone.length, 200);
    assert.deepEqual(sizes, [50, 50, 50, 50]);
  });

  it('fails when its own judge fails, or a helper in a way that is no passing one', async () => {
    const broken = setup([willing([])], () => Promise.reject(new RetryableError('no database')));
    await assert.rejects(broken.judge(1, requestsOf(200), STORED), /no database/);
    const bug = setup([failing(new TypeError('a bug'))]);
    await assert.rejects(bug.judge(1, requestsOf(200), STORED), TypeError);
  });
});
