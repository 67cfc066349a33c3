/**
 * The schedule of deliveries in Redis. Every script is one atomic step. An attempt takes two, TAKE and RECORD; a
 * process that dies between them leaves a lease that expires. BullMQ is not used: it limits attempts per queue, not
 * per webhook (groups are not part of its open version), and one queue per webhook needs one waiting connection per
 * webhook in every process.
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
const LANES = `
local lanes = {'push:ready', 'push:slow', 'push:failing'}
local function laneOf(webhook)
  if redis.call('EXISTS', 'push:failing:' .. webhook) == 1 then return 'push:failing' end
  if redis.call('GET', 'push:pace:' .. webhook) == 'slow' then return 'push:slow' end
  return 'push:ready'
end
local function enqueue(webhook, due)
  local own = laneOf(webhook)
  for _, lane in ipairs(lanes) do
    if lane ~= own then redis.call('ZREM', lane, webhook) end
  end
  redis.call('ZADD', own, 'LT', due, webhook)
end
local function waits(webhook)
  for _, lane in ipairs(lanes) do
    if redis.call('ZSCORE', lane, webhook) then return true end
  end
  return false
end
`;

/** Outcomes not known to be in ClickHouse. */
export const UNSTORED_KEY = 'push:unstored';

/**
 * ARGV: webhook, maximum deliveries, then delivery, due, entry thrice. Returns those refused. An added delivery moves
 * a waiting webhook forward only if it is due earlier.
 */
export const ADD = `${LANES}
local webhook, max = ARGV[1], tonumber(ARGV[2])
local queue, entries = 'push:queue:' .. webhook, 'push:entries:' .. webhook
local refused, due = {}, nil
for i = 3, #ARGV, 3 do
  if redis.call('HEXISTS', entries, ARGV[i]) == 0 then
    if redis.call('HLEN', entries) >= max then
      table.insert(refused, ARGV[i])
    else
      redis.call('HSET', entries, ARGV[i], ARGV[i + 2])
      redis.call('ZADD', queue, ARGV[i + 1], ARGV[i])
      due = math.min(due or math.huge, tonumber(ARGV[i + 1]))
    end
  end
end
if redis.call('ZSCORE', 'push:leased', webhook) then return refused end
if not waits(webhook) then due = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')[2] end
if due then enqueue(webhook, due) end
return refused
`;

/** ARGV: lane, now, end of the lease, maximum webhooks. Returns the webhooks now leased. */
export const CLAIM = `${LANES}
for _, webhook in ipairs(redis.call('ZRANGEBYSCORE', 'push:leased', '-inf', ARGV[2], 'LIMIT', 0, 100)) do
  redis.call('ZREM', 'push:leased', webhook)
  enqueue(webhook, ARGV[2])
end
local due = redis.call('ZRANGEBYSCORE', ARGV[1], '-inf', ARGV[2], 'LIMIT', 0, ARGV[4])
for _, webhook in ipairs(due) do
  redis.call('ZREM', ARGV[1], webhook)
  redis.call('ZADD', 'push:leased', ARGV[3], webhook)
end
return due
`;

/** ARGV: webhook, lease held, lease wanted. Returns 1, or 0 if the lease was lost. */
export const RENEW = `
if redis.call('ZSCORE', 'push:leased', ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZADD', 'push:leased', ARGV[3], ARGV[1])
return 1
`;

/** ARGV: webhook, lease held, earliest time of the next attempt. Does nothing if the lease was lost. */
export const RELEASE = `${LANES}
local webhook = ARGV[1]
if redis.call('ZSCORE', 'push:leased', webhook) ~= ARGV[2] then return 0 end
redis.call('ZREM', 'push:leased', webhook)
local first = redis.call('ZRANGE', 'push:queue:' .. webhook, 0, 0, 'WITHSCORES')
if first[2] then
  enqueue(webhook, math.max(tonumber(first[2]), tonumber(ARGV[3])))
end
return 1
`;

/**
 * ARGV: webhook, lane it was claimed from, now, maximum deliveries if its last success was quick, maximum otherwise.
 * Returns due entries; none if the webhook has moved to another lane.
 */
export const TAKE = `${LANES}
local webhook, limit = ARGV[1], ARGV[5]
if laneOf(webhook) ~= ARGV[2] then return {} end
if redis.call('GET', 'push:pace:' .. webhook) == 'quick' and ARGV[2] == 'push:ready' then limit = ARGV[4] end
local due = redis.call('ZRANGEBYSCORE', 'push:queue:' .. webhook, '-inf', ARGV[3], 'LIMIT', 0, limit)
if #due == 0 then return {} end
return redis.call('HMGET', 'push:entries:' .. webhook, unpack(due))
`;

/**
 * ARGV: webhook, delivery, time it is due again or an empty string if it has ended, its entry, then what it says
 * about the receiver (quick, slow, failed or neutral), now, milliseconds for which a failure is remembered, the same
 * for a pace, the outcome. Returns the time since which the receiver has been failing, 0 if it is not.
 */
export const RECORD = `
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
