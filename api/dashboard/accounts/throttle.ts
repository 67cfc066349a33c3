import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { onRedis } from '../../../shared/adapters/redis.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** How often something may be tried: times within seconds. */
const LIMITS = {
  /** Passwords of one account, wherever they come from. */
  'sign-in-account': { times: 10, seconds: 15 * MINUTE_S },
  /** Passwords from one address, whoever they are for. */
  'sign-in-address': { times: 60, seconds: 15 * MINUTE_S },
  'second-factor': { times: 8, seconds: 15 * MINUTE_S },
  /** Mails to one person. */
  'mail-account': { times: 5, seconds: HOUR_S },
  /** Mails asked for from one address. */
  'mail-address': { times: 30, seconds: HOUR_S },
} as const;
export type Attempt = keyof typeof LIMITS;

/** Counts attempts. */
export interface Throttle {
  /** Counts one attempt; false where there were too many within the time of its limit. */
  allows(attempt: Attempt, subject: string): Promise<boolean>;
  /** Forgets the attempts of a subject, once one succeeded. */
  forget(attempt: Attempt, subject: string): Promise<void>;
}

/** KEYS[1] a counter, ARGV[1] seconds from its first attempt until it is forgotten. */
const COUNT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return count
`;

const keyOf = (attempt: Attempt, subject: string): string =>
  `throttle:${attempt}:${createHash('sha256').update(subject).digest('hex')}`;

/** Attempts in Redis: all processes count together. */
export const createThrottle = (redis: Redis): Throttle => ({
  allows: async (attempt, subject) => {
    const { times, seconds } = LIMITS[attempt];
    const count = await onRedis(() => redis.eval(COUNT, 1, keyOf(attempt, subject), seconds));
    return Number(count) <= times;
  },
  forget: async (attempt, subject) => {
    await onRedis(() => redis.del(keyOf(attempt, subject)));
  },
});
