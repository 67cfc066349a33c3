-- How far the scorer has come on each chain.
CREATE TABLE IF NOT EXISTS chain_progress (
  chain_id UInt64,
  block_number UInt64,
  block_hash FixedString(32),
  timestamp DateTime('UTC'),
  head UInt64,
  epoch UInt64,
  updated_at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY chain_id
