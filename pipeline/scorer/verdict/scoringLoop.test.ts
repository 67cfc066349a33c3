import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import type { Activity } from '../ingest/activityStore.ts';
import { createScoringLoop, type ScoringLoop, type ScoringLoopPorts } from './scoringLoop.ts';

const STORED = { number: 100, timestampS: 1_700_000_000, position: 100 };
const tokenOf = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;

/** Runs the loop on a table of due tokens until it rests. */
const runUntilIdle = async (
  due: Map<Hex, number>,
  scorer: Partial<ScoringLoopPorts['scorer']> = {},
  bases: readonly Hex[] = [],
  begin: (loop: ScoringLoop) => void = () => undefined,
): Promise<void> => {
  const idle = new AbortController();
  const loop = createScoringLoop({
    scorer: {
      flush: async () => undefined,
      score: async (requests) => {
        for (const { token } of requests) due.delete(token);
        return { transfers: new Map(), postponed: new Set() };
      },
      ...scorer,
    },
    due: async (limit) =>
      [...due].slice(0, limit).map(([token, position]): Activity => ({ token, position })),
    scoreHorizons: async () => false,
    stored: async () => STORED,
    isCatchingUp: () => false,
    bases,
    clock: {
      now: () => 0,
      // Retries pause too, for less than a second.
      sleep: async (ms) => {
        if (ms > 1_000) idle.abort();
      },
    },
    logger: silentLogger,
  });
  begin(loop);
  await loop.run(idle.signal);
};

describe('createScoringLoop', () => {
  it('scores everything that an earlier run left over, however much that is', async () => {
    const due = new Map(Array.from({ length: 25_000 }, (_, i) => [tokenOf(i), 1]));
    await runUntilIdle(due);
    assert.equal(due.size, 0);
  });

  it('scores a base token once, then lets it rest, however often blocks trade it', async () => {
    const [base, other] = [tokenOf(1), tokenOf(2)];
    const scored: Hex[] = [];
    let trade: () => void = () => undefined;
    const score: ScoringLoopPorts['scorer']['score'] = async (requests) => {
      for (const { token } of requests) scored.push(token);
      if (scored.length < 10) trade();
      const transfers = new Map(requests.map(({ token }) => [token, 10]));
      return { transfers, postponed: new Set() };
    };
    await runUntilIdle(new Map(), { score }, [base], (loop) => {
      trade = () => {
        loop.add(
          [base, other].map((token) => ({ token, position: 1 })),
          STORED.position,
        );
      };
      trade();
    });
    assert.equal(scored.filter((token) => token === base).length, 1);
    assert.equal(scored.filter((token) => token === other).length, 9);
  });

  it('scores what one round had no time for in the next', async () => {
    const rounds: number[] = [];
    const due = new Map(Array.from({ length: 100 }, (_, i) => [tokenOf(i), 1]));
    const score: ScoringLoopPorts['scorer']['score'] = async (requests) => {
      rounds.push(requests.length);
      for (const { token } of requests) due.delete(token);
      const postponed = requests.slice(40).map(({ token }) => token);
      return { transfers: new Map(), postponed: new Set(postponed) };
    };
    await runUntilIdle(due, { score });
    assert.deepEqual(rounds, [100, 60, 20]);
  });

  it('publishes what an earlier run stored though there is nothing to score, again until that succeeds', async () => {
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
