import { createHash, randomBytes } from 'node:crypto';
import DataLoader from 'dataloader';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { keyIdKey, keyRecordKey, TIERS, type Tier } from '../../shared/families/tier.ts';
import { DAY_S } from '../../shared/platform/durations.ts';
import { createScript, onRedis } from '../../shared/platform/redis.ts';
import { type Admission, type Gatekeeper, type QuotaState, type Units } from './admission.ts';
import { digestKey, isWellFormedKey } from './keyFormat.ts';
import type { Plans } from './plans.ts';
import { admitScript, CHARGE, durableUnits, REFUND } from './quotaScripts.ts';

const TICKET_BYTES = 32;
const TICKET_MS = 60_000;
const TICKET_PATTERN = /^tkt_[\w-]{43}$/;
/** Redis key of a ticket; the ticket itself is not stored. */
const ticketKey = (ticket: string): string =>
  `ws-ticket:${createHash('sha256').update(ticket).digest('hex')}`;

/** Admissions per call: Redis does nothing else while the script runs. */
const ADMISSIONS_PER_CALL_MAX = 100;

/**
 * What the script returns for a valid key: outcome, key, family, tier, units left of the day and of the minute,
 * seconds until the minute quota is full, Unix seconds, seconds until a retry.
 */
const GOOD_KEY = new RegExp(
  `^(admitted|day|minute) (\\S+) (\\S+) (${TIERS.join('|')}) (\\d+) (\\d+) (\\d+) (\\d+) (\\d+)$`,
);

const answersSchema = z.array(z.string());
const chargeReplySchema = z.tuple([z.number().int(), z.number().int()]);

/** Redis key of the counter of day units that a family has used on the UTC day of a time in Unix seconds. */
export const dayKey = (family: string, { nowS }: Pick<QuotaState, 'nowS'>): string =>
  `quota-day:${family}:${Math.floor(nowS / DAY_S)}`;

const readAdmission = (answer: string, plans: Plans): Admission => {
  if (answer === 'unknown' || answer === 'expired') return { kind: answer };
  const fields = GOOD_KEY.exec(answer);
  if (!fields) throw new Error(`the gate answers "${answer}"`);
  const [, outcome, keyId = '', family = ''] = fields;
  const tier = fields[4] as Tier;
  const [dayRemaining = 0, minuteRemaining = 0, minuteResetS = 0, nowS = 0, retryAfterS = 0] =
    fields.slice(5).map(Number);
  const quota: QuotaState = {
    tier,
    dayLimit: plans[tier].perDay,
    dayRemaining,
    dayResetS: (Math.floor(nowS / DAY_S) + 1) * DAY_S,
    minuteLimit: plans[tier].perMinute,
    minuteRemaining,
    minuteResetS,
    nowS,
  };
  if (outcome === 'admitted') return { kind: outcome, caller: { keyId, family, tier }, quota };
  const policy = outcome as 'day' | 'minute';
  const waitS = Math.max(1, retryAfterS);
  const limited = policy === 'minute' ? { ...quota, minuteResetS: waitS } : quota;
  return { kind: 'limited', policy, retryAfterS: waitS, quota: limited };
};

/** A key's record, and the units to take for it. */
interface Asked {
  readonly record: string;
  readonly units: Units;
}

/** Admits all requests of one turn of the event loop in one call: a call costs more than an admission. */
const joinAdmissions = (redis: Redis, plans: Plans): ((asked: Asked) => Promise<Admission>) => {
  const admit = createScript(redis, admitScript(plans));
  const loader = new DataLoader<Asked, Admission>(
    async (asked) => {
      const records = asked.map(({ record }) => record);
      const units = asked.flatMap(({ units: { day, minute } }) => [day, minute]);
      const answers = answersSchema.parse(await onRedis(() => admit(records, units)));
      return answers.map((answer) => readAdmission(answer, plans));
    },
    {
      cache: false,
      maxBatchSize: ADMISSIONS_PER_CALL_MAX,
      batchScheduleFn: (send) => void setImmediate(send),
    },
  );
  return (asked) => loader.load(asked);
};

/**
 * The gatekeeper over Redis. Its calls reject with RetryableError while Redis is unavailable, so every request is
 * refused.
 */
export const createGatekeeper = (args: {
  redis: Redis;
  pepper: string;
  plans: Plans;
}): Gatekeeper => {
  const { redis, pepper, plans } = args;
  const admit = joinAdmissions(redis, plans);
  const chargeUnits = createScript(redis, CHARGE);
  const refundUnits = createScript(redis, REFUND);
  return {
    admit: async (key, units) => {
      if (!isWellFormedKey(key)) return { kind: 'unknown' };
      return admit({ record: keyRecordKey(digestKey(pepper, key)), units });
    },
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
      return digest === null ? { kind: 'unknown' } : admit({ record: keyRecordKey(digest), units });
    },
    charge: async ({ family }, units, quota) => {
      const reply = await onRedis(() =>
        chargeUnits([dayKey(family, quota)], [units, quota.dayLimit, durableUnits(quota.dayLimit)]),
      );
      const [taken, used] = chargeReplySchema.parse(reply);
      const dayRemaining = Math.max(0, quota.dayLimit - used);
      return { isTaken: taken === 1, quota: { ...quota, dayRemaining } };
    },
    refund: async (family, units, quota) => {
      const step = durableUnits(quota.dayLimit);
      await onRedis(() => refundUnits([dayKey(family, quota)], [units, step]));
    },
  };
};
