import type { Redis } from 'ioredis';
import { ulid } from 'ulid';
import { digestKey, keyRecordKey } from './digestKey.ts';
import { displayKey, generateKey } from './keyFormat.ts';
import type { Tier } from './plans.ts';

/** A key as its owner may see it again. */
export interface KeyInfo {
  readonly id: string;
  /** Owner of watchlist, alerts, jobs and quota; shared by the keys that succeed one another. */
  readonly family: string;
  readonly tier: Tier;
  readonly name: string;
  readonly display: string;
}

/** What a new key is made of. */
export interface NewKey {
  readonly name: string;
  readonly tier: Tier;
  /** Unix milliseconds after which the key is refused; never when absent. */
  readonly expiresAtMs?: number;
}

/** Makes and revokes keys. */
export interface KeyStore {
  /** A new key of a new family. The key itself exists only in this answer. */
  create(options: NewKey): Promise<{ key: string; info: KeyInfo }>;
  /** From now on every request with the key is refused. Resolves to false for an unknown id. */
  revoke(id: string): Promise<boolean>;
}

const keyIdKey = (id: string): string => `key-id:${id}`;

/** @param now Unix milliseconds of the clock. */
export const createKeyStore = (args: {
  redis: Redis;
  pepper: string;
  now: () => number;
}): KeyStore => {
  const { redis, pepper, now } = args;
  return {
    create: async ({ name, tier, expiresAtMs }) => {
      const key = generateKey();
      const digest = digestKey(pepper, key);
      const info = {
        id: `key_${ulid(now())}`,
        family: `fam_${ulid(now())}`,
        tier,
        name,
        display: displayKey(key),
      };
      const record = {
        ...info,
        status: 'active',
        createdAtMs: now(),
        ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
      };
      const transaction = redis
        .multi()
        .hset(keyRecordKey(digest), record)
        .set(keyIdKey(info.id), digest)
        .sadd(`family-keys:${info.family}`, info.id);
      const results = await transaction.exec();
      const failure = results?.find(([error]) => error)?.[0];
      if (failure) throw failure;
      return { key, info };
    },
    revoke: async (id) => {
      const digest = await redis.get(keyIdKey(id));
      if (digest === null) return false;
      await redis.hset(keyRecordKey(digest), { status: 'revoked', revokedAtMs: now() });
      return true;
    },
  };
};
