-- Tokens that became a scam or ceased to be one, by when that was stored: what a reader of messages may have missed.
CREATE TABLE IF NOT EXISTS verdict_turns (
  chain_id UInt64,
  stored_at DateTime64(3, 'UTC'),
  token FixedString(20)
)
ENGINE = ReplacingMergeTree
ORDER BY (chain_id, stored_at, token)
TTL toDateTime(stored_at) + INTERVAL 7 DAY
