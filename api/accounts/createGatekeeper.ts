import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { keyIdKey, keyRecordKey } from '../../shared/accounts/keyRecords.ts';
import { TIERS } from '../../shared/accounts/tier.ts';
import { createScript, onRedis } from '../../shared/adapters/redis.ts';
import {
  type Admission,
  DAY_S,
  type Gatekeeper,
  type QuotaState,
  type Units,
} from './admission.ts';
import { digestKey } from './digestKey.ts';
import { isWellFormedKey } from './keyFormat.ts';
import { type Plans } from './plans.ts';

/**
 * One atomic step: the key's status, then the day units, then the minute units (GCRA with a burst
 * of one minute's quota). Nothing is taken unless both quotas allow it. Time is Redis's own, so
 * that several API processes agree. Answers with integers and texts only.
 *
 * KEYS[1] the key's record; ARGV: day units, minute units.
 */
const admitScript = (plans: Plans): string => `
local plans = {${TIERS.map((tier) => `${tier} = {${plans[tier].perDay}, ${plans[tier].perMinute}}`).join(', ')}}
local record = redis.call('HMGET', KEYS[1], 'status', 'id', 'family', 'tier', 'expiresAtMs')
if not record[1] or record[1] ~= 'active' then return {'unknown'} end
local time = redis.call('TIME')
local nowS = tonumber(time[1])
local nowUs = nowS * 1000000 + tonumber(time[2])
if record[5] and tonumber(record[5]) * 1000 <= nowUs then return {'expired'} end
local plan = plans[record[4]]
if not plan then return {'unknown'} end
local perDay, perMinute = plan[1], plan[2]
local day = math.floor(nowS / 86400)
local dayKey = 'quota-day:' .. record[3] .. ':' .. day
local minuteKey = 'quota-minute:' .. record[3]
local dayUnits, minuteUnits = tonumber(ARGV[1]), tonumber(ARGV[2])
local used = tonumber(redis.call('GET', dayKey) or '0')
local spacingUs = 60000000 / perMinute
local wholeAtUs = math.max(tonumber(redis.call('GET', minuteKey) or '0'), nowUs)
local nextWholeAtUs = wholeAtUs + minuteUnits * spacingUs
local outcome, retryS = 'admitted', 0
if used + dayUnits > perDay then
  outcome, retryS = 'day', (day + 1) * 86400 - nowS
elseif nextWholeAtUs - nowUs > 60000000 then
  outcome, retryS = 'minute', math.ceil((nextWholeAtUs - nowUs - 60000000) / 1000000)
else
  if dayUnits > 0 then
    used = redis.call('INCRBY', dayKey, dayUnits)
    redis.call('EXPIRE', dayKey, 172800)
  end
  wholeAtUs = nextWholeAtUs
  redis.call('SET', minuteKey, string.format('%.0f', wholeAtUs), 'PX', 120000)
end
local minuteLeft = math.max(0, math.floor((60000000 - (wholeAtUs - nowUs)) / spacingUs + 0.001))
return {outcome, record[2], record[3], record[4], perDay, math.max(0, perDay - used),
  perMinute, minuteLeft, math.ceil((wholeAtUs - nowUs) / 1000000), nowS, retryS}
`;

/** KEYS[1] the day's counter; ARGV: units, limit. Takes all units or none; returns {taken, used}. */
const CHARGE = `
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used + tonumber(ARGV[1]) > tonumber(ARGV[2]) then return {0, used} end
used = redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], 172800)
return {1, used}
`;

/** KEYS[1] the day's counter, ARGV[1] units: never below zero, never without an expiry. */
const REFUND = `
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
local units = math.min(used, tonumber(ARGV[1]))
if units > 0 then redis.call('DECRBY', KEYS[1], units) end
return units
`;

const TICKET_BYTES = 32;
const TICKET_MS = 60_000;
const TICKET_PATTERN = /^tkt_[\w-]{43}$/;
/** Redis key of a ticket, which is itself not stored. */
const ticketKey = (ticket: string): string =>
  `ws-ticket:${createHash('sha256').update(ticket).digest('hex')}`;

const integer = z.number().int();
const replySchema = z.union([
  z.tuple([z.enum(['unknown', 'expired'])]),
  z.tuple([
    z.enum(['admitted', 'day', 'minute']),
    z.string(),
    z.string(),
    z.enum(TIERS),
    integer,
    integer,
    integer,
    integer,
    integer,
    integer,
    integer,
  ]),
]);

const chargeReplySchema = z.tuple([integer, integer]);

/** Redis key of the counter of day units a family has used on the day (UTC) of a moment, Unix seconds. */
export const dayKey = (family: string, { nowS }: Pick<QuotaState, 'nowS'>): string =>
  `quota-day:${family}:${Math.floor(nowS / DAY_S)}`;

const admissionOf = (reply: z.output<typeof replySchema>): Admission => {
  if (reply.length === 1) return { kind: reply[0] };
  const [outcome, keyId, family, tier, dayLimit, dayRemaining] = reply;
  const [minuteLimit, minuteRemaining, minuteResetS, nowS, retryAfterS] = reply.slice(
    6,
  ) as number[];
  const quota: QuotaState = {
    tier,
    dayLimit,
    dayRemaining,
    dayResetS: (Math.floor((nowS ?? 0) / DAY_S) + 1) * DAY_S,
    minuteLimit: minuteLimit ?? 0,
    minuteRemaining: minuteRemaining ?? 0,
    minuteResetS: minuteResetS ?? 0,
    nowS: nowS ?? 0,
  };
  return outcome === 'admitted'
    ? { kind: 'admitted', caller: { keyId, family, tier }, quota }
    : { kind: 'limited', policy: outcome, retryAfterS: Math.max(1, retryAfterS ?? 1), quota };
};

/** The gate over Redis. Its calls reject with RetryableError while Redis is away: nobody enters. */
export const createGatekeeper = (args: {
  redis: Redis;
  pepper: string;
  plans: Plans;
}): Gatekeeper => {
  const { redis, pepper, plans } = args;
  const admit = createScript(redis, admitScript(plans));
  const chargeUnits = createScript(redis, CHARGE);
  const refundUnits = createScript(redis, REFUND);
  const admitRecord = async (record: string, units: Units): Promise<Admission> => {
    const reply = await onRedis(() => admit([record], [units.day, units.minute]));
    return admissionOf(replySchema.parse(reply));
  };
  return {
    admit: async (key, units) =>
      isWellFormedKey(key)
        ? admitRecord(keyRecordKey(digestKey(pepper, key)), units)
        : { kind: 'unknown' },
    issueTicket: async ({ keyId }) => {
      const ticket = `tkt_${randomBytes(TICKET_BYTES).toString('base64url')}`;
      const expiresAtMs = Date.now() + TICKET_MS;
      await onRedis(() => redis.set(ticketKey(ticket), keyId, 'PX', TICKET_MS));
      return { ticket, expiresAtMs };
    },
    admitTicket: async (ticket, units) => {
      if (!TICKET_PATTERN.test(ticket)) return { kind: 'unknown' };
      const keyId = await onRedis(() => redis.getdel(ticketKey(ticket)));
      const digest = keyId === null ? null : await onRedis(() => redis.get(keyIdKey(keyId)));
      return digest === null ? { kind: 'unknown' } : admitRecord(keyRecordKey(digest), units);
    },
    charge: async ({ family }, units, quota) => {
      const reply = await onRedis(() =>
        chargeUnits([dayKey(family, quota)], [units, quota.dayLimit]),
      );
      const [taken, used] = chargeReplySchema.parse(reply);
      const dayRemaining = Math.max(0, quota.dayLimit - used);
      return { isTaken: taken === 1, quota: { ...quota, dayRemaining } };
    },
    refund: async (family, units, quota) => {
      await onRedis(() => refundUnits([dayKey(family, quota)], [units]));
    },
  };
};
