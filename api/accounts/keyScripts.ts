/**
 * Ends a key in favour of its successor and stores that one, in one step: of two rotations at the same
 * time one finds the key already ended. A key whose time is over or that was revoked has no successor.
 * KEYS: record of the old key, record of the new one, id of the new one, members of the family.
 * ARGV: now, moment the old key ends, digest of the new key, id of the new key, channel that
 * hears of changes, id of the old key, then the fields of the new one.
 * Answers 1, or 0 where the old key is not active.
 */
export const ROTATE = `
local record = redis.call('HMGET', KEYS[1], 'status', 'expiresAtMs', 'successor')
if record[1] ~= 'active' or record[3] then return 0 end
if record[2] and tonumber(record[2]) <= tonumber(ARGV[1]) then return 0 end
if tonumber(ARGV[2]) <= tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'status', 'revoked', 'revokedAtMs', ARGV[1])
elseif not record[2] or tonumber(record[2]) > tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'expiresAtMs', ARGV[2])
end
redis.call('HSET', KEYS[1], 'successor', ARGV[4])
redis.call('HSET', KEYS[2], unpack(ARGV, 7))
redis.call('SET', KEYS[3], ARGV[3])
redis.call('SADD', KEYS[4], ARGV[4])
redis.call('PUBLISH', ARGV[5], ARGV[6])
return 1
`;
