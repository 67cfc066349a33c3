import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKeyStore } from '../../api/accounts/keyStore.ts';
import { connectRedis } from '../../shared/platform/redis.ts';
import { startRedis } from '../../shared/testing/services.ts';
import { createEntitled } from './entitlements.ts';

const NOW_MS = 1_700_000_000_000;

describe('families that have webhooks', () => {
  it('are those with a key of Starter or above that is good at the moment', async () => {
    const service = await startRedis();
    const redis = connectRedis(service.url);
    try {
      await redis.connect();
      const keys = createKeyStore({ redis, pepper: 'pepper', now: () => NOW_MS });
      const make = async (...args: Parameters<typeof keys.create>) =>
        (await keys.create(...args)).info;
      const plain = await make({ name: 'plain', tier: 'starter' });
      const expiring = await make({ name: 'expiring', tier: 'pro', expiresAtMs: NOW_MS + 1 });
      const revoked = await make({ name: 'revoked', tier: 'enterprise' });
      await keys.revoke(revoked.id);
      const rotated = await make({ name: 'rotated', tier: 'pro' });
      await keys.rotate(rotated.id, { overlapMs: 0 });
      const free = await make({ name: 'free', tier: 'free' });
      const all = [plain, expiring, revoked, rotated, free].map(({ family }) => family);
      let nowMs = NOW_MS;
      const entitled = createEntitled(redis, () => nowMs);
      const found = await entitled([...all, 'unknown', plain.family]);
      assert.deepEqual([...found], [plain.family, expiring.family, rotated.family]);
      nowMs += 1;
      assert.deepEqual([...(await entitled(all))], [plain.family, rotated.family]);
      assert.equal((await entitled([])).size, 0);
    } finally {
      redis.disconnect();
      await service.stop();
    }
  });
});
