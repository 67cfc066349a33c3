import type { Redis } from 'ioredis';
import { z } from 'zod';
import { DAY_S } from '../../shared/platform/durations.ts';
import { execute, onRedis } from '../../shared/platform/redis.ts';
import { digestToken, isToken, newToken } from './secretToken.ts';

const recordSchema = z.object({
  accountId: z.string(),
  createdAtMs: z.coerce.number(),
  seenAtMs: z.coerce.number(),
  userAgent: z.string(),
  address: z.string(),
});
/**
 * A session of one user in one browser; `id` identifies the session to its owner and reveals nothing about its token.
 */
export type Session = Readonly<z.output<typeof recordSchema>> & { readonly id: string };

/** Where a session was opened. */
export interface Browser {
  readonly userAgent: string;
  /** The client's IP address. */
  readonly address: string;
}

/** A session that is not used ends after this time. */
const IDLE_S_MAX = 7 * DAY_S;
/** Every session ends after this time. */
const LIFE_S_MAX = 30 * DAY_S;
/** Use is recorded at most this often. */
const SEEN_MS = 60_000;
/** Sessions per account; opening one more ends the oldest. */
const SESSIONS_MAX = 20;
const USER_AGENT_LENGTH_MAX = 200;
const ID_LENGTH = 16;

const sessionKey = (digest: string): string => `session:${digest}`;
const sessionsKey = (accountId: string): string => `account-sessions:${accountId}`;

const saveSession = (
  redis: Redis,
  digest: string,
  accountId: string,
  { userAgent, address }: Browser,
  nowMs: number,
): Promise<void> => {
  const record = {
    accountId,
    createdAtMs: nowMs,
    seenAtMs: nowMs,
    userAgent: userAgent.slice(0, USER_AGENT_LENGTH_MAX),
    address,
  };
  return execute(
    redis
      .multi()
      .hset(sessionKey(digest), record)
      .expire(sessionKey(digest), IDLE_S_MAX)
      .zadd(sessionsKey(accountId), String(nowMs), digest)
      .expire(sessionsKey(accountId), LIFE_S_MAX),
  );
};

/** What the session store needs. `now` is in Unix milliseconds. */
export const createSessionStore = ({ redis, now }: { redis: Redis; now: () => number }) => {
  const drop = async (accountId: string, digest: string): Promise<void> => {
    await onRedis(() => redis.del(sessionKey(digest)));
    await onRedis(() => redis.zrem(sessionsKey(accountId), digest));
  };
  const readDigest = async (digest: string): Promise<Session | undefined> => {
    const record = await onRedis(() => redis.hgetall(sessionKey(digest)));
    if (Object.keys(record).length === 0) return undefined;
    const session = { id: digest.slice(0, ID_LENGTH), ...recordSchema.parse(record) };
    return session.createdAtMs + LIFE_S_MAX * 1000 > now() ? session : undefined;
  };
  const digestsOf = (accountId: string): Promise<string[]> =>
    onRedis(() => redis.zrange(sessionsKey(accountId), '0', '-1'));
  return {
    /** A new session; its token exists only in this return value. */
    open: async (accountId: string, browser: Browser): Promise<string> => {
      const token = newToken();
      await saveSession(redis, digestToken(token), accountId, browser, now());
      const tooMany = (await digestsOf(accountId)).slice(0, -SESSIONS_MAX);
      for (const old of tooMany) await drop(accountId, old);
      return token;
    },
    /** The session of a token, if it is still open. */
    read: async (token: string | undefined): Promise<Session | undefined> => {
      if (!isToken(token)) return undefined;
      const digest = digestToken(token);
      const session = await readDigest(digest);
      if (session && now() - session.seenAtMs > SEEN_MS) {
        await onRedis(() => redis.hset(sessionKey(digest), { seenAtMs: now() }));
        await onRedis(() => redis.expire(sessionKey(digest), IDLE_S_MAX));
      }
      return session;
    },
    close: async (token: string): Promise<void> => {
      const session = await readDigest(digestToken(token));
      if (session) await drop(session.accountId, digestToken(token));
    },
    /** Resolves to false if the account has no such session. */
    closeById: async (accountId: string, id: string): Promise<boolean> => {
      const digest = (await digestsOf(accountId)).find((each) => each.slice(0, ID_LENGTH) === id);
      if (digest === undefined) return false;
      await drop(accountId, digest);
      return true;
    },
    /** Closes all sessions of the account except one. */
    closeOthers: async (accountId: string, exceptId?: string): Promise<void> => {
      for (const digest of await digestsOf(accountId)) {
        if (digest.slice(0, ID_LENGTH) !== exceptId) await drop(accountId, digest);
      }
    },
    /** Open sessions, most recently used first. */
    list: async (accountId: string): Promise<Session[]> => {
      const sessions = await Promise.all((await digestsOf(accountId)).map(readDigest));
      return sessions
        .filter((session) => session !== undefined)
        .toSorted((a, b) => b.seenAtMs - a.seenAtMs);
    },
  };
};
/**
 * Sessions in Redis, keyed by the digest of their token. Rejects with RetryableError while Redis is unavailable.
 */
export type SessionStore = ReturnType<typeof createSessionStore>;
