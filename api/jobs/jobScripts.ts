/**
 * Joins the job in flight, else the family's last forced one, else writes the new record; one step,
 * so that two requests never begin two analyses of one token. The family becomes a reader.
 * KEYS: in flight, forced; ARGV: record, job id, family, force 0|1, now, deadline ms, kept s, cooldown ms.
 */
export const START_JOB = `
local function joinable(id, running)
  if not id then return nil end
  local text = redis.call('GET', 'job:' .. id)
  if not text then return nil end
  local record = cjson.decode(text)
  if running and (record.status ~= 'analyzing' or record.createdAtMs + tonumber(ARGV[6]) <= tonumber(ARGV[5])) then
    return nil
  end
  redis.call('SADD', 'job-readers:' .. id, ARGV[3])
  redis.call('EXPIRE', 'job-readers:' .. id, ARGV[7])
  return text
end
local text = joinable(redis.call('GET', KEYS[1]), true)
if not text and ARGV[4] == '1' then text = joinable(redis.call('GET', KEYS[2]), false) end
if text then return {text, 0} end
redis.call('SET', 'job:' .. ARGV[2], ARGV[1], 'EX', ARGV[7])
redis.call('SADD', 'job-readers:' .. ARGV[2], ARGV[3])
redis.call('EXPIRE', 'job-readers:' .. ARGV[2], ARGV[7])
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[6])
if ARGV[4] == '1' then redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[8]) end
return {ARGV[1], 1}
`;

/** Removes a job that nobody will ever work on. KEYS as in START_JOB; ARGV: job id. */
export const ABANDON_JOB = `
redis.call('DEL', 'job:' .. ARGV[1], 'job-readers:' .. ARGV[1])
for i = 1, 2 do
  if redis.call('GET', KEYS[i]) == ARGV[1] then redis.call('DEL', KEYS[i]) end
end
return 1
`;

/** Ends a job that is still open. KEYS[1] its record; ARGV: the ended record, seconds to keep it. */
export const EXPIRE_JOB = `
local text = redis.call('GET', KEYS[1])
if text and cjson.decode(text).status == 'analyzing' then
  redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
  return ARGV[1]
end
return text
`;
