import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Redis } from 'ioredis';
import { connectRedis } from '../../shared/platform/redis.ts';
import { type Service, startRedis } from '../../shared/testing/services.ts';
import type { QuotaState } from './admission.ts';
import { createGatekeeper } from './createGatekeeper.ts';
import { createKeyStore } from './keyStore.ts';
import { DEFAULT_PLANS, plansWith } from './plans.ts';
import { durableUnits } from './quotaScripts.ts';

const PEPPER = 'p'.repeat(32);
const PER_DAY = 50_000;
const STEP = 50;
const ROUNDS = 3;
const UNITS_PER_ROUND = 137;

describe('counts of a quota when Redis is killed', () => {
  let service: Service;
  let redis: Redis;
  const connect = async (): Promise<void> => {
    redis = connectRedis(service.url);
    redis.on('error', () => undefined);
    await redis.connect();
  };
  before(async () => {
    service = await startRedis();
    await connect();
  });
  after(async () => {
    redis.disconnect();
    await service.stop();
  });

  const crash = async (): Promise<void> => {
    redis.disconnect();
    await service.kill();
    await service.restart();
    await connect();
  };
  const plans = plansWith({
    pro: { perDay: PER_DAY, perMinute: 1_000_000 },
    free: { perMinute: 1_000_000 },
  });
  const gatekeeper = () => createGatekeeper({ redis, pepper: PEPPER, plans });
  const keys = () => createKeyStore({ redis, pepper: PEPPER, now: () => Date.now() });
  const quotaOf = async (key: string, day: number): Promise<QuotaState> => {
    const admission = await gatekeeper().admit(key, { day, minute: 1 });
    assert.ok(admission.kind === 'admitted' || admission.kind === 'limited');
    return admission.quota;
  };
  const bytesWritten = async (): Promise<number> => {
    const persistence = await redis.info('persistence');
    return Number(/aof_current_size:(\d+)/.exec(persistence)?.[1]);
  };

  it('are off by less than a thousandth of the day, in either direction', async () => {
    const { key, info } = await keys().create({ name: 'large', tier: 'pro' });
    let quota = await quotaOf(key, 0);
    const { dayResetS } = quota;
    const caller = { keyId: info.id, family: info.family, tier: info.tier };
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = quota.dayRemaining;
      const gate = gatekeeper();
      await Promise.all(
        Array.from({ length: UNITS_PER_ROUND }, () => gate.admit(key, { day: 1, minute: 1 })),
      );
      await gate.charge(caller, 17 * (round + 1), quota);
      await gate.refund(info.family, 5, quota);
      const taken = UNITS_PER_ROUND + 17 * (round + 1) - 5;
      const counted = await quotaOf(key, 0);
      // At midnight (UTC) the day starts over.
      if (counted.dayResetS !== dayResetS) return;
      assert.equal(counted.dayRemaining, before - taken);
      await crash();
      quota = await quotaOf(key, 0);
      const givenBack = quota.dayRemaining - counted.dayRemaining;
      assert.ok(Math.abs(givenBack) < STEP, `${givenBack} units given back`);
    }
  });

  it('are exact for small quotas, which a crash does not widen', async () => {
    const { key, info } = await keys().create({ name: 'small', tier: 'free' });
    const { dayResetS } = await quotaOf(key, 0);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let unit = 0; unit < 65; unit += 1) await quotaOf(key, 1);
      await gatekeeper().refund(info.family, 5, await quotaOf(key, 0));
      const counted = await quotaOf(key, 3);
      await crash();
      const found = await quotaOf(key, 0);
      if (found.dayResetS !== dayResetS) return;
      assert.equal(found.dayRemaining, counted.dayRemaining);
    }
  });

  it('leave keys and revocations as they were', async () => {
    const [kept, revoked] = [
      await keys().create({ name: 'kept', tier: 'pro' }),
      await keys().create({ name: 'revoked', tier: 'pro' }),
    ];
    await quotaOf(revoked.key, 1);
    await keys().revoke(revoked.info.id);
    await crash();
    const admissions = [kept, revoked].map(({ key }) =>
      gatekeeper().admit(key, { day: 1, minute: 1 }),
    );
    const kinds = (await Promise.all(admissions)).map(({ kind }) => kind);
    assert.deepEqual(kinds, ['admitted', 'unknown']);
  });

  it('are written to disk once in so many units, and never without an end', async () => {
    const { key, info } = await keys().create({ name: 'counted', tier: 'pro' });
    const quota = await quotaOf(key, 0);
    const before = await bytesWritten();
    for (let unit = 1; unit < STEP; unit += 1) await quotaOf(key, 1);
    assert.equal(await bytesWritten(), before);
    await quotaOf(key, 1);
    assert.ok((await bytesWritten()) > before);
    for (const name of await redis.keys(`quota-*:${info.family}*`)) {
      assert.ok((await redis.pttl(name)) > 0, name);
    }
    assert.equal((await quotaOf(key, 0)).dayRemaining, quota.dayRemaining - STEP);
  });
});

describe('units between two counts on disk', () => {
  it('are one for small plans and a thousandth of the day for larger ones', () => {
    const units = Object.values(DEFAULT_PLANS).map(({ perDay }) => durableUnits(perDay));
    assert.deepEqual(units, [1, 10, 100, 1_000]);
    assert.deepEqual([1, 1_999, 2_000].map(durableUnits), [1, 1, 2]);
  });
});
