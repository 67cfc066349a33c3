import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { onRedis } from '../../shared/platform/redis.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** How often something may be tried within `seconds`. */
const LIMITS = {
  /** Passwords. */
  'sign-in': { ofBoth: 10, ofAddress: 60, ofAccount: 100, seconds: 15 * MINUTE_S },
  /** Passwords asked for again, from an open session in place of an address: 20 sessions are open at most. */
  owner: { ofBoth: 10, ofAddress: 10, ofAccount: 200, seconds: 15 * MINUTE_S },
  /** Codes of six digits, by who knows the password already. */
  'second-factor': { ofBoth: 5, ofAddress: 60, ofAccount: 10, seconds: 15 * MINUTE_S },
  /** Mails. */
  mail: { ofBoth: 5, ofAddress: 30, ofAccount: 20, seconds: HOUR_S },
  /** Look-ups without an account: visitors count as one account. */
  'look-up': { ofBoth: 240, ofAddress: 240, ofAccount: 60_000, seconds: MINUTE_S },
  /** Analyses that visitors without an account begin. */
  analysis: { ofBoth: 5, ofAddress: 5, ofAccount: 300, seconds: 10 * MINUTE_S },
} as const;
export type Attempt = keyof typeof LIMITS;

/** Addresses an account is known to be used from; the one not used for longest is forgotten. */
const KNOWN_MAX = 20;
const KNOWN_S = 90 * 24 * HOUR_S;

/** Who tries. */
export interface Subject {
  /** What is tried for: an e-mail address, whether it has an account or not, or the id of one. */
  readonly account: string;
  /** Where from: a client address, see `addressGroup`; or the id of an open session. */
  readonly from: string;
}

/**
 * KEYS: counter of the address, counter of address and account, known addresses of the account by last use,
 * when the next attempt of the account would be due at an even rate; ARGV: the address, seconds, times of the
 * address, of both, of the account. Answers seconds to wait, or 0; an attempt that may not be made does not count.
 * Time is Redis's own.
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

/** KEYS: counter of address and account, known addresses; ARGV: the address, how many are kept, and for how many seconds. */
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

/** Attempts in Redis: all processes count together. Its calls throw RetryableError. */
export const createThrottle = (redis: Redis) => ({
  /** Counts one attempt; the seconds to wait where it may not be made, else 0. */
  waitS: async (attempt: Attempt, subject: Subject): Promise<number> => {
    const limits = LIMITS[attempt];
    const keys = keysOf(attempt, subject);
    const counters = [keys.ofAddress, keys.ofBoth, keys.known, keys.ofAccount];
    const { seconds, ofAddress, ofBoth, ofAccount } = limits;
    const values = [digest(subject.from), seconds, ofAddress, ofBoth, ofAccount];
    return Number(await onRedis(() => redis.eval(COUNT, counters.length, ...counters, ...values)));
  },
  /** Notes that the owner of the account is there: forgets the attempts from there and knows it from now on. */
  trust: async (attempt: Attempt, subject: Subject): Promise<void> => {
    const { ofBoth, known } = keysOf(attempt, subject);
    const address = digest(subject.from);
    await onRedis(() => redis.eval(TRUST, 2, ofBoth, known, address, KNOWN_MAX, KNOWN_S));
  },
});
/**
 * Counts attempts in three ways: of an account from one address, of an address for all accounts, and of an account
 * from all addresses it is not known to be used from. The last one slows those addresses down together and
 * never stops the owner's own: no one can lock somebody else out.
 */
export type Throttle = ReturnType<typeof createThrottle>;
