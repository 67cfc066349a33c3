import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { PROPERTY_RUNS } from '../../shared/testing/random.ts';
import { startCache } from '../../shared/testing/stores.ts';
import type { Admission } from './admission.ts';
import { createGatekeeper } from './createGatekeeper.ts';
import { createKeyStore } from './keyStore.ts';
import { plansWith } from './plans.ts';

const PEPPER = 'p'.repeat(32);
const MINUTE_MS = 60_000;

const requests = fc.array(
  fc.record({ day: fc.integer({ min: 0, max: 4 }), minute: fc.integer({ min: 1, max: 4 }) }),
  { minLength: 1, maxLength: 12 },
);
const plan = fc.record({
  perDay: fc.integer({ min: 1, max: 15 }),
  perMinute: fc.integer({ min: 1, max: 20 }),
});

const { redis, stop } = await startCache();
after(stop);

describe('the limiter on Redis, whatever is asked of it', () => {
  /** Sends requests in order, or all at once. */
  const ask = async (
    units: readonly { day: number; minute: number }[],
    limits: object,
    isAtOnce: boolean,
  ) => {
    const plans = plansWith({ free: limits });
    const store = createKeyStore({ redis, pepper: PEPPER, now: () => Date.now() });
    const { key } = await store.create({ name: 'any', tier: 'free' });
    const gatekeeper = createGatekeeper({ redis, pepper: PEPPER, plans });
    const startMs = performance.now();
    const admissions: Admission[] = [];
    if (isAtOnce)
      admissions.push(...(await Promise.all(units.map((one) => gatekeeper.admit(key, one)))));
    else for (const one of units) admissions.push(await gatekeeper.admit(key, one));
    return { admissions, tookMs: performance.now() - startMs };
  };

  it(`never lets through more than day and minute allow, nor less: ${PROPERTY_RUNS} runs`, async () => {
    await fc.assert(
      fc.asyncProperty(requests, plan, fc.boolean(), async (units, limits, isAtOnce) => {
        const { admissions, tookMs } = await ask(units, limits, isAtOnce);
        const days = new Set(admissions.map((one) => ('quota' in one ? one.quota.dayResetS : 0)));
        // At midnight (UTC) the day starts over: counts before and after are not comparable.
        fc.pre(days.size === 1);
        const refilled = Math.ceil((limits.perMinute * tookMs) / MINUTE_MS);
        let [day, minute] = [0, 0];
        for (const [i, admission] of admissions.entries()) {
          const { day: dayUnits, minute: minuteUnits } = units[i] ?? { day: 0, minute: 0 };
          assert.ok(admission.kind === 'admitted' || admission.kind === 'limited');
          if (admission.kind === 'admitted') {
            day += dayUnits;
            minute += minuteUnits;
          } else if (admission.policy === 'day') {
            assert.ok(day + dayUnits > limits.perDay, 'refused within the day');
          } else {
            assert.ok(minute + minuteUnits > limits.perMinute, 'refused within the minute');
          }
          assert.equal(admission.quota.dayRemaining, limits.perDay - day);
          assert.ok(admission.quota.minuteRemaining >= limits.perMinute - minute);
          assert.ok(admission.quota.minuteRemaining <= limits.perMinute - minute + refilled);
          if (admission.kind === 'limited') assert.ok(admission.retryAfterS >= 1);
        }
        assert.ok(day <= limits.perDay);
        assert.ok(minute <= limits.perMinute + refilled);
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });
});
