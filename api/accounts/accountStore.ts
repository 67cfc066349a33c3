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
  /** The highest tier that keys of this account may have, if plans are enforced. */
  plan: z.enum(TIERS),
  createdAtMs: z.coerce.number(),
  /** Encrypted; absent while no second factor is required. */
  totpSecret: z.string().optional(),
  /** Whether an identity of the provider is linked. */
  hasIdentity: z
    .string()
    .optional()
    .transform((text) => text === '1'),
});
/** A user of the dashboard. */
export type Account = Readonly<z.output<typeof recordSchema>>;

/** A user as the identity provider knows them. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
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
 * Creates or changes an account and its look-up entries in one step. KEYS: account, e-mail, identity (or an empty
 * string); ARGV: id, then fields. Returns 1, or 0 if the e-mail address or the identity is taken.
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
export const createAccountStore = ({ redis, now }: { redis: Redis; now: () => number }) => {
  const find = async (id: string | null): Promise<Account | undefined> => {
    if (id === null) return undefined;
    const record = await onRedis(() => redis.hgetall(accountKey(id)));
    return Object.keys(record).length === 0 ? undefined : recordSchema.parse(record);
  };
  return {
    /** Resolves to undefined if the e-mail address or the identity already has an account. */
    create: (account: {
      email: string;
      passwordHash?: string | undefined;
      identity?: Identity | undefined;
    }): Promise<Account | undefined> => onRedis(() => createAccount(redis, now(), account)),
    find: (id: string): Promise<Account | undefined> => find(id),
    findByEmail: async (email: string): Promise<Account | undefined> =>
      find(await onRedis(() => redis.get(emailKey(email)))),
    findByIdentity: async (identity: Identity): Promise<Account | undefined> =>
      find(await onRedis(() => redis.get(identityKey(identity)))),
    setPassword: async (id: string, passwordHash: string): Promise<void> => {
      await onRedis(() => redis.hset(accountKey(id), { passwordHash }));
    },
    setPlan: async (id: string, plan: Tier): Promise<void> => {
      await onRedis(() => redis.hset(accountKey(id), { plan }));
    },
    /** Resolves to false if the identity already belongs to an account. */
    link: async (id: string, identity: Identity): Promise<boolean> => {
      const isNew = await onRedis(() => redis.set(identityKey(identity), id, 'NX'));
      if (isNew !== 'OK') return false;
      await onRedis(() => redis.hset(accountKey(id), { hasIdentity: '1' }));
      return true;
    },
    /** Requires a second factor from now on. Each code in `recoveryDigests` replaces it once. */
    enableTotp: (
      id: string,
      sealedSecret: string,
      recoveryDigests: readonly string[],
    ): Promise<void> => saveTotp(redis, id, sealedSecret, recoveryDigests),
    disableTotp: async (id: string): Promise<void> => {
      await onRedis(() => redis.hdel(accountKey(id), 'totpSecret'));
      await onRedis(() => redis.del(recoveryKey(id)));
    },
    /** Uses up a recovery code; false if there is no such code. */
    takeRecoveryCode: async (id: string, digest: string): Promise<boolean> =>
      (await onRedis(() => redis.srem(recoveryKey(id), digest))) === 1,
    addFamily: async (id: string, family: string): Promise<void> => {
      await onRedis(() => redis.sadd(familiesKey(id), family));
    },
    /** Key families that the account created, oldest first. */
    families: async (id: string): Promise<string[]> =>
      (await onRedis(() => redis.smembers(familiesKey(id)))).toSorted((a, b) => (a < b ? -1 : 1)),
  };
};
/** Accounts in Redis. Every call rejects with RetryableError while Redis is unavailable. */
export type AccountStore = ReturnType<typeof createAccountStore>;
