import { TIERS } from '../../shared/families/tier.ts';
import type { Plans } from './plans.ts';

// The steps of the gatekeeper that run inside Redis. QUOTAS.md says which counts survive a crash.

/**
 * A day's count is written to disk at least once in every such fraction (1 / `DURABLE_SHARE`) of the day's quota.
 */
const DURABLE_SHARE = 1_000;
/** Units after which a day's count is on disk, however large the quota. */
const DURABLE_UNITS_MAX = 1_000;

/** Units between two writes of a day's count to disk, for a given quota. */
export const durableUnits = (perDay: number): number =>
  Math.min(DURABLE_UNITS_MAX, Math.max(1, Math.floor(perDay / DURABLE_SHARE)));

/**
 * Stores the count of a day for two days. It reaches the append-only file and the replicas only when it passes a
 * multiple of `step`, and then as an absolute number: what is on disk is always less than `step` off.
 */
const STORE_USED = `
local function storeUsed(dayKey, before, after, step)
  local isDurable = math.floor(before / step) ~= math.floor(after / step)
  redis.set_repl(isDurable and redis.REPL_ALL or redis.REPL_NONE)
  redis.call('SET', dayKey, after, 'EX', 172800)
end
`;

/**
 * For each of several keys one atomic step: the key's status, then the day units, then the minute units (GCRA with a
 * burst of one minute's quota). Nothing is taken unless both quotas allow it. Time is Redis's own, so that several
 * API processes agree, and is counted in whole microseconds, so that rounding loses no unit.
 * KEYS the records of the keys; ARGV for each of them: day units, minute units. Returns one string per key: the
 * outcome and, if the key is valid, the fields that `readAdmission` names.
 */
export const admitScript = (plans: Plans): string => `
${STORE_USED}
local plans = {${TIERS.map((tier) => `${tier} = {${plans[tier].perDay}, ${plans[tier].perMinute}, ${durableUnits(plans[tier].perDay)}}`).join(', ')}}
local time = redis.call('TIME')
local nowS = tonumber(time[1])
local nowUs = nowS * 1000000 + tonumber(time[2])
local day = math.floor(nowS / 86400)

local function admit(recordKey, dayUnits, minuteUnits)
  local record = redis.call('HMGET', recordKey, 'status', 'id', 'family', 'tier', 'expiresAtMs')
  if record[1] ~= 'active' then return 'unknown' end
  if record[5] and tonumber(record[5]) * 1000 <= nowUs then return 'expired' end
  local plan = plans[record[4]]
  if not plan then return 'unknown' end
  local perDay, perMinute, durableUnits = plan[1], plan[2], plan[3]
  local dayKey = 'quota-day:' .. record[3] .. ':' .. day
  local minuteKey = 'quota-minute:' .. record[3]
  local counts = redis.call('MGET', dayKey, minuteKey)
  local used = tonumber(counts[1] or '0')
  local spacingUs = math.max(1, math.floor(60000000 / perMinute))
  local burstUs = spacingUs * perMinute
  local wholeAtUs = math.max(tonumber(counts[2] or '0'), nowUs)
  local nextWholeAtUs = wholeAtUs + minuteUnits * spacingUs
  local outcome, retryS = 'admitted', 0
  if used + dayUnits > perDay then
    outcome, retryS = 'day', (day + 1) * 86400 - nowS
  elseif nextWholeAtUs - nowUs > burstUs then
    outcome, retryS = 'minute', math.ceil((nextWholeAtUs - nowUs - burstUs) / 1000000)
  else
    if dayUnits > 0 then
      storeUsed(dayKey, used, used + dayUnits, durableUnits)
      used = used + dayUnits
    end
    wholeAtUs = nextWholeAtUs
    redis.set_repl(redis.REPL_NONE)
    redis.call('SET', minuteKey, string.format('%.0f', wholeAtUs), 'PX', 120000)
  end
  local minuteLeft = math.max(0, math.floor((burstUs - (wholeAtUs - nowUs)) / spacingUs))
  return string.format('%s %s %s %s %d %d %d %d %d', outcome, record[2], record[3], record[4],
    math.max(0, perDay - used), minuteLeft, math.ceil((wholeAtUs - nowUs) / 1000000), nowS, retryS)
end

local answers = {}
for i, recordKey in ipairs(KEYS) do
  answers[i] = admit(recordKey, tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i]))
end
return answers
`;

/** KEYS[1] the day's counter; ARGV: units, limit, step. Takes all units or none; returns {taken, used}. */
export const CHARGE = `
${STORE_USED}
local before = tonumber(redis.call('GET', KEYS[1]) or '0')
local after = before + tonumber(ARGV[1])
if after > tonumber(ARGV[2]) then return {0, before} end
storeUsed(KEYS[1], before, after, tonumber(ARGV[3]))
return {1, after}
`;

/** KEYS[1] the day's counter; ARGV: units, step. Keeps the counter at or above zero and with an expiry. */
export const REFUND = `
${STORE_USED}
local before = tonumber(redis.call('GET', KEYS[1]) or '0')
local units = math.min(before, tonumber(ARGV[1]))
if units > 0 then storeUsed(KEYS[1], before, before - units, tonumber(ARGV[2])) end
return units
`;
