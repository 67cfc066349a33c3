import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKeyStore } from '../../api/accounts/keyStore.ts';
import { connectRedis } from '../../shared/platform/redis.ts';
import { startRedis } from '../../shared/testing/services.ts';
import { familyTiers } from './entitlements.ts';

const NOW_MS = 1_700_000_000_000;

describe('familyTiers', () => {
  it('is the highest tier of the keys that are good at the moment', async () => {
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
      const rotated = await make({ name: 'rotated', tier: 'free' });
      await keys.rotate(rotated.id, { overlapMs: 0 });
      const families = [plain, expiring, revoked, rotated].map(({ family }) => family);
      const tiersAt = async (nowMs: number) => {
        const tiers = await familyTiers(redis, [...families, 'unknown'], nowMs);
        assert.ok(!tiers.has('unknown'));
        return families.map((family) => tiers.get(family));
      };
      assert.deepEqual(await tiersAt(NOW_MS), ['starter', 'pro', 'none', 'free']);
      assert.deepEqual(await tiersAt(NOW_MS + 1), ['starter', 'none', 'none', 'free']);
      assert.equal((await familyTiers(redis, [], NOW_MS)).size, 0);
    } finally {
      redis.disconnect();
      await service.stop();
    }
  });
});
