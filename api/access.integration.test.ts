import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TIERS, type Tier, tierIncludes } from '../shared/families/tier.ts';
import { generateKey } from './accounts/keyFormat.ts';
import { errorSchema, forbiddenErrorSchema } from './server/apiError.ts';
import type { Endpoint } from './server/endpoint.ts';
import { createEndpoints } from './server/endpoints.ts';
import { createFakePorts } from './testing/fakePorts.ts';
import { api } from './testing/filledApi.ts';
import { createSampleAccount, SAMPLE_CALLS, type SampleAccount } from './testing/sampleAccount.ts';

import { eventually } from './testing/startApi.ts';

/** Every served operation; those that delete something come last. */
const ENDPOINTS = createEndpoints(createFakePorts().ports).toSorted(
  (a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'),
);

/** The lowest tier of restricted operations, as in the tier matrix of the contract. */
const LOWEST_TIERS: Readonly<Record<string, Tier>> = {
  'GET /api/graph/path': 'starter',
  'POST /api/reports/generate/{address}': 'starter',
  'GET /api/reports/{report_id}': 'starter',
  'GET /api/webhooks': 'starter',
  'POST /api/webhooks': 'starter',
  'GET /api/webhooks/{id}': 'starter',
  'PATCH /api/webhooks/{id}': 'starter',
  'DELETE /api/webhooks/{id}': 'starter',
  'POST /api/webhooks/{id}/test': 'starter',
  'POST /api/webhooks/{id}/rotate-secret': 'starter',
  'GET /api/webhooks/{id}/deliveries': 'starter',
  'POST /api/webhooks/{id}/deliveries/{delivery_id}/redeliver': 'starter',
  'POST /api/tokens/batch': 'pro',
  'POST /api/search/advanced': 'pro',
  'POST /api/ws/ticket': 'pro',
  'GET /api/ws': 'pro',
  'GET /api/events': 'pro',
  'GET /api/export': 'enterprise',
};

/** Operations with an id in the path that belongs to no family: all callers see the same object. */
const PUBLIC_OBJECTS = [
  'getToken',
  'getTokenNetwork',
  'getWallet',
  'getWalletTokens',
  'getCluster',
  'getTokenVerdict',
  'predictToken',
  'getTokenHistory',
  'getTokenLocks',
  'getWalletReport',
  'getWalletReputation',
  'getWalletAnalysis',
  'getTokensOfWallet',
  'getWalletReputationAlias',
  'getTokenGraph',
  'getWalletGraph',
  'getGraph',
  'generateReport',
];
/** Operations on objects of one key family. */
const PRIVATE_OBJECTS = [
  'getAnalysis',
  'removeFromWatchlist',
  'unwatchWallet',
  'readAlert',
  'getReport',
  'getFeedback',
  'getWebhook',
  'changeWebhook',
  'removeWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'getWebhookDeliveries',
  'redeliverEvent',
];

const nameOf = ({ method, path }: Endpoint): string => `${method.toUpperCase()} ${path}`;

describe('who may call what', () => {
  /** The sample call of an operation on one account's objects, with another account's key. */
  const ask = (endpoint: Endpoint, account: SampleAccount, key: string | undefined) => {
    const sample = SAMPLE_CALLS[endpoint.id];
    assert.ok(sample, `${endpoint.id} has no entry in SAMPLE_CALLS`);
    const { path, body } = sample(account);
    const method = endpoint.method.toUpperCase();
    return api.call(path, { method, body, ...(key === undefined ? {} : { key }) });
  };

  it('is decided here for every operation, and for no other', () => {
    const ids = ENDPOINTS.map(({ id }) => id);
    assert.deepEqual(ids.toSorted(), Object.keys(SAMPLE_CALLS).toSorted());
    const withId = ENDPOINTS.filter(({ path }) => path.includes('{')).map(({ id }) => id);
    assert.deepEqual(withId.toSorted(), [...PUBLIC_OBJECTS, ...PRIVATE_OBJECTS].toSorted());
    const limited = ENDPOINTS.filter(({ lowestTier }) => lowestTier !== 'free').map(nameOf);
    assert.deepEqual(limited.toSorted(), Object.keys(LOWEST_TIERS).toSorted());
  });

  it('refuses everyone without a good key', async () => {
    const account = await createSampleAccount(api, 'enterprise');
    const revoked = await api.newKey('enterprise');
    await api.keys.revoke(revoked.info.id);
    const expired = await api.keys.create({
      name: 'old',
      tier: 'enterprise',
      expiresAtMs: Date.now() - 1_000,
    });
    const cases = [
      [undefined, 'AUTH_001'],
      ['bad', 'AUTH_001'],
      [generateKey(), 'AUTH_001'],
      [revoked.key, 'AUTH_001'],
      [expired.key, 'AUTH_002'],
    ] as const;
    for (const endpoint of ENDPOINTS) {
      for (const [key, code] of cases) {
        const answer = await ask(endpoint, account, key);
        assert.equal(answer.status, 401, `${nameOf(endpoint)} ${key}: ${answer.text}`);
        assert.equal(errorSchema.strict().parse(answer.body).code, code);
        assert.equal(answer.headers.get('X-RateLimit-Limit'), '0');
      }
    }
  });

  for (const tier of TIERS) {
    it(`gives tier ${tier} what it includes and answers 403 to the rest`, async () => {
      const account = await createSampleAccount(api, tier);
      for (const endpoint of ENDPOINTS) {
        const answer = await ask(endpoint, account, account.key);
        const lowest = LOWEST_TIERS[nameOf(endpoint)] ?? 'free';
        const label = `${nameOf(endpoint)}: ${answer.status} ${answer.text}`;
        if (tierIncludes(tier, lowest)) {
          assert.ok(Object.keys(endpoint.successes).includes(String(answer.status)), label);
        } else {
          assert.equal(answer.status, 403, label);
          const body = forbiddenErrorSchema.strict().parse(answer.body);
          assert.deepEqual(
            [body.error, body.tier, body.required_tier],
            ['insufficient_tier', tier, lowest],
          );
        }
      }
    });
  }

  it('hides the objects of another: 404, as if they did not exist', async () => {
    const [mine, other] = [
      await createSampleAccount(api, 'enterprise'),
      await api.newKey('enterprise'),
    ];
    const endpoints = ENDPOINTS.filter(({ id }) => PRIVATE_OBJECTS.includes(id));
    for (const endpoint of endpoints) {
      const foreign = await ask(endpoint, mine, other.key);
      assert.equal(foreign.status, 404, `${nameOf(endpoint)}: ${foreign.text}`);
      assert.equal(errorSchema.strict().parse(foreign.body).code, 'RES_001');
    }
    for (const path of ['/watchlist', '/alerts', '/api/watchlist?type=all', '/api/alerts']) {
      const { body } = await api.call(path, { key: other.key });
      assert.equal((body.pagination ?? body.data).total, 0, path);
    }
    const hooks = await api.call('/api/webhooks', { key: other.key });
    assert.deepEqual(hooks.body.data, []);
    for (const endpoint of endpoints) {
      const own = await ask(endpoint, mine, mine.key);
      assert.ok(own.status < 300, `${nameOf(endpoint)}: ${own.text}`);
    }
  });

  it('shares the objects of a family between the keys that succeed one another', async () => {
    const mine = await createSampleAccount(api, 'pro');
    const [first] = await api.keys.list(mine.family);
    const successor = await api.keys.rotate(first?.id ?? '', { overlapMs: 0 });
    assert.ok(successor);
    assert.equal((await api.call('/stats', { key: mine.key })).status, 401);
    for (const endpoint of ENDPOINTS.filter(({ id }) => PRIVATE_OBJECTS.includes(id))) {
      const answer = await ask(endpoint, mine, successor.key);
      assert.ok(answer.status < 300, `${nameOf(endpoint)}: ${answer.text}`);
    }
    await eventually(
      () => api.call('/api/usage', { key: successor.key }),
      ({ body }) => body.data.last_24h.length > 0,
    );
  });
});
