/**
 * The schedule of deliveries in Redis. Every script is one atomic step.
 *
 * push:queue:<webhook>    sorted set: delivery by the Unix milliseconds its next attempt is due at
 * push:entries:<webhook>  hash: delivery to what is needed to attempt it, as JSON
 * push:failing:<webhook>  since when every attempt failed, Unix milliseconds; absent after a success
 * push:pace:<webhook>     quick or slow: how the last success came; absent while there was none lately
 * push:ready, push:slow, push:failing
 *                         sorted sets: webhook by when its earliest delivery is due; those whose last
 *                         success took long wait in the second, those whose last attempt failed in the third
 * push:leased             sorted set: webhook by when the process that works on it loses it
 * push:unstored           sorted set: outcomes not known to be in ClickHouse, as JSON, by when they came
 *
 * A webhook with deliveries is in exactly one of ready, slow, failing and leased.
 */
const LANE_OF = `
local function laneOf(webhook)
  if redis.call('EXISTS', 'push:failing:' .. webhook) == 1 then return 'push:failing' end
  if redis.call('GET', 'push:pace:' .. webhook) == 'slow' then return 'push:slow' end
  return 'push:ready'
end
`;

/** Outcomes not known to be in ClickHouse. */
export const UNSTORED_KEY = 'push:unstored';

/** ARGV: webhook, deliveries kept at most, then delivery, due, entry thrice. Answers those refused. */
export const ADD = `${LANE_OF}
local webhook, max = ARGV[1], tonumber(ARGV[2])
local queue, entries = 'push:queue:' .. webhook, 'push:entries:' .. webhook
local refused = {}
for i = 3, #ARGV, 3 do
  if redis.call('HEXISTS', entries, ARGV[i]) == 0 then
    if redis.call('HLEN', entries) >= max then
      table.insert(refused, ARGV[i])
    else
      redis.call('HSET', entries, ARGV[i], ARGV[i + 2])
      redis.call('ZADD', queue, ARGV[i + 1], ARGV[i])
    end
  end
end
local first = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
if first[2] and not redis.call('ZSCORE', 'push:leased', webhook) then
  redis.call('ZADD', laneOf(webhook), 'LT', first[2], webhook)
end
return refused
`;

/** ARGV: lane, now, end of the lease, webhooks at most. Answers the webhooks now leased. */
export const CLAIM = `${LANE_OF}
for _, webhook in ipairs(redis.call('ZRANGEBYSCORE', 'push:leased', '-inf', ARGV[2], 'LIMIT', 0, 100)) do
  redis.call('ZREM', 'push:leased', webhook)
  redis.call('ZADD', laneOf(webhook), ARGV[2], webhook)
end
local due = redis.call('ZRANGEBYSCORE', ARGV[1], '-inf', ARGV[2], 'LIMIT', 0, ARGV[4])
for _, webhook in ipairs(due) do
  redis.call('ZREM', ARGV[1], webhook)
  redis.call('ZADD', 'push:leased', ARGV[3], webhook)
end
return due
`;

/** ARGV: webhook, lease held, lease wanted. Answers 1, or 0 where the lease was lost. */
export const RENEW = `
if redis.call('ZSCORE', 'push:leased', ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZADD', 'push:leased', ARGV[3], ARGV[1])
return 1
`;

/** ARGV: webhook, lease held, earliest moment of the next attempt. Does nothing where the lease was lost. */
export const RELEASE = `${LANE_OF}
local webhook = ARGV[1]
if redis.call('ZSCORE', 'push:leased', webhook) ~= ARGV[2] then return 0 end
redis.call('ZREM', 'push:leased', webhook)
local first = redis.call('ZRANGE', 'push:queue:' .. webhook, 0, 0, 'WITHSCORES')
if first[2] then
  redis.call('ZADD', laneOf(webhook), math.max(tonumber(first[2]), tonumber(ARGV[3])), webhook)
end
return 1
`;

/**
 * ARGV: webhook, lane it was claimed from, now, deliveries at most where its last success was quick, the same
 * where it was not. Answers entries that are due; none where the webhook belongs to another lane by now.
 */
export const TAKE = `${LANE_OF}
local webhook, limit = ARGV[1], ARGV[5]
if laneOf(webhook) ~= ARGV[2] then return {} end
if redis.call('GET', 'push:pace:' .. webhook) == 'quick' and ARGV[2] == 'push:ready' then limit = ARGV[4] end
local due = redis.call('ZRANGEBYSCORE', 'push:queue:' .. webhook, '-inf', ARGV[3], 'LIMIT', 0, limit)
if #due == 0 then return {} end
return redis.call('HMGET', 'push:entries:' .. webhook, unpack(due))
`;

/**
 * ARGV: webhook, delivery, when it is due again or an empty text where it has ended, its entry, then
 * quick, slow, failed or neutral for what it says of the receiver, now, milliseconds a failure is remembered,
 * the same of a pace, the outcome. Answers since when the receiver has been failing, 0 where it is not.
 */
export const SETTLE = `
local webhook, delivery = ARGV[1], ARGV[2]
local queue, entries = 'push:queue:' .. webhook, 'push:entries:' .. webhook
if ARGV[3] == '' then
  redis.call('ZREM', queue, delivery)
  redis.call('HDEL', entries, delivery)
else
  redis.call('ZADD', queue, ARGV[3], delivery)
  redis.call('HSET', entries, delivery, ARGV[4])
end
redis.call('ZADD', '${UNSTORED_KEY}', ARGV[6], ARGV[9])
local failing, pace = 'push:failing:' .. webhook, 'push:pace:' .. webhook
if ARGV[5] == 'quick' or ARGV[5] == 'slow' then
  redis.call('DEL', failing)
  redis.call('SET', pace, ARGV[5], 'PX', ARGV[8])
end
if ARGV[5] == 'failed' then
  redis.call('SET', failing, ARGV[6], 'NX')
  redis.call('PEXPIRE', failing, ARGV[7])
end
return tonumber(redis.call('GET', failing) or '0')
`;
