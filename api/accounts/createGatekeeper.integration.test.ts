import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, it } from 'node:test';
import type { Tier } from '../../shared/families/tier.ts';
import { startCache } from '../../shared/testing/stores.ts';
import type { Admission, QuotaState } from './admission.ts';
import { createGatekeeper, dayKey } from './createGatekeeper.ts';
import { generateKey } from './keyFormat.ts';
import { createKeyStore } from './keyStore.ts';
import { DEFAULT_PLANS, plansWith } from './plans.ts';

const PEPPER = 'p'.repeat(32);
const ONE = { day: 1, minute: 1 };

const { redis, stop } = await startCache();
after(stop);

describe('gatekeeper on Redis', () => {
  let lastMs = 0;
  /** Never the same time twice, because keys created in the same millisecond are listed by id, not by creation. */
  const now = (): number => {
    lastMs = Math.max(lastMs + 1, Date.now());
    return lastMs;
  };
  const store = createKeyStore({ redis, pepper: PEPPER, now });
  /** A new key, and a gatekeeper with the plans of its tier, possibly changed. */
  const setup = async (tier: Tier, changes: Parameters<typeof plansWith>[0] = {}) => {
    const gatekeeper = createGatekeeper({ redis, pepper: PEPPER, plans: plansWith(changes) });
    const { key, info } = await store.create({ name: 'mine', tier });
    return { gatekeeper, key, info };
  };
  /** Remaining quotas, if the request is admitted. */
  const quotaOf = (admission: Admission): QuotaState => {
    assert.ok(admission.kind === 'admitted', admission.kind);
    return admission.quota;
  };
  const kinds = (admissions: Admission[], kind: Admission['kind']): number =>
    admissions.filter((admission) => admission.kind === kind).length;

  it('admits a new key, counts its units and keeps no trace of the key itself', async () => {
    const { gatekeeper, key, info } = await setup('starter');
    const admission = await gatekeeper.admit(key, ONE);
    assert.ok(admission.kind === 'admitted');
    assert.deepEqual(admission.caller, { keyId: info.id, family: info.family, tier: 'starter' });
    const { quota } = admission;
    assert.deepEqual(
      [quota.dayLimit, quota.dayRemaining, quota.minuteLimit, quota.minuteRemaining],
      [10_000, 9_999, 100, 99],
    );
    assert.equal(quota.dayResetS % 86_400, 0);
    assert.ok(quota.dayResetS > quota.nowS && quota.dayResetS - quota.nowS <= 86_400);
    assert.equal(quota.minuteResetS, 1, 'a hundredth of a minute, in whole seconds');
    for (const name of await redis.keys('*')) {
      const type = await redis.type(name);
      const value = type === 'hash' ? JSON.stringify(await redis.hgetall(name)) : '';
      assert.ok(!name.includes(key) && !value.includes(key));
    }
  });

  it('knows neither other keys nor keys of another pepper', async () => {
    const { gatekeeper, key } = await setup('pro');
    assert.deepEqual(await gatekeeper.admit(generateKey(), ONE), { kind: 'unknown' });
    assert.deepEqual(await gatekeeper.admit('', ONE), { kind: 'unknown' });
    const other = createGatekeeper({ redis, pepper: 'q'.repeat(32), plans: DEFAULT_PLANS });
    assert.deepEqual(await other.admit(key, ONE), { kind: 'unknown' });
  });

  it('refuses a revoked key from the next call on, and an expired one', async () => {
    const { gatekeeper, key, info } = await setup('pro');
    assert.equal((await gatekeeper.admit(key, ONE)).kind, 'admitted');
    assert.equal(await store.revoke(info.id), true);
    assert.deepEqual(await gatekeeper.admit(key, ONE), { kind: 'unknown' });
    assert.equal(await store.revoke('key_nobody'), false);
    const old = await store.create({ name: 'b', tier: 'pro', expiresAtMs: Date.now() - 1 });
    assert.deepEqual(await gatekeeper.admit(old.key, ONE), { kind: 'expired' });
    const young = await store.create({ name: 'c', tier: 'pro', expiresAtMs: Date.now() + 60_000 });
    assert.equal((await gatekeeper.admit(young.key, ONE)).kind, 'admitted');
  });

  it('lets exactly one minute of quota through at once, however many ask together', async () => {
    const { gatekeeper, key } = await setup('free');
    const all = await Promise.all(Array.from({ length: 50 }, () => gatekeeper.admit(key, ONE)));
    assert.equal(kinds(all, 'admitted'), 10);
    const refused = all.find((admission) => admission.kind === 'limited');
    assert.ok(refused?.kind === 'limited');
    assert.equal(refused.policy, 'minute');
    assert.ok(refused.retryAfterS >= 1 && refused.retryAfterS <= 6);
    assert.equal(refused.quota.minuteRemaining, 0);
    assert.equal(refused.quota.dayRemaining, 190);
  });

  it('lets exactly the day quota through and gives units back', async () => {
    const { gatekeeper, key, info } = await setup('free', {
      free: { perDay: 5, perMinute: 1_000 },
    });
    const all = await Promise.all(Array.from({ length: 20 }, () => gatekeeper.admit(key, ONE)));
    assert.equal(kinds(all, 'admitted'), 5);
    const refused = await gatekeeper.admit(key, ONE);
    assert.ok(refused.kind === 'limited' && refused.policy === 'day');
    assert.equal(refused.retryAfterS, refused.quota.dayResetS - refused.quota.nowS);
    assert.equal((await gatekeeper.admit(key, { day: 0, minute: 1 })).kind, 'admitted');
    await gatekeeper.refund(info.family, 1, refused.quota);
    assert.equal((await gatekeeper.admit(key, ONE)).kind, 'admitted');
    assert.equal((await gatekeeper.admit(key, ONE)).kind, 'limited');
    await gatekeeper.refund(info.family, 99, refused.quota);
    assert.equal(quotaOf(await gatekeeper.admit(key, ONE)).dayRemaining, 4);
  });

  it('reports what is left of the minute in whole units, and when the next may come', async () => {
    const { gatekeeper, key } = await setup('free', { free: { perMinute: 2 } });
    for (const left of [1, 0]) {
      assert.equal(quotaOf(await gatekeeper.admit(key, ONE)).minuteRemaining, left);
    }
    const refused = await gatekeeper.admit(key, ONE);
    assert.ok(refused.kind === 'limited' && refused.policy === 'minute');
    assert.equal(refused.retryAfterS, refused.quota.minuteResetS, 'both headers say the same');
    assert.ok(refused.retryAfterS > 20 && refused.retryAfterS <= 30, 'half a minute a unit');
  });

  it('keeps counts of units for two days, and none of no units', async () => {
    const { gatekeeper, key, info } = await setup('free');
    const quota = quotaOf(await gatekeeper.admit(key, { day: 0, minute: 1 }));
    const counter = dayKey(info.family, quota);
    await gatekeeper.refund(info.family, 3, quota);
    assert.equal(await redis.exists(counter), 0);
    await gatekeeper.admit(key, ONE);
    const lifeMs = await redis.pttl(counter);
    assert.ok(lifeMs > 86_400_000 && lifeMs <= 172_800_000);
  });

  it('counts every family for itself', async () => {
    const { gatekeeper, ...first } = await setup('free', { free: { perDay: 1 } });
    const second = await store.create({ name: 'b', tier: 'free' });
    assert.notEqual(first.info.family, second.info.family);
    assert.equal((await gatekeeper.admit(first.key, ONE)).kind, 'admitted');
    assert.equal((await gatekeeper.admit(first.key, ONE)).kind, 'limited');
    assert.equal((await gatekeeper.admit(second.key, ONE)).kind, 'admitted');
  });

  it('takes further units all or none', async () => {
    const { gatekeeper, key } = await setup('pro', { pro: { perDay: 5 } });
    const admitted = await gatekeeper.admit(key, { day: 0, minute: 1 });
    assert.ok(admitted.kind === 'admitted');
    const { caller, quota } = admitted;
    const refused = await gatekeeper.charge(caller, 6, quota);
    assert.deepEqual([refused.isTaken, refused.quota.dayRemaining], [false, 5]);
    const taken = await gatekeeper.charge(caller, 4, quota);
    assert.deepEqual([taken.isTaken, taken.quota.dayRemaining], [true, 1]);
    assert.equal((await gatekeeper.charge(caller, 2, quota)).isTaken, false);
    const last = await gatekeeper.charge(caller, 1, quota);
    assert.deepEqual([last.isTaken, last.quota.dayRemaining], [true, 0]);
  });

  it('lets a successor work in the same family, and ends the old key at once or later', async () => {
    const { gatekeeper, ...first } = await setup('pro', { pro: { perDay: 3 } });
    assert.equal((await gatekeeper.admit(first.key, ONE)).kind, 'admitted');
    const rotations = await Promise.all([
      store.rotate(first.info.id, { overlapMs: 60_000 }),
      store.rotate(first.info.id, { overlapMs: 60_000 }),
    ]);
    const made = rotations.filter((rotation) => rotation !== undefined);
    assert.equal(made.length, 1, 'of two rotations at the same time one succeeds');
    const [second] = made;
    assert.ok(second);
    assert.deepEqual(
      [second.info.family, second.info.tier, second.info.name],
      [first.info.family, 'pro', 'mine'],
    );
    assert.equal(quotaOf(await gatekeeper.admit(second.key, ONE)).dayRemaining, 1);
    assert.equal((await gatekeeper.admit(first.key, ONE)).kind, 'admitted');
    const third = await store.rotate(second.info.id, { overlapMs: 0 });
    assert.ok(third);
    assert.equal((await gatekeeper.admit(second.key, ONE)).kind, 'unknown');
    assert.equal((await gatekeeper.admit(third.key, ONE)).kind, 'limited');
    const states = await store.list(first.info.family);
    assert.deepEqual(
      states.map(({ status }) => status),
      ['active', 'revoked', 'active'],
    );
    assert.ok(!JSON.stringify(states).includes(third.key));
  });

  it('gives tickets that stand for their key once, for a minute', async () => {
    const { gatekeeper, info } = await setup('pro');
    const { id: keyId, family } = info;
    const caller = { keyId, family, tier: 'pro' } as const;
    const beforeMs = Date.now();
    const { ticket, expiresAtMs } = await gatekeeper.issueTicket(caller);
    assert.match(ticket, /^tkt_[\w-]{43}$/);
    assert.ok(expiresAtMs >= beforeMs + 60_000 && expiresAtMs <= Date.now() + 60_000);
    const stored = await redis.keys('ws-ticket:*');
    assert.equal(stored.length, 1);
    assert.match(stored[0] ?? '', /^ws-ticket:[0-9a-f]{64}$/, 'its digest, never itself');
    const lifeMs = await redis.pttl(stored[0] ?? '');
    assert.ok(lifeMs > 0 && lifeMs <= 60_000);
    const other = await gatekeeper.issueTicket(caller);
    assert.notEqual(other.ticket, ticket);
    const admitted = await gatekeeper.admitTicket(ticket, ONE);
    assert.ok(admitted.kind === 'admitted');
    assert.deepEqual(admitted.caller, caller);
    assert.equal(admitted.quota.dayRemaining, admitted.quota.dayLimit - 1);
    assert.deepEqual(await gatekeeper.admitTicket(ticket, ONE), { kind: 'unknown' });
    await store.revoke(keyId);
    assert.deepEqual(await gatekeeper.admitTicket(other.ticket, ONE), { kind: 'unknown' });
  });

  it('looks nothing up for a text that is no ticket, even where it is stored as one', async () => {
    const { gatekeeper, info } = await setup('pro');
    const body = 'a'.repeat(43);
    const forged = ['', 'tkt_', `tkt_${body}a`, `xtkt_${body}`, `tkt_${'!'.repeat(43)}`, 'tkt_a'];
    for (const text of forged) {
      const digest = createHash('sha256').update(text).digest('hex');
      await redis.set(`ws-ticket:${digest}`, info.id, 'PX', 60_000);
      assert.deepEqual(await gatekeeper.admitTicket(text, ONE), { kind: 'unknown' }, text);
    }
    assert.deepEqual(await gatekeeper.admitTicket(`tkt_${body}`, ONE), { kind: 'unknown' });
  });

  it('does not know the ticket of a key that is no more', async () => {
    const { gatekeeper } = await setup('pro');
    const stranger = { keyId: 'key_stranger', family: 'fam_stranger', tier: 'pro' } as const;
    const { ticket } = await gatekeeper.issueTicket(stranger);
    assert.deepEqual(await gatekeeper.admitTicket(ticket, ONE), { kind: 'unknown' });
  });

  it('has no successor for keys that ended, and refuses a longer overlap', async () => {
    const { gatekeeper } = await setup('free');
    const expired = await store.create({ name: 'old', tier: 'free', expiresAtMs: Date.now() - 1 });
    assert.equal((await gatekeeper.admit(expired.key, ONE)).kind, 'expired');
    assert.equal((await store.find(expired.info.id))?.status, 'expired');
    assert.equal(await store.rotate(expired.info.id, { overlapMs: 0 }), undefined);
    const revoked = await store.create({ name: 'gone', tier: 'free' });
    await store.revoke(revoked.info.id);
    assert.equal(await store.rotate(revoked.info.id, { overlapMs: 0 }), undefined);
    assert.equal(await store.rotate('key_unknown', { overlapMs: 0 }), undefined);
    const good = await store.create({ name: 'good', tier: 'free' });
    await assert.rejects(store.rotate(good.info.id, { overlapMs: 73 * 3_600_000 }), RangeError);
  });
});
