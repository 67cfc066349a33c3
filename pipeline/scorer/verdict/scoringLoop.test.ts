import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import type { Activity } from '../ingest/activityStore.ts';
import { createScoringLoop, type ScoringLoopPorts } from './scoringLoop.ts';

const CHAIN_ID = 1;
const STORED = { number: 100, timestampS: 1_700_000_000, position: 100 };
const tokenOf = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;

/** Runs the loop on a table of due tokens until it rests. */
const runUntilIdle = async (
  due: Map<Hex, number>,
  scorer: Partial<ScoringLoopPorts['scorer']> = {},
): Promise<void> => {
  const idle = new AbortController();
  const loop = createScoringLoop({
    chainId: CHAIN_ID,
    scorer: {
      flush: async () => undefined,
      score: async (_chainId, requests) => {
        for (const { token } of requests) due.delete(token);
        return { transfers: new Map() };
      },
      ...scorer,
    },
    due: async (limit) =>
      [...due].slice(0, limit).map(([token, position]): Activity => ({ token, position })),
    scoreHorizons: async () => false,
    stored: async () => STORED,
    isCatchingUp: () => false,
    clock: {
      now: () => 0,
      // Retries rest too, for less than a second.
      sleep: async (ms) => {
        if (ms > 1_000) idle.abort();
      },
    },
    logger: silentLogger,
  });
  await loop.run(idle.signal);
};

describe('createScoringLoop', () => {
  it('scores everything that an earlier run left over, however much that is', async () => {
    const due = new Map(Array.from({ length: 25_000 }, (_, i) => [tokenOf(i), 1]));
    await runUntilIdle(due);
    assert.equal(due.size, 0);
  });

  it('tells what an earlier run stored though there is nothing to score, again until it is told', async () => {
    let settled = 0;
    await runUntilIdle(new Map(), {
      flush: async () => {
        settled += 1;
        if (settled === 1) throw new RetryableError('away');
      },
    });
    assert.equal(settled, 2);
  });
});
