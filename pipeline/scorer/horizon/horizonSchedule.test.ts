import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { createHorizonScorer } from './horizonSchedule.ts';

const STORED = { number: 9, timestampS: 1_000, position: 9 };
const tokenAt = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`;

it('scores the pools of one second in parts, and both horizons of one token in order', async () => {
  const reached = Array.from({ length: 250 }, (_, n) => {
    return { token: tokenAt(n), horizonS: 600, atS: 900 };
  });
  const again = { token: tokenAt(120), horizonS: 3_600, atS: 900 };
  const rounds: { token: Hex; horizonS: number | undefined }[][] = [];
  const done: number[] = [];
  const scoreHorizons = createHorizonScorer({
    scorer: {
      flush: async () => {},
      score: async (requests) => {
        rounds.push(requests.map(({ token, horizon }) => ({ token, horizonS: horizon?.horizonS })));
        // In the first round there is no time for one of them.
        const postponed = rounds.length === 1 ? [tokenAt(7)] : [];
        return { transfers: new Map(), postponed: new Set(postponed) };
      },
    },
    horizons: {
      next: async () => ({ horizons: [...reached, again], upToS: 900 }),
      done: async ({ upToS }) => {
        done.push(upToS);
      },
    },
    stored: async () => STORED,
  });
  assert.equal(await scoreHorizons(), true);
  assert.deepEqual(
    rounds.map(({ length }) => length),
    [100, 1, 100, 51],
  );
  assert.deepEqual(rounds[1], [{ token: tokenAt(7), horizonS: 600 }]);
  const all = [...rounds.slice(0, 1), ...rounds.slice(2)].flat();
  assert.deepEqual(
    all.filter(({ horizonS }) => horizonS === 600).map(({ token }) => token),
    reached.map(({ token }) => token),
  );
  const ofToken = all.filter(({ token }) => token === again.token);
  assert.deepEqual(
    ofToken.map(({ horizonS }) => horizonS),
    [600, 3_600],
  );
  assert.deepEqual(done, [900], 'said to be done once all are scored');
});
