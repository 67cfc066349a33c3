import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { ulid } from 'ulid';
import { z } from 'zod';
import { TIERS, type Tier } from '../../shared/families/tier.ts';
import { execute, onRedis } from '../../shared/platform/redis.ts';

const recordSchema = z.object({
  id: z.string(),
  /** In lower case; confirmed. */
  email: z.string(),
  /** Absent for accounts that only sign in with the identity provider. */
  passwordHash: z.string().optional(),
  /** The highest tier keys of this account may have, where plans are enforced. */
  plan: z.enum(TIERS),
  createdAtMs: z.coerce.number(),
  /** Sealed; absent while no second factor is asked for. */
  totpSecret: z.string().optional(),
  /** Whether an identity of the provider is linked. */
  hasIdentity: z
    .string()
    .optional()
    .transform((text) => text === '1'),
});
/** Somebody who may use the dashboard. */
export type Account = Readonly<z.output<typeof recordSchema>>;

/** Somebody as the identity provider knows them. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** Accounts in Redis. Every call rejects with RetryableError while Redis is away. */
export interface AccountStore {
  /** Resolves to undefined where the e-mail address or the identity already has an account. */
  create(account: {
    email: string;
    passwordHash?: string | undefined;
    identity?: Identity | undefined;
  }): Promise<Account | undefined>;
  find(id: string): Promise<Account | undefined>;
  findByEmail(email: string): Promise<Account | undefined>;
  findByIdentity(identity: Identity): Promise<Account | undefined>;
  setPassword(id: string, passwordHash: string): Promise<void>;
  setPlan(id: string, plan: Tier): Promise<void>;
  /** Resolves to false where the identity belongs to an account already. */
  link(id: string, identity: Identity): Promise<boolean>;
  /** Asks for a second factor from now on. `recoveryDigests` each replace one code, once. */
  enableTotp(id: string, sealedSecret: string, recoveryDigests: readonly string[]): Promise<void>;
  disableTotp(id: string): Promise<void>;
  /** Takes a recovery code; false where there is no such one. */
  takeRecoveryCode(id: string, digest: string): Promise<boolean>;
  addFamily(id: string, family: string): Promise<void>;
  /** Key families the account has made, the oldest first. */
  families(id: string): Promise<string[]>;
}

const accountKey = (id: string): string => `account:${id}`;
const emailKey = (email: string): string => `account-email:${email}`;
const identityKey = ({ issuer, subject }: Identity): string =>
  `account-identity:${createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')}`;
const familiesKey = (id: string): string => `account-families:${id}`;
const recoveryKey = (id: string): string => `account-recovery:${id}`;

/**
 * An account together with what finds it, or nothing: KEYS account, e-mail, identity or an empty text;
 * ARGV id, then fields. Answers 1, or 0 where e-mail or identity are taken.
 */
const CREATE = `
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
if KEYS[3] ~= '' and redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('SET', KEYS[2], ARGV[1])
if KEYS[3] ~= '' then redis.call('SET', KEYS[3], ARGV[1]) end
return 1
`;

const saveTotp = (
  redis: Redis,
  id: string,
  sealedSecret: string,
  recoveryDigests: readonly string[],
): Promise<void> =>
  execute(
    redis
      .multi()
      .hset(accountKey(id), { totpSecret: sealedSecret })
      .del(recoveryKey(id))
      .sadd(recoveryKey(id), ...recoveryDigests),
  );

const createAccount = async (
  redis: Redis,
  nowMs: number,
  { email, passwordHash, identity }: Parameters<AccountStore['create']>[0],
): Promise<Account | undefined> => {
  const id = `acc_${ulid(nowMs)}`;
  const record = {
    id,
    email,
    plan: TIERS[0],
    createdAtMs: nowMs,
    ...(passwordHash === undefined ? {} : { passwordHash }),
    ...(identity ? { hasIdentity: '1' } : {}),
  };
  const keys = [accountKey(id), emailKey(email), identity ? identityKey(identity) : ''];
  const isDone = await redis.eval(
    CREATE,
    keys.length,
    ...keys,
    id,
    ...Object.entries(record).flat(),
  );
  return isDone === 1 ? { ...record, hasIdentity: identity !== undefined } : undefined;
};

/** Accounts in Redis. `now` is in Unix milliseconds. */
export const createAccountStore = ({
  redis,
  now,
}: {
  redis: Redis;
  now: () => number;
}): AccountStore => {
  const find = async (id: string | null): Promise<Account | undefined> => {
    if (id === null) return undefined;
    const record = await onRedis(() => redis.hgetall(accountKey(id)));
    return Object.keys(record).length === 0 ? undefined : recordSchema.parse(record);
  };
  return {
    create: (account) => onRedis(() => createAccount(redis, now(), account)),
    find,
    findByEmail: async (email) => find(await onRedis(() => redis.get(emailKey(email)))),
    findByIdentity: async (identity) => find(await onRedis(() => redis.get(identityKey(identity)))),
    setPassword: async (id, passwordHash) => {
      await onRedis(() => redis.hset(accountKey(id), { passwordHash }));
    },
    setPlan: async (id, plan) => {
      await onRedis(() => redis.hset(accountKey(id), { plan }));
    },
    link: async (id, identity) => {
      const isNew = await onRedis(() => redis.set(identityKey(identity), id, 'NX'));
      if (isNew !== 'OK') return false;
      await onRedis(() => redis.hset(accountKey(id), { hasIdentity: '1' }));
      return true;
    },
    enableTotp: (id, sealedSecret, digests) => saveTotp(redis, id, sealedSecret, digests),
    disableTotp: async (id) => {
      await onRedis(() => redis.hdel(accountKey(id), 'totpSecret'));
      await onRedis(() => redis.del(recoveryKey(id)));
    },
    takeRecoveryCode: async (id, digest) =>
      (await onRedis(() => redis.srem(recoveryKey(id), digest))) === 1,
    addFamily: async (id, family) => {
      await onRedis(() => redis.sadd(familiesKey(id), family));
    },
    families: async (id) =>
      (await onRedis(() => redis.smembers(familiesKey(id)))).toSorted((a, b) => (a < b ? -1 : 1)),
  };
};
