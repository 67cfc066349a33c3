import type { Redis } from 'ioredis';
import { ulid } from 'ulid';
import { z } from 'zod';
import { ANNOUNCE_LUA, CHANGE_KEYS } from '../../shared/families/changes.ts';
import { familyKey, keyIdKey, keyRecordKey, TIERS, type Tier } from '../../shared/families/tier.ts';
import { execute, onRedis } from '../../shared/platform/redis.ts';
import { digestKey, displayKey, generateKey } from './keyFormat.ts';

/** Announces a key whose record changed for the worse, as a change of kind `keys`. */
export const keyChangedSchema = z.object({ keyId: z.string() });
const keyChanged = (keyId: string): string => JSON.stringify({ keyId });

/**
 * Ends a key in favour of its successor and stores that one, in one step: of two concurrent rotations, one finds the
 * key already ended. An expired or revoked key gets no successor. KEYS: those of changes, record of the old key,
 * record of the new one, id of the new one, members of the family. ARGV: now, time at which the old key ends, digest
 * of the new key, id of the new key, change of the old one, then the fields of the new one. Returns 1, or 0 if the
 * old key is not active.
 */
const ROTATE = `${ANNOUNCE_LUA}
local record = redis.call('HMGET', KEYS[3], 'status', 'expiresAtMs', 'successor')
if record[1] ~= 'active' or record[3] then return 0 end
if record[2] and tonumber(record[2]) <= tonumber(ARGV[1]) then return 0 end
if tonumber(ARGV[2]) <= tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[3], 'status', 'revoked', 'revokedAtMs', ARGV[1])
elseif not record[2] or tonumber(record[2]) > tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[3], 'expiresAtMs', ARGV[2])
end
redis.call('HSET', KEYS[3], 'successor', ARGV[4])
redis.call('HSET', KEYS[4], unpack(ARGV, 6))
redis.call('SET', KEYS[5], ARGV[3])
redis.call('SADD', KEYS[6], ARGV[4])
announce('keys', ARGV[5])
return 1
`;

/** KEYS: those of changes, record of the key. ARGV: now, change of the key. */
const REVOKE = `${ANNOUNCE_LUA}
redis.call('HSET', KEYS[3], 'status', 'revoked', 'revokedAtMs', ARGV[1])
announce('keys', ARGV[2])
`;

const recordSchema = z.object({
  id: z.string(),
  /** Owner of watchlist, alerts, jobs and quota; shared by a key and its successors. */
  family: z.string(),
  tier: z.enum(TIERS),
  name: z.string(),
  display: z.string(),
  status: z.enum(['active', 'revoked']),
  createdAtMs: z.coerce.number(),
  expiresAtMs: z.coerce.number().optional(),
  revokedAtMs: z.coerce.number().optional(),
});
type KeyRecord = Readonly<z.output<typeof recordSchema>>;
/** A key as its owner may see it again. */
type KeyInfo = Pick<KeyRecord, 'id' | 'family' | 'tier' | 'name' | 'display'>;
/** A key with its current status. */
export type KeyState = Omit<KeyRecord, 'status'> & {
  readonly status: KeyRecord['status'] | 'expired';
};

interface NewKey {
  readonly name: string;
  readonly tier: Tier;
  /** Unix milliseconds after which the key is refused; absent if it never expires. */
  readonly expiresAtMs?: number | undefined;
}

/** How a key is replaced by another. */
interface Rotation {
  /** Milliseconds for which the old key still works, at most `OVERLAP_MS_MAX`; 0 revokes it at once. */
  readonly overlapMs: number;
  /** Unix milliseconds after which the new key is refused; absent if it never expires. */
  readonly expiresAtMs?: number | undefined;
}

/** A key that was just created: the only time it is shown in full. */
interface MadeKey {
  readonly key: string;
  readonly info: KeyInfo;
}

/** Both keys of a rotation work for 72 hours at most. */
const OVERLAP_MS_MAX = 72 * 3_600_000;

/** A record as of `nowMs`; undefined if there is none. */
const stateOf = (record: Record<string, string>, nowMs: number): KeyState | undefined => {
  if (Object.keys(record).length === 0) return undefined;
  const { status, ...rest } = recordSchema.parse(record);
  const isExpired = rest.expiresAtMs !== undefined && rest.expiresAtMs <= nowMs;
  return { ...rest, status: status === 'active' && isExpired ? 'expired' : status };
};

const recordOf = (info: KeyInfo, createdAtMs: number, expiresAtMs: number | undefined) => ({
  ...info,
  status: 'active',
  createdAtMs,
  ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
});

/** What the key store needs. `now` is in Unix milliseconds. */
interface KeyStoreArgs {
  readonly redis: Redis;
  readonly pepper: string;
  readonly now: () => number;
}

const findKey = async ({ redis, now }: KeyStoreArgs, id: string): Promise<KeyState | undefined> => {
  const digest = await redis.get(keyIdKey(id));
  if (digest === null) return undefined;
  return stateOf(await redis.hgetall(keyRecordKey(digest)), now());
};

const createKey = async (
  { redis, pepper, now }: KeyStoreArgs,
  { name, tier, expiresAtMs }: NewKey,
): Promise<MadeKey> => {
  const key = generateKey();
  const digest = digestKey(pepper, key);
  const nowMs = now();
  const info = {
    id: `key_${ulid(nowMs)}`,
    family: `fam_${ulid(nowMs)}`,
    tier,
    name,
    display: displayKey(key),
  };
  await execute(
    redis
      .multi()
      .hset(keyRecordKey(digest), recordOf(info, nowMs, expiresAtMs))
      .set(keyIdKey(info.id), digest)
      .sadd(familyKey(info.family), info.id),
  );
  return { key, info };
};

const rotateKey = async (
  args: KeyStoreArgs,
  id: string,
  { overlapMs, expiresAtMs }: Rotation,
): Promise<MadeKey | undefined> => {
  const { redis, pepper, now } = args;
  if (!(overlapMs >= 0 && overlapMs <= OVERLAP_MS_MAX)) {
    throw new RangeError(`overlapMs must be 0 to ${OVERLAP_MS_MAX}`);
  }
  const old = await findKey(args, id);
  const oldDigest = await redis.get(keyIdKey(id));
  if (!old || oldDigest === null) return undefined;
  const key = generateKey();
  const digest = digestKey(pepper, key);
  const nowMs = now();
  const { family, tier, name } = old;
  const info = { id: `key_${ulid(nowMs)}`, family, tier, name, display: displayKey(key) };
  const keys = [
    ...CHANGE_KEYS,
    keyRecordKey(oldDigest),
    keyRecordKey(digest),
    keyIdKey(info.id),
    familyKey(family),
  ];
  const fields = Object.entries(recordOf(info, nowMs, expiresAtMs)).flat();
  const values = [nowMs, nowMs + overlapMs, digest, info.id, keyChanged(id), ...fields];
  const isDone = await redis.eval(ROTATE, keys.length, ...keys, ...values);
  return isDone === 1 ? { key, info } : undefined;
};

/** Keys in Redis. */
export const createKeyStore = (args: KeyStoreArgs) => {
  const { redis, now } = args;
  return {
    /** A new key of a new family. The key itself exists only in this return value. */
    create: (options: NewKey): Promise<MadeKey> => createKey(args, options),
    /**
     * A new key of the same family, tier and name; it inherits watchlist, alerts and quota. Resolves to undefined for
     * a key that is unknown, revoked, expired or already rotated.
     */
    rotate: (id: string, rotation: Rotation): Promise<MadeKey | undefined> =>
      rotateKey(args, id, rotation),
    /** Refuses every request with the key from now on. Resolves to false for an unknown id. */
    revoke: async (id: string): Promise<boolean> => {
      const digest = await redis.get(keyIdKey(id));
      if (digest === null) return false;
      const keys = [...CHANGE_KEYS, keyRecordKey(digest)];
      await onRedis(() => redis.eval(REVOKE, keys.length, ...keys, now(), keyChanged(id)));
      return true;
    },
    find: (id: string): Promise<KeyState | undefined> => findKey(args, id),
    /** Every key that a family ever had, oldest first. */
    list: async (family: string): Promise<KeyState[]> => {
      const ids = await redis.smembers(familyKey(family));
      const states = await Promise.all(ids.map((id) => findKey(args, id)));
      return states
        .filter((state) => state !== undefined)
        .toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
    },
  };
};
/** Creates, lists, rotates and revokes keys. */
export type KeyStore = ReturnType<typeof createKeyStore>;
