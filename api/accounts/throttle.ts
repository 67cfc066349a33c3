import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { onRedis } from '../../shared/platform/redis.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** How often something may be tried within `seconds`. */
const LIMITS = {
  /** Passwords. */
  'sign-in': { ofBoth: 10, ofAddress: 60, ofAccount: 100, seconds: 15 * MINUTE_S },
  /**
   * Password confirmations in an open session, counted per session instead of per address; at most 20 sessions are
   * open.
   */
  owner: { ofBoth: 10, ofAddress: 10, ofAccount: 200, seconds: 15 * MINUTE_S },
  /** Six-digit codes, tried by somebody who knows the password already. */
  'second-factor': { ofBoth: 5, ofAddress: 60, ofAccount: 10, seconds: 15 * MINUTE_S },
  /** Mails. */
  mail: { ofBoth: 5, ofAddress: 30, ofAccount: 20, seconds: HOUR_S },
  /** Look-ups without an account; all visitors count as one account. */
  'look-up': { ofBoth: 240, ofAddress: 240, ofAccount: 60_000, seconds: MINUTE_S },
  /** Analyses started by visitors without an account. */
  analysis: { ofBoth: 5, ofAddress: 5, ofAccount: 300, seconds: 10 * MINUTE_S },
} as const;
export type Attempt = keyof typeof LIMITS;

/** Addresses from which an account is known to be used; the one unused for longest is forgotten. */
const KNOWN_MAX = 20;
const KNOWN_S = 90 * 24 * HOUR_S;

/** Who tries. */
export interface Subject {
  /**
   * The subject of the attempt: an e-mail address, whether or not it has an account, or the id of an account.
   */
  readonly account: string;
  /** The origin: a client address (see `addressGroup`), or the id of an open session. */
  readonly from: string;
}

/**
 * KEYS: counter of the address, counter of address and account, known addresses of the account by last use, when the
 * next attempt of the account would be due at an even rate; ARGV: the address, seconds, limits of the address, of
 * both, of the account. Returns seconds to wait, or 0; a refused attempt does not count. Time is Redis's own.
 */
const COUNT = `
local seconds = tonumber(ARGV[2])
for i = 1, 2 do
  if tonumber(redis.call('GET', KEYS[i]) or '0') >= tonumber(ARGV[2 + i]) then
    return math.max(1, redis.call('TTL', KEYS[i]))
  end
end
if not redis.call('ZSCORE', KEYS[3], ARGV[1]) then
  local time = redis.call('TIME')
  local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
  local due = math.max(now, tonumber(redis.call('GET', KEYS[4]) or '0')) + seconds / tonumber(ARGV[5])
  if due > now + seconds then return math.ceil(due - now - seconds) end
  redis.call('SET', KEYS[4], string.format('%.6f', due), 'EX', seconds)
end
for i = 1, 2 do
  if redis.call('INCR', KEYS[i]) == 1 then redis.call('EXPIRE', KEYS[i], seconds) end
end
return 0
`;

/**
 * KEYS: counter of address and account, known addresses; ARGV: the address, how many addresses are kept, and for how
 * many seconds.
 */
const TRUST = `
redis.call('DEL', KEYS[1])
redis.call('ZADD', KEYS[2], tonumber(redis.call('TIME')[1]), ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - tonumber(ARGV[2]))
redis.call('EXPIRE', KEYS[2], ARGV[3])
`;

const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

const keysOf = (attempt: Attempt, { account, from }: Subject) => ({
  ofAddress: `throttle:${attempt}:address:${digest(from)}`,
  ofBoth: `throttle:${attempt}:both:${digest(from, account)}`,
  known: `throttle:${attempt}:known:${digest(account)}`,
  ofAccount: `throttle:${attempt}:account:${digest(account)}`,
});

/** Attempts in Redis, counted over all processes. Its calls throw RetryableError. */
export const createThrottle = (redis: Redis) => ({
  /** Counts one attempt; returns the seconds to wait if it is refused, else 0. */
  waitS: async (attempt: Attempt, subject: Subject): Promise<number> => {
    const limits = LIMITS[attempt];
    const keys = keysOf(attempt, subject);
    const counters = [keys.ofAddress, keys.ofBoth, keys.known, keys.ofAccount];
    const { seconds, ofAddress, ofBoth, ofAccount } = limits;
    const values = [digest(subject.from), seconds, ofAddress, ofBoth, ofAccount];
    return Number(await onRedis(() => redis.eval(COUNT, counters.length, ...counters, ...values)));
  },
  /**
   * Records that the owner of the account uses this address: forgets the attempts from there and treats it as known.
   */
  trust: async (attempt: Attempt, subject: Subject): Promise<void> => {
    const { ofBoth, known } = keysOf(attempt, subject);
    const address = digest(subject.from);
    await onRedis(() => redis.eval(TRUST, 2, ofBoth, known, address, KNOWN_MAX, KNOWN_S));
  },
});
/**
 * Counts attempts in three ways: of an account from one address, of an address for all accounts, and of an account
 * from all its unknown addresses. The last limit slows unknown addresses down together but never the owner's own, so
 * nobody can lock another user out.
 */
export type Throttle = ReturnType<typeof createThrottle>;
