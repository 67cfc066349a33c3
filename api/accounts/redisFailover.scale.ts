import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Redis } from 'ioredis';
import { connectRedis } from '../../shared/platform/redis.ts';
import { until } from '../../shared/testing/pipelineProcess.ts';
import {
  type Service,
  startRedis,
  startRedisReplica,
  startSentinel,
} from '../../shared/testing/services.ts';
import { createGatekeeper } from './createGatekeeper.ts';
import { createKeyStore } from './keyStore.ts';
import { plansWith } from './plans.ts';

const PEPPER = 'p'.repeat(32);
const ONE = { day: 1, minute: 1 };
const UNITS = 20;
/** Small enough that every unit of a day reaches the replica. */
const PLANS = plansWith({ pro: { perDay: 1_000 } });
const SENTINELS = 3;
const QUORUM = 2;
const WAIT_MS_MAX = 60_000;

describe('keys and quotas on Redis with a replica and sentinels', () => {
  let primary: Service;
  const services: Service[] = [];
  let redis: Redis;

  before(async () => {
    primary = await startRedis();
    const replica = await startRedisReplica(primary);
    const sentinels = await Promise.all(
      Array.from({ length: SENTINELS }, () => startSentinel(primary, 'accounts', QUORUM)),
    );
    services.push(primary, replica, ...sentinels);
    redis = connectRedis(sentinels.map(({ url }) => url).join(','));
    redis.on('error', () => undefined);
    await redis.connect();
  });
  after(async () => {
    redis?.disconnect();
    await Promise.all(services.map((service) => service.stop()));
  });

  it('go on with the replica when the primary is killed, at the count they had', async (context) => {
    const store = createKeyStore({ redis, pepper: PEPPER, now: () => Date.now() });
    const gatekeeper = createGatekeeper({ redis, pepper: PEPPER, plans: PLANS });
    const { key } = await store.create({ name: 'a', tier: 'pro' });
    const remaining = async (): Promise<number | undefined> => {
      const admission = await gatekeeper.admit(key, ONE).catch(() => undefined);
      return admission?.kind === 'admitted' ? admission.quota.dayRemaining : undefined;
    };
    let left = 0;
    for (let i = 0; i < UNITS; i += 1) left = (await remaining()) ?? 0;
    assert.ok(left > 0);
    const confirmed = async () => (await redis.wait(1, 1_000)) === 1 || undefined;
    await until('the replica has everything', confirmed, WAIT_MS_MAX);
    const startMs = performance.now();
    await primary.kill();
    const found = await until('the key is admitted again', remaining, WAIT_MS_MAX);
    context.diagnostic(`admitted again after ${Math.round(performance.now() - startMs)} ms`);
    // A call that was cut off may have taken a unit.
    assert.ok(found < left && found >= left - UNITS, `${left} were left, then ${found}`);
  });
});
