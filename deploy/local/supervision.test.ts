import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { isDiskFull, RESTARTS_MAX, restartDelayMs } from './supervision.ts';

const MINUTE_MS = 60_000;

describe('restartDelayMs', () => {
  it('doubles with each restart, and ends with too many of them', () => {
    const delays: (number | undefined)[] = [];
    for (let restarts = 0; restarts <= RESTARTS_MAX; restarts += 1) {
      delays.push(
        restartDelayMs(
          Array.from({ length: restarts }, () => MINUTE_MS),
          MINUTE_MS,
        ),
      );
    }
    assert.deepEqual(delays, [100, 200, 400, 800, 1_600, 3_200, 6_400, undefined]);
  });

  it('never gives a part up while the disk is full', () => {
    const restarts = Array.from({ length: RESTARTS_MAX }, () => MINUTE_MS);
    assert.equal(restartDelayMs(restarts, MINUTE_MS, true), 5_000);
    assert.equal(isDiskFull(tmpdir()), false);
  });

  it('forgets what was long ago', () => {
    const restarts = [0, MINUTE_MS, 6 * MINUTE_MS];
    assert.equal(restartDelayMs(restarts, 6.5 * MINUTE_MS), 200);
  });
});
