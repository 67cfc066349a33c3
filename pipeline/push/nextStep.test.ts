import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextStep, RETRY_DELAYS_MS } from './nextStep.ts';

const failed = { isDelivered: false, httpStatus: 500, retryAfterMs: null };
const HOUR_MS = 3_600_000;

describe('nextStep', () => {
  it('tries ten times in about 76 hours, then gives up', () => {
    const delays = RETRY_DELAYS_MS.map((_, index) => nextStep(failed, index + 1, 0.5));
    assert.deepEqual(
      delays,
      RETRY_DELAYS_MS.map((delayMs) => ({ kind: 'retry', delayMs })),
    );
    const hours = RETRY_DELAYS_MS.reduce((sum, one) => sum + one, 0) / HOUR_MS;
    assert.ok(hours > 75 && hours < 77, `${hours} hours`);
    assert.deepEqual(nextStep(failed, 10, 0.5), { kind: 'exhausted' });
  });

  it('spreads delays by a tenth to either side', () => {
    assert.deepEqual(nextStep(failed, 1, 0), { kind: 'retry', delayMs: 4_500 });
    assert.deepEqual(nextStep(failed, 1, 1), { kind: 'retry', delayMs: 5_500 });
  });

  it('heeds Retry-After where it is longer, up to a day', () => {
    const asking = (retryAfterMs: number) => nextStep({ ...failed, retryAfterMs }, 1, 0.5);
    assert.deepEqual(asking(1_000), { kind: 'retry', delayMs: 5_000 });
    assert.deepEqual(asking(60_000), { kind: 'retry', delayMs: 60_000 });
    assert.deepEqual(asking(1e15), { kind: 'retry', delayMs: 24 * HOUR_MS });
    const last = nextStep({ ...failed, retryAfterMs: 1_000 }, 10, 0.5);
    assert.deepEqual(last, { kind: 'exhausted' });
  });

  it('ends with a success and with 410', () => {
    const delivered = { isDelivered: true, httpStatus: 204, retryAfterMs: null };
    assert.deepEqual(nextStep(delivered, 1, 0.5), { kind: 'delivered' });
    assert.deepEqual(nextStep({ ...failed, httpStatus: 410 }, 1, 0.5), { kind: 'gone' });
  });
});
